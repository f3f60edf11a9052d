// What ECharts is told: the option of a drawing, from its data and the room there is.
import { brief, number } from "./format.js";
import { t } from "./words.js";

const SYMBOLS = ["circle", "rect", "triangle", "diamond", "path://M3.5 0h3v3.5H10v3H6.5V10h-3V6.5H0v-3h3.5z", "path://M0 0h10L5 10z"];
const DASHES = ["solid", [6, 4], [2, 3], [10, 3, 2, 3]];
const LONGEST = 132; // pixels of a name beside a bar
const FLAT = 0.25; // lines that vary less than this would be flat over an axis from 0

const wide = (text) => [...text].reduce((sum, char) => sum + (char > "\u2e7f" ? 12 : 7), 0);

/** Whether bars lie: their names are too long to stand below them. */
const lying = ({ kind, data, width }) => kind !== "line" && !data.timed
  && Math.max(...data.groups.map(wide)) + 12 > (width - 70) / data.groups.length;

/** How many lines of the legend there are; beyond three it is paged. */
function lines({ kind, data, width }) {
  if (data.series.length < 2) return 0;
  let [count, left] = [1, width];
  for (const one of data.series) {
    const room = wide(one.name) + (kind === "line" ? 46 : 34);
    if (room > left) { count += 1; left = width; }
    left -= room;
  }
  return Math.min(count, count > 3 ? 1 : 3);
}

const bars = ({ kind, data }) => data.groups.length * (kind === "grouped" ? data.series.length : 1);

/** How tall a drawing is, in pixels. */
export function height(look) {
  const legend = lines(look) * 24 + (lines(look) ? 10 : 0);
  if (!lying(look)) return (look.width < 480 ? 260 : 300) + legend;
  return Math.max(150, bars(look) * (look.kind === "grouped" ? 14 : 22) + look.data.groups.length * 8 + 60) + legend;
}

/** Whether all groups are days of one year, which need not be told each time. */
const oneYear = ({ timed, groups }) => timed && groups.every((name) => /^\d{4}-\d\d-\d\d$/.test(name) && name.slice(0, 4) === groups[0].slice(0, 4));

/** The `option`; whether its axis is `scaled` (it does not begin at 0), and whether bars lie `across`. */
export function option(look, colours = null) {
  const { kind, data, lang } = look;
  const scaled = kind === "line" && flat(data);
  const across = lying(look);
  if (!colours) return { scaled, across };
  const legend = lines(look);
  const text = { color: colours.dim, fontFamily: colours.font, fontSize: 12 };
  const short = oneYear(data) ? 5 : 0;
  const names = data.groups.map((name, index) => name.slice(short) + (data.partial[index] ? " *" : ""));
  const category = {
    type: "category", data: names, inverse: across, boundaryGap: kind !== "line",
    axisLabel: { ...text, ...(across ? { width: LONGEST, overflow: "truncate", interval: 0 } : { interval: kind !== "line" && !data.timed ? 0 : every(names, look.width), ...(kind === "line" ? { alignMinLabel: "left", alignMaxLabel: "right" } : {}) }) },
    axisLine: { lineStyle: { color: colours.line } }, axisTick: { show: false },
  };
  const value = {
    type: "value", scale: scaled, name: across ? "" : data.column.unit ?? "", nameTextStyle: { ...text, align: "left" }, nameGap: 12, axisLabel: { ...text, hideOverlap: true, formatter: (amount) => brief(amount, data.percent, lang) },
    splitNumber: look.width < 480 ? (across ? 2 : 3) : 5, splitLine: { lineStyle: { color: colours.line } },
  };
  return { scaled, across, option: {
    animation: false,
    textStyle: { fontFamily: colours.font },
    aria: { enabled: true, label: { enabled: false }, decal: { show: kind !== "line" && data.series.length > 8, decals: decals(colours) } },
    grid: { left: 8, right: across ? 28 : 16, top: (legend ? legend * 24 + 16 : 14) + (data.column.unit && !across ? 18 : 0), bottom: 6, containLabel: true },
    legend: legend ? { type: legend === 1 ? "scroll" : "plain", top: 0, left: 0, right: 0, textStyle: { ...text, color: colours.ink }, pageTextStyle: text, pageIconColor: colours.dim, pageIconInactiveColor: colours.line, itemWidth: kind === "line" ? 26 : 14, itemHeight: 10 } : { show: false },
    tooltip: tooltip(look, colours),
    [across ? "yAxis" : "xAxis"]: category,
    [across ? "xAxis" : "yAxis"]: value,
    series: data.series.map((one, index) => series(look, one, index, colours)),
  } };
}

