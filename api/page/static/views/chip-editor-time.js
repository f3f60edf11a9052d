// When: a usual period by a click, words for one, or days from … to.
import { html, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { daysTo, last, rangesOf, timeTo } from "../lib/edits.js";
import { Apply } from "./chip-editor-apply.js";

const USUAL = ["this-month", "last-month", "this-quarter", "this-year", "last-year", "7-days", "30-days"];

export function TimeEditor({ turn, apply }) {
  const ranges = rangesOf(turn.slots.time);
  const [from, to] = ranges.length === 1 ? ranges[0] : [];
  const [words, setWords] = useState("");
  const told = (text) => t("chip.said.time", { words: text });
  const said = (event) => {
    event.preventDefault();
    apply(timeTo(words.trim()), told(words.trim()));
  };
  return html`
    <div class="usual" role="group" aria-label=${t("chip.usual")}>${USUAL.map((name, index) => {
      const text = t(`period.${name}`);
      return html`<button class="pill" key=${name} data-first=${index === 0 || undefined} onClick=${() => apply(timeTo(text), told(text))}>${text}</button>`;
    })}</div>
    <form class="inline" onSubmit=${said}>
      <label class="field"><span>${t("chip.time.words")}</span><input type="text" value=${words} placeholder=${t("chip.time.example")} autocomplete="off" onInput=${(event) => setWords(event.target.value)} /></label>
      <button disabled=${!words.trim()}>${t("chip.apply")}</button>
    </form>
    <${Days} from=${(from ?? "").slice(0, 10)} to=${to ? last(to) : ""} onDone=${(first, end, text) => apply(timeTo(daysTo(first, end)), told(text))} />`;
}

/** Days from … to, both included; either may stay open. */
export function Days({ from, to, onDone }) {
  const [first, setFirst] = useState(from);
  const [end, setEnd] = useState(to);
  const wrong = first && end && first > end;
  const done = (event) => {
    event.preventDefault();
    onDone(first, end, t(first && end ? "chip.days.both" : first ? "chip.days.from" : "chip.days.to", { from: first, to: end }));
  };
  return html`<form onSubmit=${done}>
    <div class="days-between">
      <label class="field"><span>${t("chip.from")}</span><input type="date" value=${first} onInput=${(event) => setFirst(event.target.value)} /></label>
      <label class="field"><span>${t("chip.until")}</span><input type="date" value=${end} onInput=${(event) => setEnd(event.target.value)} /></label>
    </div>
    ${wrong && html`<p class="wrong small" role="alert">${t("chip.days.wrong")}</p>`}
    <${Apply} disabled=${Boolean(wrong) || !first && !end || first === from && end === to} />
  </form>`;
}
