// Conditions: a metric of groups, or a number, a day or a text of single rows.
import { html, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { COMPARED, boundsOf, boundsTo, daysTo, filterOf, filterTo, havingTo, last, rangeTo, rangesOf } from "../lib/edits.js";
import { labelOf, ownMetrics, unitOf } from "../lib/offered.js";
import { Apply } from "./chip-editor-apply.js";
import { Days } from "./chip-editor-time.js";

/** A condition on a metric's value: 收缴率 < 90%. */
export function HavingEditor({ turn, field, apply }) {
  const metrics = ownMetrics(turn);
  const [name, setName] = useState(field || turn.slots.metrics[0] || metrics[0]?.id);
  const metric = metrics.find((item) => item.id === name) ?? { id: name, percent: false, unit: null };
  const done = (bounds, words) => apply(havingTo(name, bounds), words);
  return html`
    ${!field && html`<label class="field"><span>${t("chip.metric")}</span><select value=${name} onChange=${(event) => setName(event.target.value)}>
      ${metrics.map((item) => html`<option key=${item.id} value=${item.id}>${item.label}</option>`)}</select></label>`}
    <${Bounds} key=${name} before=${turn.slots.having[name]} percent=${Boolean(metric.percent)} unit=${unitOf(metric)} label=${labelOf(name)} onDone=${done} />`;
}

export function NumberEditor({ turn, field, attribute, apply }) {
  const done = (bounds, words) => apply(rangeTo(field, bounds), words);
  return html`<${Bounds} before=${turn.slots.filters[field]} percent=${false} unit=${unitOf(attribute)} label=${labelOf(field)} onDone=${done} />`;
}

function Bounds({ before, percent, unit, label, onDone }) {
  const start = boundsOf(before, percent);
  const [how, setHow] = useState(start.how);
  const [low, setLow] = useState(start.low);
  const [high, setHigh] = useState(start.high);
  const bounds = boundsTo(how, low, high, percent);
  const done = (event) => {
    event.preventDefault();
    onDone(bounds, t(`chip.said.${how}`, { name: label, low: `${low}${unit}`, high: `${high}${unit}` }));
  };
  const box = (value, set, name) => html`<span class="number"><input type="text" inputmode="decimal" value=${value} aria-label=${t(name)} autocomplete="off" onInput=${(event) => set(event.target.value)} />${unit && html`<span class="dim">${unit}</span>`}</span>`;
  return html`<form onSubmit=${done}>
    <div class="bounds">
      <select value=${how} aria-label=${t("chip.how")} onChange=${(event) => setHow(event.target.value)}>${COMPARED.map((name) => html`<option key=${name} value=${name}>${t(`chip.how.${name}`)}</option>`)}</select>
      ${box(low, setLow, how === "between" ? "chip.low" : "chip.number")}
      ${how === "between" && html`<span class="dim">${t("chip.to")}</span>${box(high, setHigh, "chip.high")}`}
    </div>
    <${Apply} disabled=${bounds === null} />
  </form>`;
}

export function DayRangeEditor({ turn, field, apply }) {
  const [from, to] = rangesOf(turn.slots.filters[field]?.during)[0] ?? [];
  const done = (first, end, words) => apply([{ slot: "filters", op: "set", value: { [field]: { during: daysTo(first, end) } } }], t("chip.said.filter", { name: labelOf(field), words }));
  return html`<${Days} from=${from ?? ""} to=${to ? last(to) : ""} onDone=${done} />`;
}

export function TextEditor({ turn, field, apply }) {
  const before = filterOf(turn.slots.filters[field]);
  const [part, setPart] = useState(before.text || before.values.join("、"));
  const done = (event) => {
    event.preventDefault();
    apply(filterTo(field, "contains", [], part), t("chip.said.filter", { name: labelOf(field), words: t("chip.said.contains", { text: part.trim() }) }));
  };
  return html`<form onSubmit=${done}>
    <label class="field"><span>${t("chip.mode.contains")}</span><input type="text" value=${part} placeholder=${t("chip.part")} autocomplete="off" onInput=${(event) => setPart(event.target.value)} /></label>
    <${Apply} disabled=${!part.trim()} />
  </form>`;
}
