// What nobody said and was filled in, with what it could be instead, each a click.
import { html, useComputed } from "../lib/view.js";
import { t } from "../lib/words.js";
import { edit } from "../lib/store.js";
import { wordsOf } from "../lib/offered.js";
import { standing } from "../lib/standing.js";
import { Icon } from "./icons.js";

const TOLD = new Set(["choice", "word"]); // whose value is in words; of others the chip has the words

export function Assumptions({ turn }) {
  const live = useComputed(() => standing.value?.assumptions === turn.assumptions).value;
  const told = turn.assumptions.filter((item) => (live && item.alternatives.length > 0) || item.slot === "choice");
  if (!told.length) return null;
  return html`<ul class="assumed" aria-label=${t("assumed")}>
    ${told.map((item, index) => html`<li key=${index}>
      <span class="assumed-what"><${Icon} name="info" size=${14} />${t("assumed.by", { what: valueOf(item, turn) })}</span>
      ${live && item.alternatives.length > 0 && html`<span class="assumed-else"><span class="dim small">${t("assumed.else")}</span>
        ${item.alternatives.map((other) => html`<button class="pill" key=${other.label} onClick=${() => edit(other.edit, other.label)}>${other.label}</button>`)}</span>`}
    </li>`)}
  </ul>`;
}

function valueOf(item, turn) {
  const chip = TOLD.has(item.slot) ? null : turn.chips.find((one) => one.key === item.slot);
  return chip ? wordsOf(chip, turn) : item.value;
}
