// The service over HTTP: JSON, streams that are taken up again where they were cut, downloads.
import { signal } from "./view.js";
import { embedded, host } from "./embedding.js";

const KEY = "wenshu.key";

/** The key that requests are sent with, null where none is needed; kept for this tab alone. */
export const key = signal(kept());
/** Whether the service asked for a key, or refused the one it was sent. */
export const locked = signal(false);

function kept() {
  if (embedded) return null; // the page around it hands the key over, each time
  try { return sessionStorage.getItem(KEY); } catch { return null; }
}

export function setKey(value) {
  key.value = value || null;
  locked.value = false;
  if (embedded) return;
  try {
    if (value) sessionStorage.setItem(KEY, value);
    else sessionStorage.removeItem(KEY);
  } catch { /* it holds until the page is left */ }
}

/** What went wrong: a problem of the service (RFC 9457), or `offline` where it was not reached. */
export class Problem extends Error {
  constructor(code, detail = "", status = 0, more = {}) {
    super(detail || code);
    Object.assign(this, { code, detail, status, where: more.where, requestId: more.request_id, wait: more.wait });
  }
}

function headers(more = {}) {
  return { ...(key.value ? { Authorization: `Bearer ${key.value}` } : {}), ...(embedded ? { "X-Wenshu-Host": host() } : {}), ...more };
}

async function send(path, { method = "GET", body, signal: stop, accept = "application/json", more } = {}) {
  const init = { method, signal: stop, headers: headers({ Accept: accept, ...more }), cache: "no-store" };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(path, init);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("offline");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) locked.value = true;
  let told = {};
  try { told = await answer.json(); } catch { /* a proxy's page, perhaps */ }
  const wait = Number(answer.headers.get("retry-after")) || undefined;
  throw new Problem(told.code ?? "unreadable", told.detail ?? "", answer.status, { ...told, wait });
}

/** A JSON answer; null for one without a body. Throws `Problem`. */
export async function call(path, options = {}) {
  const answer = await send(path, options);
  return answer.status === 204 || answer.status === 202 && answer.headers.get("content-length") === "0" ? null : answer.json().catch(() => null);
}

/** Save what a path gives as a file. */
export async function download(path, name) {
  const answer = await send(path, { accept: "*/*" });
  const said = answer.headers.get("content-disposition") ?? "";
  const told = /filename\*=UTF-8''([^;]+)/i.exec(said);
  save(await answer.blob(), name ?? (told ? decodeURIComponent(told[1]) : /filename="([^"]+)"/.exec(said)?.[1]) ?? "wenshu");
}

/** Save a blob as a file. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Take a turn, told as it goes: `tell(name, data)` for each event, to the last (`turn`, or `error`).
 * A stream that is cut is taken up after its last event, a few times; `begun(turnId)` is told once.
 */
export async function stream(session, body, { tell, begun, signal: stop }) {
  const mark = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2) + Date.now();
  const path = `/v1/sessions/${session}/turns`;
  let place = "";
  let last = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      const accept = "text/event-stream";
      const answer = place
        ? await send(place, { accept, signal: stop, more: last ? { "Last-Event-ID": String(last) } : {} })
        : await send(path, { method: "POST", body, accept, signal: stop, more: { "Idempotency-Key": mark } });
      if (answer.status === 204) return;
      const named = answer.headers.get("location");
      if (named && !place) {
        place = named;
        begun?.(named.split("/")[3]);
      }
      for await (const event of events(answer.body)) {
        last = event.id || last;
        tell(event.name, event.data);
        if (event.name === "turn" || event.name === "error") return;
      }
      throw new Problem("cut");
    } catch (error) {
      const cut = error instanceof Problem ? ["cut", "offline"].includes(error.code) : error.name !== "AbortError";
      if (!cut || tries >= 5) throw error;
      tell("again", { tries: tries + 1 });
      await new Promise((wake) => setTimeout(wake, Math.min(400 * 2 ** tries, 5000)));
    }
  }
}

/** The events of a body: {id, name, data}. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
        const event = { id: 0, name: "", data: null };
        for (const line of rest.slice(0, end).split("\n")) {
          const at = line.indexOf(": ");
          const [field, text] = [line.slice(0, at), line.slice(at + 2)];
          if (field === "id") event.id = Number(text);
          else if (field === "event") event.name = text;
          else if (field === "data") event.data = JSON.parse(text);
        }
        if (event.name) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
