// The state of the page, as signals, and what can be done to it. A conversation is a list of entries, one a turn.
import { batch, computed, effect, signal } from "./view.js";
import { Problem, call, download, key, stream } from "./client.js";
import { lang, t } from "./words.js";
import { go, here } from "./router.js";
import { embedded } from "./embedding.js";

export const theme = signal(document.documentElement.dataset.theme || "auto");
export const catalogue = signal(null); // of /v1/catalogue, in the language of the page
export const sessions = signal(null); // the list at the side: null until it was loaded
export const older = signal(null); // where the list goes on (`before`), null at its end
export const session = signal(null); // {session_id, title} of the conversation that is open, null for a new one
export const entries = signal([]); // its turns: [entry]
export const loading = signal(false); // whether a conversation is being opened
export const panel = signal(null); // what stands open at the side: {kind: "origin", turn} or null
export const drawer = signal(false); // whether the list of sessions is open on a narrow screen
export const notice = signal(null); // a short message: {text, kind}
export const draft = signal(""); // what stands in the composer
export const marks = signal({}); // what this user thinks of turns, by turn: {thumb, code, reason}

/** The turn that runs, if one does. */
export const running = computed(() => entries.value.find((entry) => entry.value.status === "running") ?? null);
/** The last turn that ended with an answer object, whose clarification can still be answered. */
export const newest = computed(() => {
  const ended = entries.value.filter((entry) => entry.value.turn);
  return ended.length ? ended[ended.length - 1].value.turn : null;
});

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  if (embedded) return; // the page around it says how it looks
  try { localStorage.setItem("wenshu.theme", theme.value); } catch { /* private windows keep nothing */ }
});

let serial = 0;

/**
 * An entry is a signal of: `{key, said, status, stages, turn, problem, turnId}`.
 * said: what was sent in words; status: running, done, failed; stages: what was told so far, by event name.
 */
function entryOf(said, more = {}) {
  return signal({ key: (serial += 1), said, status: "running", stages: {}, turn: null, problem: null, turnId: "", ...more });
}

const set = (entry, more) => { entry.value = { ...entry.peek(), ...more }; };

let stopper = null;

/** Send a request of one of the five forms (a question, choose, edit, undo, keep); `said` is it in words. */
export async function send(request, said) {
  if (running.peek()) return;
  const entry = entryOf(said);
  batch(() => { entries.value = [...entries.peek(), entry]; });
  stopper = new AbortController();
  try {
    const id = await begun();
    await stream(id, request, {
      signal: stopper.signal,
      begun: (turnId) => set(entry, { turnId }),
      tell: (name, data) => told(entry, name, data),
    });
    if (entry.peek().status === "running") throw new Problem("cut");
  } catch (error) {
    if (entry.peek().status !== "running") return;
    const problem = error instanceof Problem ? error : new Problem(error.name === "AbortError" ? "stopped" : "fault", String(error.message));
    set(entry, { status: "failed", problem, request });
  }
}

function told(entry, name, data) {
  if (name === "turn") {
    const before = newest.peek();
    set(entry, { status: "done", turn: data, turnId: data.turn_id, again: 0 });
    listed(data);
    if (before && data.seq > before.seq + 1) elsewhere(data.session_id);
  } else if (name === "error") {
    set(entry, { status: "failed", problem: new Problem(data.code, data.detail, data.status, data) });
  } else if (name === "again") {
    set(entry, { again: data.tries });
  } else {
    set(entry, { again: 0, stages: { ...entry.peek().stages, [name]: data } });
  }
}

/** The session to ask in: the one that is open, or a new one. */
async function begun() {
  if (session.peek()) return session.peek().session_id;
  const made = await call("/v1/sessions", { method: "POST", body: {} });
  session.value = made;
  go(`s/${made.session_id}`, true);
  return made.session_id;
}

/** The conversation went on in another tab: bring in what is missing, without losing what is shown. */
async function elsewhere(id) {
  const { history } = await call(`/v1/sessions/${id}`).catch(() => ({ history: [] }));
  if (session.peek()?.session_id !== id || running.peek()) return;
  const shown = new Map(entries.peek().map((entry) => [entry.peek().turnId, entry]));
  const all = history.map((turn) => shown.get(turn.turn_id) ?? taken(turn));
  if (all.length) batch(() => { entries.value = all; say(t("turn.elsewhere")); });
}

/** The entry of a turn that was taken before. */
const taken = (turn) => entryOf(turn.question || t("said.edit", { what: turn.completed_question }), { status: "done", turn, turnId: turn.turn_id });

/** Bring the list at the side up to date after a turn, without asking for it again. */
function listed(turn) {
  const old = sessions.peek() ?? [];
  const found = old.find((item) => item.session_id === turn.session_id);
  const open = session.peek();
  const named = { ...(found ?? open), title: found?.title || open?.title || turn.question || turn.completed_question, turns: turn.seq, updated: turn.now };
  sessions.value = [named, ...old.filter((item) => item !== found)];
  if (open?.session_id === turn.session_id) session.value = named;
}

