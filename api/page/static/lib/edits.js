// From a chip, or what was picked in an editor, to the edits that a turn is asked for. Nothing here has looks.

const ORDER = ["metrics", "dimensions", "filters", "having", "time", "grain", "comparison", "order", "limit"];
const KEPT = new Set(["metrics", "rows", "object", "shown", "counted", "lifted"]); // that cannot be let go by a click

/** `filters.park_id` → `{slot: "filters", field: "park_id"}`. */
export function parsed(key) {
  const at = key.indexOf(".");
  return at < 0 ? { slot: key, field: "" } : { slot: key.slice(0, at), field: key.slice(at + 1) };
}

const rank = (chip) => { const at = ORDER.indexOf(parsed(chip.key).slot); return at < 0 ? ORDER.length : at; };

/** Chips as they are read: what, of which, when, compared with what, in which order. */
export const ordered = (chips) => [...chips].sort((one, other) => rank(one) - rank(other));

/** The edits that let go of a chip; null where it cannot be. */
export function removal(chip) {
  const { slot, field } = parsed(chip.key);
  if (chip.source === "policy" || KEPT.has(slot) || slot === "time" && chip.source === "default") return null;
  return [field ? { slot, op: "clear", value: field } : { slot, op: "clear" }];
}

/** Metrics, the picked ones in the place of those before. */
export const metricsTo = (picked) => [{ slot: "metrics", op: "set", value: picked }];

/** Dimensions, the picked ones in the place of those before; none: not grouped. */
export const dimensionsTo = (picked) => [picked.length ? { slot: "dimensions", op: "set", value: picked } : { slot: "dimensions", op: "clear" }];

/** One more dimension or metric beside those there are. */
export const added = (slot, name) => [{ slot, op: "add", value: [name] }];

/**
 * A filter on a field. `mode`: only (these values), not (all but these), contains (a part of the name), missing (no value).
 * Without values or text there is no filter.
 */
export function filterTo(field, mode, picked, text = "") {
  const part = text.trim();
  const test = mode === "missing" ? { null: true }
    : mode === "contains" ? part && { contains: part }
    : picked.length && (mode === "not" ? { not: picked } : picked);
  return test ? [{ slot: "filters", op: "set", value: { [field]: test } }] : [{ slot: "filters", op: "clear", value: field }];
}

/** What a filter in the short form is: `{mode, values, text}`. */
export function filterOf(test) {
  if (Array.isArray(test)) return { mode: "only", values: test, text: "" };
  if (test?.not) return { mode: "not", values: test.not, text: "" };
  if (test?.contains !== undefined) return { mode: "contains", values: [], text: test.contains };
  if (test?.null === true) return { mode: "missing", values: [], text: "" };
  return { mode: "only", values: [], text: "" };
}

/** How a number is compared, and which bounds it has. */
export const COMPARED = ["gte", "gt", "lte", "lt", "between"];

/** Bounds in the short form → `{how, low, high}`, numbers as they are typed (in percent where they are). */
export function boundsOf(test, percent) {
  const told = (value) => (value === undefined ? "" : percent ? shifted(value, 2) : String(value));
  const low = test?.gte ?? test?.gt;
  const high = test?.lte ?? test?.lt;
  const how = low !== undefined && high !== undefined ? "between" : COMPARED.find((name) => test && name in test) ?? "gte";
  return how === "between" ? { how, low: told(low), high: told(high) } : { how, low: told(low ?? high), high: "" };
}

/** Bounds as typed → in the short form; null where a number is missing or is none. */
export function boundsTo(how, low, high, percent) {
  const given = how === "between" ? [low, high] : [low];
  const numbers = given.map(number);
  if (numbers.some((one) => one === null)) return null;
  const [one, other] = percent ? numbers.map((value) => shifted(value, -2)) : numbers;
  if (how !== "between") return { [how]: one };
  return Number(one) > Number(other) ? null : { gte: one, lte: other };
}

/** A number as it was typed, as plain digits; null where it is none. */
export function number(text) {
  const plain = String(text).normalize("NFKC").replace(/[,\s_]/g, "").replace(/%$/, "");
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? plain.replace(/^\+/, "") : null;
}

/** A decimal with its point moved, exactly: no floats touch what is compared. */
export function shifted(text, places) {
  const [, sign, whole, rest = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text)) ?? [];
  if (whole === undefined) return String(text);
  const digits = places > 0 ? (rest.padEnd(places, "0")) : whole.padStart(1 - places, "0");
  const [left, right] = places > 0
    ? [whole + digits.slice(0, places), digits.slice(places)]
    : [digits.slice(0, places), digits.slice(places) + rest];
  const tail = right.replace(/0+$/, "");
  return `${sign}${left.replace(/^0+(?=\d)/, "")}${tail ? `.${tail}` : ""}`;
}

/** A number of an attribute, or of a metric as a condition on groups; without bounds there is none. */
export const rangeTo = (field, bounds) => [{ slot: "filters", op: "set", value: { [field]: bounds } }];
export const havingTo = (metric, bounds) => [{ slot: "having", op: "set", value: { [metric]: bounds } }];

/** The day after, in ISO: ranges end before it. */
export const next = (day) => moved(day, 1);
/** The last day of a range that ends before a day. */
export const last = (day) => moved(day, -1);

function moved(day, by) {
  const date = new Date(`${day.slice(0, 10)}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + by);
  return date.toISOString().slice(0, 10);
}

/** Days from … to (included; either may be empty) → `[from, to)`; null where they are no span. */
export function daysTo(from, to) {
  if (!from && !to || from && to && from > to) return null;
  return [from || null, to ? next(to) : null];
}

/** `[from, to)` or a list of such → a list. */
export const rangesOf = (time) => (!time ? [] : Array.isArray(time[0]) ? time : [time]);

export const timeTo = (value) => [{ slot: "time", op: "set", value }];
export const comparisonTo = (kind) => [kind ? { slot: "comparison", op: "set", value: kind } : { slot: "comparison", op: "clear" }];
export const grainTo = (grain) => [grain ? { slot: "grain", op: "set", value: grain } : { slot: "grain", op: "clear" }];
export const orderTo = (by, down) => [{ slot: "order", op: "set", value: `${by} ${down ? "desc" : "asc"}` }];
export const limitTo = (count) => [{ slot: "limit", op: "set", value: count }];
export const flagTo = (slot) => [{ slot, op: "set", value: true }];

/** `receivable_amount desc` → `{by, down}`. */
export function orderOf(slots) {
  const [by = "", way = "desc"] = (slots.order[0] ?? "").split(" ");
  return { by: by || slots.metrics[0] || slots.dimensions[0] || "", down: way !== "asc" };
}
