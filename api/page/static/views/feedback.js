// A mark on a turn: right at once, wrong with a reason. The last mark of a user counts.
import { html, useId, useLayoutEffect, useRef, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { call } from "../lib/client.js";
import { complain, marks, say } from "../lib/store.js";
import { Icon } from "./icons.js";

export const CODES = ["wrong-result", "wrong-metric", "wrong-time", "wrong-dimension", "wrong-object", "lost-filter", "kept-filter",
  "needless-ask", "missed-ask", "needless-decline", "missed-decline", "needless-reset", "missed-reset", "other"];
const LONGEST = 2000; // characters of a reason

async function give(turn, mark) {
  try {
    await call(`/v1/turns/${turn.turn_id}/feedback`, { method: "POST", body: mark });
    marks.value = { ...marks.peek(), [turn.turn_id]: mark };
    say(t("feedback.thanks"));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** Thumb up and thumb down; `ask` opens the form. */
export function Thumbs({ turn, marking, ask }) {
  const given = marks.value[turn.turn_id]?.thumb;
  return html`
    <button class="plain thumb up" aria-label=${t("feedback.up")} title=${t("feedback.up")} aria-pressed=${given === "up"}
      onClick=${() => given !== "up" && give(turn, { thumb: "up" })}><${Icon} name="up" size=${16} /></button>
    <button class="plain thumb down" aria-label=${t("feedback.down")} title=${t("feedback.down")} aria-pressed=${given === "down"}
      aria-expanded=${marking} onClick=${ask}><${Icon} name="down" size=${16} /></button>`;
}

/** What was wrong: a reason to pick, and words as wanted. */
export function Feedback({ turn, done }) {
  const before = marks.peek()[turn.turn_id] ?? {};
  const [code, setCode] = useState(before.code ?? "");
  const [busy, setBusy] = useState(false);
  const form = useRef(null);
  const id = useId();
  useLayoutEffect(() => { form.current.querySelector("input").focus({ preventScroll: true }); form.current.scrollIntoView({ block: "nearest" }); }, []);
  const send = async (event) => {
    event.preventDefault();
    const reason = new FormData(form.current).get("reason").trim();
    setBusy(true);
    const sent = await give(turn, { thumb: "down", ...(code ? { code } : {}), ...(reason ? { reason } : {}) });
    if (sent) done();
    else setBusy(false);
  };
  const escape = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    done();
  };
  return html`<form class="feedback" ref=${form} onSubmit=${send} onKeyDown=${escape} aria-label=${t("feedback.title")}>
    <fieldset>
      <legend>${t("feedback.title")}</legend>
      <div class="reasons">${CODES.map((name) => html`<label key=${name} class=${`reason ${code === name ? "picked" : ""}`}>
        <input type="radio" class="sr" name="code" value=${name} checked=${code === name} onChange=${() => setCode(name)} />
        ${code === name && html`<${Icon} name="check" size=${14} />`}${t(`feedback.${name}`)}</label>`)}</div>
    </fieldset>
    <label class="small" for=${id}>${t("feedback.reason")}</label>
    <textarea id=${id} name="reason" rows="2" maxlength=${LONGEST} defaultValue=${before.reason ?? ""} placeholder=${t("feedback.placeholder")}></textarea>
    <div class="acts">
      <button class="main" disabled=${busy}>${t("feedback.send")}</button>
      <button type="button" onClick=${done}>${t("cancel")}</button>
    </div>
  </form>`;
}
