// What is measured, and by what it is grouped: names of the catalogue, ticked.
import { html, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { dimensionsTo, metricsTo } from "../lib/edits.js";
import { dimensionGroups, labelOf, listed, metricGroups } from "../lib/offered.js";
import { Apply } from "./chip-editor-apply.js";
import { Picks } from "./chip-editor-picks.js";

const same = (one, other) => one.length === other.length && one.every((item, index) => item === other[index]);

export function MetricsEditor({ turn, apply }) {
  const [picked, setPicked] = useState(turn.slots.metrics);
  const done = (event) => {
    event.preventDefault();
    apply(metricsTo(picked), t("chip.said.metrics", { names: listed(picked.map(labelOf)) }));
  };
  return html`<form onSubmit=${done}>
    <${Picks} groups=${metricGroups(turn)} picked=${picked} onPicked=${setPicked} label=${t("slot.metrics")} />
    <${Apply} disabled=${!picked.length || same(picked, turn.slots.metrics)} />
  </form>`;
}

export function DimensionsEditor({ turn, apply }) {
  const [picked, setPicked] = useState(turn.slots.dimensions);
  const done = (event) => {
    event.preventDefault();
    apply(dimensionsTo(picked), picked.length ? t("chip.said.dimensions", { names: listed(picked.map(labelOf)) }) : t("chip.said.whole"));
  };
  return html`<form onSubmit=${done}>
    <${Picks} groups=${dimensionGroups(turn)} picked=${picked} onPicked=${setPicked} label=${t("slot.dimensions")} />
    <${Apply} disabled=${same(picked, turn.slots.dimensions)} />
  </form>`;
}
