// How rows stand: compared with what, by which unit of time, in which order, how many; and what stands beside them.
import { html, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { comparisonTo, flagTo, grainTo, limitTo, orderOf, orderTo } from "../lib/edits.js";
import { labelOf } from "../lib/offered.js";
import { Apply } from "./chip-editor-apply.js";

const GRAINS = ["day", "week", "month", "quarter", "half", "year"];

/** One of a few, each a click. */
const Choices = ({ names, now, label, onPick, of }) => html`<div class="choices" role="group" aria-label=${label}>
  ${names.map((name) => html`<button key=${name} aria-pressed=${now === name} data-first=${now === name || undefined} onClick=${() => onPick(name)}>${t(`${of}.${name || "none"}`)}</button>`)}
</div>`;

/** The choice to let go of what there is. */
const none = (now) => (now ? [""] : []);

export function ComparisonEditor({ turn, apply }) {
  const pick = (kind) => apply(comparisonTo(kind), t(kind ? "chip.said.comparison" : "chip.said.no-comparison", { words: t(`comparison.${kind}`) }));
  return html`<${Choices} names=${["yoy", "pop", ...none(turn.slots.comparison)]} now=${turn.slots.comparison ?? ""} label=${t("slot.comparison")} of="comparison" onPick=${pick} />`;
}

export function GrainEditor({ turn, apply }) {
  const pick = (grain) => apply(grainTo(grain), t(grain ? "chip.said.grain" : "chip.said.no-grain", { words: t(`grain.${grain}`) }));
  return html`<${Choices} names=${[...GRAINS, ...none(turn.slots.grain)]} now=${turn.slots.grain ?? ""} label=${t("slot.grain")} of="grain" onPick=${pick} />`;
}

export function OrderEditor({ turn, apply }) {
  const now = orderOf(turn.slots);
  const [by, setBy] = useState(now.by);
  const [down, setDown] = useState(now.down);
  const names = [...turn.slots.metrics, ...turn.slots.dimensions];
  const done = (event) => {
    event.preventDefault();
    apply(orderTo(by, down), t("chip.said.order", { name: labelOf(by), way: t(down ? "order.down" : "order.up") }));
  };
  return html`<form onSubmit=${done}>
    <label class="field"><span>${t("order.by")}</span><select value=${by} onChange=${(event) => setBy(event.target.value)}>${names.map((name) => html`<option key=${name} value=${name}>${labelOf(name)}</option>`)}</select></label>
    <div class="modes" role="radiogroup" aria-label=${t("slot.order")}>
      ${[true, false].map((way) => html`<label key=${way}><input type="radio" name="way" checked=${down === way} onChange=${() => setDown(way)} /><span>${t(way ? "order.down" : "order.up")}</span></label>`)}
    </div>
    <${Apply} disabled=${!by} />
  </form>`;
}

export function LimitEditor({ turn, apply }) {
  const [count, setCount] = useState(String(turn.slots.limit ?? 5));
  const number = /^[1-9]\d{0,3}$/.test(count.trim()) ? Number(count) : null;
  const done = (event) => {
    event.preventDefault();
    apply(limitTo(number), t("chip.said.limit", { n: number }));
  };
  return html`<form onSubmit=${done}>
    <div class="usual">${[3, 5, 10, 20].map((n) => html`<button type="button" class="pill" key=${n} onClick=${() => apply(limitTo(n), t("chip.said.limit", { n }))}>${t("chip.said.limit", { n })}</button>`)}</div>
    <label class="field"><span>${t("limit.count")}</span><input type="text" inputmode="numeric" value=${count} autocomplete="off" onInput=${(event) => setCount(event.target.value)} /></label>
    <${Apply} disabled=${number === null || number === turn.slots.limit} />
  </form>`;
}

/** Something that stands beside the metrics, or not: 占比, 合计, 累计. */
export function FlagEditor({ slot, chip, apply }) {
  if (chip) return html`<p>${chip.words}</p>`;
  return html`<form onSubmit=${(event) => { event.preventDefault(); apply(flagTo(slot), t("chip.said.flag", { name: t(`slot.${slot}`) })); }}><p class="dim small">${t(`chip.add.${slot}`)}</p><${Apply} /></form>`;
}