/** Which names stand below an axis, so that none overlap: the last one always does. */
function every(names, width) {
  const step = Math.ceil(names.length * (Math.max(...names.map(wide)) + 22) / Math.max(width - 80, 1));
  return (index) => (names.length - 1 - index) % step === 0;
}

/** Lines whose ups and downs would not be seen over an axis from 0. */
function flat(data) {
  const figures = data.series.flatMap((one) => one.figures).filter((figure) => figure !== null).map(Number);
  const [low, high] = [Math.min(...figures), Math.max(...figures)];
  return low > 0 && high > low && (high - low) / high < FLAT;
}

function series({ kind, data }, one, index, colours) {
  const color = one.base ? colours.base : colours.series[index % colours.series.length];
  const points = one.figures.map((figure, at) => {
    const point = figure === null ? "-" : Number(figure);
    if (!data.partial[at] || point === "-") return point;
    return { value: point, ...(kind === "line" ? { symbolSize: 9, itemStyle: { color: colours.paper, borderColor: color, borderWidth: 2 } } : { itemStyle: { opacity: 0.55 } }) };
  });
  const shared = { name: one.name, data: points, color, emphasis: { disabled: true } };
  if (kind === "line") {
    const dash = one.base ? [5, 4] : DASHES[Math.floor(index / SYMBOLS.length) % DASHES.length];
    return { ...shared, type: "line", connectNulls: false, symbol: SYMBOLS[index % SYMBOLS.length], symbolSize: data.groups.length > 40 ? 0 : 7, showAllSymbol: true, lineStyle: { width: 2, type: dash } };
  }
  const last = index === data.series.length - 1;
  return { ...shared, type: "bar", stack: kind === "stacked" ? "all" : undefined, barMaxWidth: 36, barGap: "10%", barCategoryGap: "28%",
    itemStyle: { borderRadius: kind === "stacked" && !last ? 0 : 2, ...(kind === "stacked" ? { borderColor: colours.paper, borderWidth: 1 } : {}) } };
}

const decals = ({ paper }) => [
  { symbol: "none" },
  { color: paper, dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4 },
  { color: paper, symbol: "circle", dashArrayX: [[6, 6], [0, 6, 6, 0]], dashArrayY: [5, 0], symbolSize: 0.5 },
  { color: paper, dashArrayX: [1, 0], dashArrayY: [3, 6], rotation: Math.PI / 4 },
].map((one) => ({ ...one, color: paper && `color-mix(in srgb, ${paper} 55%, transparent)` }));

/** Exact figures on a touch; drawn as text, so that no name is ever taken for markup. */
function tooltip({ data, kind, width }, colours) {
  const unit = data.column.unit ? ` ${data.column.unit}` : "";
  return {
    trigger: "axis", triggerOn: "mousemove|click", renderMode: "richText", confine: true,
    axisPointer: { type: kind === "line" ? "line" : "shadow", lineStyle: { color: colours.dim }, shadowStyle: { color: colours.dim, opacity: 0.1 } },
    backgroundColor: colours.paper, borderColor: colours.line, textStyle: { color: colours.ink, fontFamily: colours.font, fontSize: width < 480 ? 12 : 13, lineHeight: 19 },
    formatter: (found) => {
      const at = found[0].dataIndex;
      const lines = found.map((point) => {
        const figure = data.series[point.seriesIndex].figures[at];
        const amount = figure === null ? "—" : number(figure, data.percent) + unit;
        return `${plain(point.marker)}${data.series.length > 1 || data.column.label ? `${data.series[point.seriesIndex].name}  ` : ""}${amount}`;
      });
      return [data.partial[at] ? t("chart.partial", { names: data.groups[at] }) : data.groups[at], ...lines].join("\n");
    },
  };
}

const plain = (marker) => (typeof marker === "string" ? marker : "");
