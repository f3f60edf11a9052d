// What the catalogue offers a turn: first what its own object has, then the rest where that makes sense.
import { lang, t } from "./words.js";
import { catalogue } from "./store.js";
import { parsed } from "./edits.js";

/** Names side by side, as the language writes them. */
export const listed = (names) => names.join(lang.value === "zh" ? "、" : ", ");

/** The object that a turn is about. */
export const objectOf = (turn) => catalogue.value.objects.find((item) => item.id === turn.slots.object);

const pick = (item) => ({ value: item.id, label: item.label, words: item.words, hint: item.description });

/** All metrics, those of the turn's object first. */
export function metricGroups(turn) {
  const { objects, metrics } = catalogue.value;
  const own = objects.filter((item) => item.id === turn.slots.object);
  const others = objects.filter((item) => item.id !== turn.slots.object);
  return [...own, ...others].map((item) => ({ name: item.label, items: metrics.filter((metric) => metric.object === item.id).map(pick) }));
}

/** Metrics of the turn's object. */
export const ownMetrics = (turn) => catalogue.value.metrics.filter((item) => item.object === turn.slots.object);

/** Dimensions of the turn's object; of all metrics' objects where there are several. */
export function dimensionsOf(turn) {
  const { objects, dimensions, metrics } = catalogue.value;
  const asked = new Set([turn.slots.object, ...metrics.filter((item) => turn.slots.metrics.includes(item.id)).map((item) => item.object)]);
  const shared = objects.filter((item) => asked.has(item.id)).map((item) => new Set(item.dimensions));
  return dimensions.filter((item) => shared.length && shared.every((names) => names.has(item.id)));
}

export const dimensionGroups = (turn) => [{ name: "", items: dimensionsOf(turn).map((item) => pick({ ...item, description: "" })) }];

/** What can be limited: dimensions, then values of single rows. */
export function fieldGroups(turn) {
  const attributes = objectOf(turn)?.attributes ?? [];
  return [
    { name: t("slot.dimensions"), items: dimensionsOf(turn).map((item) => pick({ ...item, description: "" })) },
    { name: t("chip.add.attributes"), items: attributes.map((item) => ({ value: item.id, label: item.label })) },
  ];
}

/** What a number of a metric or an attribute is measured in, to stand beside it. */
export function unitOf(item) {
  if (item.percent) return "%";
  const key = `unit.${item.unit}`;
  const told = item.unit ? t(key) : "";
  return told === key ? item.unit : told;
}

/** A chip in words: as the service says it, and for an order by what. */
export function wordsOf(chip, turn) {
  if (chip.key !== "order" || !turn.slots.order.length) return chip.words;
  return `${labelOf(turn.slots.order[0].split(" ")[0])} ${chip.words}`.trim();
}

/** The label of a metric, a dimension or an attribute in the catalogue. */
export function labelOf(name) {
  const { metrics = [], dimensions = [], objects = [] } = catalogue.value ?? {};
  const found = [...metrics, ...dimensions].find((item) => item.id === name)
    ?? objects.flatMap((item) => item.attributes).find((item) => item.id === name);
  return found?.label ?? name;
}

/** What a chip is about: its slot, or the field it limits. */
export function slotName(key) {
  const { slot, field } = parsed(key);
  return slot === "filters" ? labelOf(field) : t(`slot.${slot}`);
}
