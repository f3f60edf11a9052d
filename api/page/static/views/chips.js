// How a turn was understood: a chip for each value of a slot. Those that still hold can be changed.
import { html, useState, useComputed } from "../lib/view.js";
import { lang, t } from "../lib/words.js";
import { edit } from "../lib/store.js";
import { ordered, parsed, removal } from "../lib/edits.js";
import { daysInWords } from "../lib/days.js";
import { slotName, wordsOf } from "../lib/offered.js";
import { standing } from "../lib/standing.js";
import { Icon } from "./icons.js";
import { Editor } from "./chip-editor.js";
import { Origin } from "./chip-origin.js";

const DRAWN = { carried: "carried", reference: "carried", default: "info", clarified: "check", edited: "edit", policy: "lock" };

export function Chips({ turn }) {
  const [open, setOpen] = useState(null); // {key, anchor} of the editor that is open
  if (!turn.chips.length) return null;
  const live = useComputed(() => standing.value?.chips === turn.chips).value;
  const show = (key) => (event) => setOpen({ key, anchor: event.currentTarget });
  return html`<div class="chips" role="group" aria-label=${t("chips")}>
    ${ordered(turn.chips).map((chip) => html`<${Chip} key=${chip.key} chip=${chip} turn=${turn} live=${live} onOpen=${show(chip.key)} />`)}
    ${live && html`<button class="chip-add" aria-haspopup="dialog" aria-label=${t("chip.add")} title=${t("chip.add")} onClick=${show("add")}><${Icon} name="plus" size=${16} /></button>`}
    ${live && open && html`<${Editor} turn=${turn} what=${open.key} anchor=${open.anchor} onClose=${() => setOpen(null)} />`}
  </div>`;
}

function Chip({ chip, turn, live, onOpen }) {
  const words = wordsOf(chip, turn);
  const days = parsed(chip.key).slot === "time" ? daysInWords(turn.slots.time, chip.words, turn.as_of, lang.value) : "";
  const name = [`${slotName(chip.key)}：${words}`, days, chip.origin].filter(Boolean).join(t("comma"));
  const icon = DRAWN[chip.source];
  const held = html`${icon && html`<${Icon} name=${icon} size=${14} />`}<span>${words}</span>${days && html`<small class="days">${days}</small>`}`;
  const fixed = chip.source === "policy";
  const gone = live ? removal(chip) : null;
  const locked = fixed && html`<small class="chip-from">${chip.origin}</small>`;
  if (!live) return html`<span class=${`chip from-${chip.source}`}><span class="chip-main" title=${name}>${held}${chip.origin && html`<span class="sr">${t("comma")}${chip.origin}</span>`}${locked}</span></span>`;
  return html`<span class=${`chip from-${chip.source}`}>
    ${fixed ? html`<span class="chip-main" title=${name}>${held}${locked}</span>`
      : html`<button class="chip-main" aria-haspopup="dialog" aria-label=${name} title=${t("chip.change", { name })} onClick=${onOpen}>${held}</button>`}
    ${chip.source === "carried" && html`<${Origin} chip=${chip} />`}
    ${gone && html`<button class="chip-gone" aria-label=${t("chip.remove", { name: words })} title=${t("chip.remove", { name: words })} onClick=${() => edit(gone, t("chip.said.gone", { name: words }))}><${Icon} name="close" size=${14} /></button>`}
  </span>`;
}
