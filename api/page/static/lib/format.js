// Numbers, times and codes as people read them; numbers are handled as text, so that none loses a digit.
import { t } from "./words.js";

/** A number (decimal text, or a float) as sign and digits around the point; null where it is none. */
function parts(value) {
  const found = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(String(value));
  if (!found) return null;
  let [, sign, whole, rest, power = "0"] = found;
  for (let shift = Number(power); shift > 0; shift -= 1) { whole += rest[0] ?? "0"; rest = rest.slice(1); }
  for (let shift = Number(power); shift < 0; shift += 1) { rest = (whole.at(-1) ?? "0") + rest; whole = whole.slice(0, -1); }
  return { sign, whole: whole.replace(/^0+(?=\d)/, "") || "0", rest };
}

/** How many decimals (at most two) a number needs. */
export function decimals(value, percent = false) {
  const found = parts(percent ? `${value}`.replace(/e|$/i, (end) => (end ? "e0" : "e2")) : value);
  const rest = (found ? rounded(found).rest : "").replace(/0+$/, "");
  return rest.length;
}

function rounded({ sign, whole, rest }) {
  const digits = BigInt(whole + rest.padEnd(2, "0").slice(0, 2)) + (rest[2] >= "5" ? 1n : 0n);
  const text = String(digits).padStart(3, "0");
  return { sign: digits === 0n ? "" : sign, whole: text.slice(0, -2), rest: text.slice(-2) };
}

/** A number with thousands, two decimals at most (`keep`: exactly so many), percent for rates. */
export function number(value, percent = false, keep = null) {
  if (value === null || value === undefined) return "—";
  if (typeof value === "boolean") return String(value);
  const found = parts(value);
  if (!found) return String(value);
  if (percent) {
    const rest = found.rest.padEnd(2, "0");
    Object.assign(found, { whole: (found.whole + rest.slice(0, 2)).replace(/^0+(?=\d)/, ""), rest: rest.slice(2) });
  }
  const { sign, whole, rest } = rounded(found);
  const shown = keep === null ? rest.replace(/0+$/, "") : rest.slice(0, keep);
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (shown ? `.${shown}` : "") + (percent ? "%" : "");
}

/** A number for an axis: 万 and 亿, or K, M and B. */
export function brief(value, percent, lang) {
  if (percent) return number(value, true);
  const steps = t("number.steps", {}, lang).split(" ").map((step) => step.split("="));
  const [size, name] = steps.find(([least]) => Math.abs(value) >= Number(least)) ?? [1, ""];
  return number(Number((value / size).toPrecision(6))) + name;
}

/** A bucket of time by what people call it: 2026Q3; fiscal ones by their first month. */
export function bucket(start, grain) {
  const [year, month] = [start.slice(0, 4), Number(start.slice(5, 7))];
  if (grain === "year") return year;
  if (grain === "half") return `${year}H${month > 6 ? 2 : 1}`;
  if (grain === "quarter") return `${year}Q${Math.ceil(month / 3)}`;
  return start.slice(0, ["month", "fiscal_quarter", "fiscal_year"].includes(grain) ? 7 : 10);
}

const MONTHS = { month: 1, quarter: 3, half: 6, year: 12, fiscal_quarter: 3, fiscal_year: 12 };

/** The bucket after one. */
export function following(start, grain) {
  const day = new Date(`${start.slice(0, 10)}T00:00:00Z`);
  if (MONTHS[grain]) day.setUTCMonth(day.getUTCMonth() + MONTHS[grain]);
  else day.setUTCDate(day.getUTCDate() + (grain === "week" ? 7 : 1));
  return day.toISOString().slice(0, 10);
}
