// Periods of a turn, `[from, to)`, as the days they are.
import { last, rangesOf } from "./edits.js";
import { t } from "./words.js";

/** The days of a period in short, years only where they are not the one of `asOf`; empty where its words tell the days already. */
export function daysInWords(time, words, asOf, lang) {
  if (!time || /\d{4}-\d\d-\d\d/.test(words)) return "";
  const year = (asOf ?? "").slice(0, 4);
  const ranges = rangesOf(time);
  if (ranges.length > 3) return "";
  return ranges.map(([from, to]) => span(from, to, year, lang)).join(t("comma", {}, lang));
}

function span(from, to, year, lang) {
  const [first, end] = [from && told(from, year, lang), to && told(last(to), year, lang)];
  if (to && to.includes("T")) return `${told(from, year, lang)} ${from.slice(11, 16)}–${to.slice(11, 16)}`;
  if (!first) return t("days.to", { day: end }, lang);
  if (!end) return t("days.from", { day: first }, lang);
  return first === end ? first : `${first}–${end}`;
}

function told(day, year, lang) {
  const format = { month: lang === "zh" ? "long" : "short", day: "numeric", timeZone: "UTC", ...(day.startsWith(year) ? {} : { year: "numeric" }) };
  return new Intl.DateTimeFormat(lang === "zh" ? "zh-CN" : "en-GB", format).format(new Date(`${day.slice(0, 10)}T00:00:00Z`));
}