export const ask = (question) => { const text = question.trim(); return text ? send({ question: text }, text) : undefined; };
export const choose = (ids, label) => send({ choose: ids }, label);
/** `edits`: [{slot, op, value}]; `label` says in words what was changed. */
export const edit = (edits, label) => send({ edit: edits }, label);
export const undo = () => send({ undo: true }, t("said.undo"));
/** Keep what a switch dropped: all of it, or the words given. */
export const keep = (words) => send({ keep: words ?? true }, t("said.keep", { what: words ? words.join("、") : "" }).trim());

/** Send a failed turn once more. */
export function again(entry) {
  const { request, said } = entry.peek();
  entries.value = entries.peek().filter((one) => one !== entry);
  if (request) send(request, said);
}

/** Stop the turn that runs: it ends as an error that says so, and is recorded. */
export async function stop() {
  const entry = running.peek();
  const id = entry?.peek().turnId;
  if (!id) { stopper?.abort(); return; }
  try {
    await call(`/v1/turns/${id}/cancel`, { method: "POST" });
  } catch {
    stopper?.abort();
  }
}

// -- conversations ------------------------------------------------------------------------------

/** Begin a new conversation. */
export function fresh() {
  stopper?.abort();
  batch(() => { session.value = null; entries.value = []; panel.value = null; drawer.value = false; draft.value = ""; });
  go("");
}

let opening = 0;

/** Open a session with its turns. */
export async function open(id) {
  if (session.peek()?.session_id === id) return;
  stopper?.abort();
  const mine = (opening += 1);
  batch(() => { loading.value = true; entries.value = []; panel.value = null; drawer.value = false; session.value = { session_id: id, title: "" }; });
  try {
    const { history, marks: given, ...found } = await call(`/v1/sessions/${id}`);
    if (mine !== opening) return;
    batch(() => {
      marks.value = { ...marks.peek(), ...given };
      session.value = found;
      entries.value = history.map(taken);
    });
  } catch (error) {
    if (mine !== opening) return;
    session.value = null;
    complain(error);
    go("", true);
  } finally {
    if (mine === opening) loading.value = false;
  }
}

/** Load the list of sessions: all of them, or those whose title holds words. */
export async function loadSessions(words = "", before = "") {
  const query = new URLSearchParams({ limit: "50", ...(words ? { q: words } : {}), ...(before ? { before } : {}) });
  const found = await call(`/v1/sessions?${query}`);
  if (words) return found;
  const kept = before ? sessions.peek() ?? [] : [];
  const known = new Set(kept.map((item) => item.session_id));
  batch(() => {
    sessions.value = [...kept, ...found.sessions.filter((item) => !known.has(item.session_id))];
    older.value = found.next;
  });
  return found;
}

export async function rename(id, title) {
  const found = await call(`/v1/sessions/${id}`, { method: "PATCH", body: { title } });
  batch(() => {
    sessions.value = (sessions.peek() ?? []).map((item) => (item.session_id === id ? found : item));
    if (session.peek()?.session_id === id) session.value = found;
  });
}

export async function remove(id) {
  await call(`/v1/sessions/${id}`, { method: "DELETE" });
  sessions.value = (sessions.peek() ?? []).filter((item) => item.session_id !== id);
  if (session.peek()?.session_id === id) fresh();
}

export async function loadCatalogue() {
  catalogue.value = await call(`/v1/catalogue?lang=${lang.peek()}`);
}

export const bundle = (turnId) => download(`/v1/turns/${turnId}/export`).catch(complain);

// -- words to the user --------------------------------------------------------------------------

let fading = 0;

/** Say something at the edge of the page for a while. */
export function say(text, kind = "info") {
  notice.value = { text, kind };
  clearTimeout(fading);
  fading = setTimeout(() => { notice.value = null; }, kind === "bad" ? 8000 : 3500);
}

/** What went wrong, in words one can act on. */
export function reason(problem) {
  const code = problem instanceof Problem ? problem.code : "fault";
  const words = t(`problem.${code}`, { wait: problem.wait ?? "", detail: problem.detail ?? "" });
  return words === `problem.${code}` ? problem.detail || t("problem.fault") : words;
}

export const complain = (error) => { if (error?.code !== "unauthenticated") say(reason(error), "bad"); };

// -- where the address leads ---------------------------------------------------------------------

effect(() => {
  lang.value; key.value; // both change what may be shown
  loadCatalogue().catch(complain);
});
effect(() => {
  key.value;
  if (embedded) return; // many share its key: there is no list
  loadSessions().catch(() => { sessions.value = sessions.peek() ?? []; });
});
effect(() => {
  const { place, id } = here.value;
  key.value;
  if (place !== "chat") return;
  if (id) open(id);
  else if (session.peek() && !running.peek()) batch(() => { session.value = null; entries.value = []; panel.value = null; });
});
