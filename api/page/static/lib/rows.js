// The rows of a result as they are shown: which columns, cells in words, their order, and what is copied.
import { bucket, decimals, following, number } from "./format.js";
import { t } from "./words.js";

const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/;
export const NUMBERS = new Set(["metric", "base", "diff", "change", "share"]);

/**
 * What is shown of a turn's result: `columns` with their place in a row, `rows` with their place in the answer and
 * what they are (`mark`: the name of a row that is no group).
 */
export function grid(turn) {
  const { columns, rows } = turn.result;
  const named = new Set(columns.filter((one) => one.kind === "label").map((one) => one.id.replace(/__label$/, "")));
  const marks = columns.map((one, index) => [one, index]).filter(([one]) => one.kind === "mark");
  const shown = columns.map((one, index) => ({ ...one, index, percent: one.format === "percent", numeric: isNumber(one, index, rows) }))
    .filter((one) => one.kind !== "mark" && !(one.kind === "value" && named.has(one.id)) && !(one.kind === "diff" && !one.percent));
  for (const one of shown) {
    one.keep = one.numeric ? rows.reduce((most, row) => Math.max(most, row[one.index] === null ? 0 : decimals(row[one.index], one.percent)), 0) : 0;
  }
  const marked = rows.map((row, at) => ({ row, at, mark: marks.find(([, index]) => row[index])?.[0] ?? null }));
  return { columns: shown, rows: marked };
}

const isNumber = (column, index, rows) => NUMBERS.has(column.kind) || column.kind === "attribute" && (Boolean(column.unit)
  || rows.some((row) => typeof row[index] === "number") && rows.every((row) => row[index] === null || typeof row[index] === "number"));

/** A cell in words; the first empty name of a row that is no group is what it is. */
export function cell(turn, table, item, column) {
  const value = item.row[column.index];
  if (value === null && item.mark && !NUMBERS.has(column.kind)) {
    const first = table.columns.find((one) => !NUMBERS.has(one.kind) && item.row[one.index] === null);
    return first === column ? item.mark.label : "";
  }
  return words(turn, column, value);
}

function words(turn, column, value) {
  if (column.kind === "bucket" && value !== null) return bucket(String(value), column.format);
  if (column.kind === "value" || column.kind === "label") {
    return value === null ? t("result.unknown", {}, turn.lang) : turn.result.labels?.[column.id]?.[String(value)] ?? String(value);
  }
  if (column.kind === "diff" && value !== null) { // of rates: in points, so that nobody takes it for a relative change
    return t("figure.points", { n: number(value, true).replace("%", "") }, turn.lang);
  }
  if (column.numeric ?? NUMBERS.has(column.kind)) {
    return number(value, column.percent ?? column.format === "percent", column.keep || null);
  }
  return value === null ? "—" : typeof value === "boolean" ? t(`result.${value}`, {}, turn.lang) : String(value).replace(MOMENT, "$1 $2");
}

/** Rows in the order of a column (`down` or up): what has no value comes last, and the total after all. */
export function sorted(turn, table, { column, down }) {
  const kind = (item) => (item.mark ? 2 : item.row[column.index] === null ? 1 : 0);
  const collator = new Intl.Collator(turn.lang === "zh" ? "zh-CN" : "en", { numeric: true });
  const keys = new Map(table.rows.map((item) => [item, column.numeric ? Number(item.row[column.index]) : cell(turn, table, item, column)]));
  return [...table.rows].sort((one, other) => {
    const apart = kind(one) - kind(other);
    if (apart || kind(one)) return apart || one.at - other.at;
    const [a, b] = [keys.get(one), keys.get(other)];
    const order = column.numeric ? a - b : collator.compare(a, b);
    return (down ? -order : order) || one.at - other.at;
  });
}

/** The head of a column with its unit. */
export const head = (column) => column.label + (column.unit ? ` (${column.unit})` : "");

/** Rows to be pasted into a spreadsheet: exact numbers, and no text that would be run as a formula. */
export function tsv(turn, table, rows) {
  const clean = (text) => text.replace(/[\t\r\n]+/g, " ").replace(/^[=+\-@]/, "'$&");
  const line = (item) => table.columns.map((column) => {
    const value = item.row[column.index];
    return column.numeric ? (value === null ? "" : String(value)) : clean(cell(turn, table, item, column));
  }).join("\t");
  return [table.columns.map((column) => clean(head(column))).join("\t"), ...rows.map(line)].join("\n");
}

/** What is drawn: the names of the groups, and for each line or set of bars its name and figures (as they came). */
export function drawn(turn) {
  const { columns, rows, chart } = turn.result;
  const at = Object.fromEntries(columns.map((one, index) => [one.id, index]));
  const mark = (id, row) => (id in at && row[at[id]] ? columns[at[id]].label : null);
  const name = (path, row) => {
    const others = path.every((id) => row[at[id]] === null) && mark("others_", row);
    return others || path.map((id) => words(turn, columns[at[`${id}__label`] ?? at[id]], row[at[`${id}__label`] ?? at[id]])).join(" · ");
  };
  const kept = rows.filter((row) => !mark("total_", row));
  const timed = chart.x[0] === "bucket";
  const groups = new Map();
  const series = new Map();
  for (const row of kept) {
    const group = timed ? row[at.bucket] : name(chart.x, row);
    if (!groups.has(group)) groups.set(group, name(chart.x, row));
    for (const value of chart.values) {
      const column = columns[at[value]];
      const key = chart.series.length ? name(chart.series, row) : column.label;
      if (!series.has(key)) series.set(key, { name: key, base: column.kind === "base", figures: new Map() });
      series.get(key).figures.set(group, row[at[value]]);
    }
  }
  let keys = [...groups.keys()];
  if (timed && chart.kinds.includes("line")) keys = whole(keys, columns[at.bucket].format);
  const column = columns[at[chart.values[0]]];
  return {
    column, timed, percent: column.format === "percent", partial: keys.map((key) => chart.partial.includes(key)),
    groups: keys.map((key) => groups.get(key) ?? bucket(key, columns[at.bucket].format)),
    series: [...series.values()].map((one) => ({ ...one, figures: keys.map((key) => one.figures.get(key) ?? null) })),
  };
}

/** Buckets in the order of time, those without facts between them too: a line has a gap there. */
function whole(keys, grain) {
  const found = [...keys].sort();
  const all = [];
  for (let key = found[0].slice(0, 10); key <= found.at(-1) && all.length < 800; key = following(key, grain)) all.push(key);
  return found.every((key) => all.includes(key)) ? all : found;
}
