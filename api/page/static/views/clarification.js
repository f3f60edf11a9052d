// One question back, with options to click; once it was answered it is plain text.
import { html, useEffect, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { choose, draft } from "../lib/store.js";
import { listed } from "../lib/offered.js";
import { asking } from "../lib/standing.js";
import { Named, OptionSearch } from "./clarification-search.js";

export function Clarification({ turn }) {
  const live = asking.value?.clarification === turn.clarification;
  const { question, options, more, several } = turn.clarification;
  const [many, setMany] = useState(false);
  const [picked, setPicked] = useState([]);
  const pick = (option) => choose([option.id], option.label);
  useDigits(live && !many, (digit) => { if (options[digit - 1]) pick(options[digit - 1]); });
  if (!live) return html`<div class="asked"><p class="question">${question}</p><ol class="options past">${options.map((item) => html`<li key=${item.id}>${item.label}</li>`)}</ol></div>`;
  const tick = (id) => setPicked(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id]);
  const taken = options.filter((item) => picked.includes(item.id));
  return html`<div class="asked">
    <p class="question">${question}</p>
    <ol class="options" aria-label=${question}>${options.map((item, index) => html`<li key=${item.id}>
      ${many
        ? html`<label class="option"><input type="checkbox" checked=${picked.includes(item.id)} onChange=${() => tick(item.id)} /><${Named} item=${item} /></label>`
        : html`<button class="option" onClick=${() => pick(item)}><b class="number" aria-hidden="true">${index + 1}</b><${Named} item=${item} /></button>`}
    </li>`)}</ol>
    <div class="replies">
      ${many && html`<button class="main" disabled=${!taken.length} onClick=${() => choose(taken.map((item) => item.id), listed(taken.map((item) => item.label)))}>${t("asked.these", { n: taken.length })}</button>
        <button onClick=${() => setMany(false)}>${t("cancel")}</button>`}
      ${!many && several && html`<button class="pill" onClick=${() => choose(options.map((item) => item.id), t("asked.all"))}>${t("asked.all")}</button>
        <button class="pill" onClick=${() => { setPicked([]); setMany(true); }}>${t("asked.some")}</button>`}
      ${!many && options.length > 0 && html`<button class="pill" title=${t("asked.default.hint", { label: options[0].label })} onClick=${() => choose([options[0].id], t("asked.default"))}>${t("asked.default")}</button>`}
      ${more > 0 && !many && html`<${OptionSearch} turn=${turn} more=${more} onPick=${pick} />`}
    </div>
  </div>`;
}

/** Digits pick an option, but not while something is typed: 8月… begins with one too. */
function useDigits(on, pick) {
  useEffect(() => {
    if (!on) return undefined;
    const pressed = (event) => {
      const typing = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
      if (typing || draft.peek() || event.ctrlKey || event.metaKey || event.altKey || !/^[1-7]$/.test(event.key)) return;
      event.preventDefault();
      pick(Number(event.key));
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}
