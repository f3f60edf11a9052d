// Where questions are typed. Enter sends, but not while an input method is still composing.
import { html, useEffect, useRef } from "../lib/view.js";
import { t } from "../lib/words.js";
import { ask, catalogue, draft, entries, newest, running, say, stop } from "../lib/store.js";
import { Icon } from "./icons.js";

const LONGEST = 1000; // characters of a question, as the service reads it

export function Composer() {
  const box = useRef(null);
  const busy = Boolean(running.value);
  const example = catalogue.value?.examples[0] ?? "";
  const asked = newest.value?.outcome === "clarify";
  const hint = !entries.value.length ? t("composer.placeholder", { example }) : t(asked ? "composer.answer" : "composer.follow");
  useEffect(() => { // as high as what is typed
    const { current } = box;
    current.style.height = "auto";
    current.style.height = `${Math.min(current.scrollHeight, 200)}px`;
  }, [draft.value]);
  useEffect(() => { if (!busy && matchMedia("(hover: hover)").matches) box.current.focus({ preventScroll: true }); }, [busy]);
  const submit = (event) => {
    event.preventDefault();
    if (busy || !draft.peek().trim()) return;
    const text = draft.peek();
    draft.value = "";
    ask(text);
  };
  const typed = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) submit(event);
    if (event.key === "Escape" && busy) { event.preventDefault(); stop(); }
  };
  return html`<form class="composer" onSubmit=${submit}>
    <label class="sr" for="composer">${t("composer.label")}</label>
    <textarea id="composer" ref=${box} rows="1" maxlength=${LONGEST} placeholder=${hint} value=${draft.value} enterkeyhint="send" autocomplete="off"
      onInput=${(event) => { draft.value = event.target.value; }} onKeyDown=${typed}
      onPaste=${(event) => { if (event.clipboardData.getData("text").length + draft.peek().length > LONGEST) say(t("composer.long", { most: LONGEST })); }}></textarea>
    ${busy
      ? html`<button type="button" class="main stop" onClick=${stop} aria-label=${t("composer.stop")} title=${t("composer.stop")}><${Icon} name="stop" /></button>`
      : html`<button type="submit" class="main" disabled=${!draft.value.trim()} aria-label=${t("composer.send")} title=${t("composer.hint")}><${Icon} name="send" /></button>`}
  </form>`;
}
