// What can be added to a turn: first what kind, then what.
import { html } from "../lib/view.js";
import { t } from "../lib/words.js";
import { added, flagTo } from "../lib/edits.js";
import { dimensionGroups, fieldGroups, labelOf, metricGroups, ownMetrics } from "../lib/offered.js";
import { Picks } from "./chip-editor-picks.js";
import { Icon } from "./icons.js";

const LISTS = new Set(["filters", "dimensions", "metrics"]);
const FLAGS = ["totals", "share", "running", "fill"];

export function AddEditor({ turn, field: kind, apply, onPick }) {
  const { slots } = turn;
  const without = (groups, names) => groups.map((group) => ({ ...group, items: group.items.filter((item) => !names.includes(item.value)) }));
  const measured = slots.metrics.length > 0;
  if (kind === "filters") return html`<${Picks} one groups=${without(fieldGroups(turn), fixed(turn))} onPicked=${(name) => onPick(`filters.${name}`)} label=${t("chip.add.filters")} />`;
  if (kind === "dimensions") return html`<${Picks} one groups=${without(dimensionGroups(turn), slots.dimensions)} label=${t("chip.add.dimensions")}
    onPicked=${(name) => apply(added("dimensions", name), t("chip.said.add", { name: labelOf(name) }))} />`;
  if (kind === "metrics") return html`<${Picks} one groups=${without(metricGroups(turn), slots.metrics)} label=${t("chip.add.metrics")}
    onPicked=${(name) => apply(added("metrics", name), t("chip.said.add", { name: labelOf(name) }))} />`;
  const grouped = slots.dimensions.length > 0 || slots.grain !== null;
  const rows = [
    ["filters", true],
    ["dimensions", true],
    ["metrics", true],
    ["having", measured && ownMetrics(turn).length > 0],
    ["grain", measured && !slots.grain],
    ["comparison", measured && !slots.comparison],
    ["order", measured && grouped && !slots.order.length],
    ["limit", measured && slots.dimensions.length > 0 && !slots.limit],
  ].filter(([, fits]) => fits);
  const flags = FLAGS.filter((name) => measured && grouped && !slots[name]);
  const go = (name) => onPick(LISTS.has(name) ? `add.${name}` : name);
  return html`<div class="adding">
    ${rows.map(([name], index) => html`<button class="pick" key=${name} data-first=${index === 0 || undefined} onClick=${() => go(name)}><span>${t(`chip.add.${name}`)}</span><${Icon} name="next" size=${16} /></button>`)}
    ${flags.length > 0 && html`<p class="picks-name">${t("chip.add.beside")}</p>`}
    ${flags.map((name) => html`<button class="pick" key=${name} onClick=${() => apply(flagTo(name), t("chip.said.flag", { name: t(`slot.${name}`) }))}><span class="pick-words"><span>${t(`slot.${name}`)}</span><small>${t(`chip.add.${name}`)}</small></span></button>`)}
  </div>`;
}

/** What the user's permissions limit already, and cannot be limited by hand. */
const fixed = (turn) => turn.chips.filter((chip) => chip.source === "policy").map((chip) => chip.key.replace("filters.", ""));
