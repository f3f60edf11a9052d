// A drawing of the rows, by ECharts, which is loaded when the first one is shown.
import { html, useEffect, useMemo, useRef, useState } from "../lib/view.js";
import { lang, t } from "../lib/words.js";
import { number } from "../lib/format.js";
import { drawn } from "../lib/rows.js";
import { theme } from "../lib/store.js";
import { height, option } from "../lib/drawing.js";

let loaded = null;
const library = () => (loaded ??= import("../vendor/echarts.js").catch((error) => { loaded = null; throw error; }));

export function Chart({ turn }) {
  const { chart, columns } = turn.result;
  const [kind, setKind] = useState(chart.kind);
  const [state, setState] = useState("loading");
  const [width, setWidth] = useState(0);
  const box = useRef(null);
  const picture = useRef(null);
  const data = useMemo(() => drawn(turn), [turn.result]);
  const dark = useDark();
  const look = { kind, data, lang: lang.value, width, touch: matchMedia("(pointer: coarse)").matches };
  const tall = width ? height(look) : 300;
  const { scaled, across } = width ? option(look) : {};
  useEffect(() => {
    const seen = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
    seen.observe(box.current);
    return () => { seen.disconnect(); picture.current?.dispose(); picture.current = null; };
  }, []);
  useEffect(() => {
    if (!width) return undefined;
    let gone = false;
    library().then((echarts) => {
      if (gone) return;
      picture.current ??= echarts.init(box.current, null, { renderer: "svg" });
      picture.current.resize({ width, height: tall });
      picture.current.setOption(option(look, colours(box.current)).option, true);
      setState("done");
    }).catch(() => { if (!gone) setState("failed"); });
    return () => { gone = true; };
  }, [kind, data, dark, lang.value, width, tall]);
  const left = columns.filter((one) => ["metric", "base"].includes(one.kind) && !chart.values.includes(one.id));
  return html`<figure class="chart">
    ${chart.kinds.length > 1 && html`<div class="kinds" role="group" aria-label=${t("chart.kind")}>${chart.kinds.map((one) => html`<button key=${one} class="pill" aria-pressed=${kind === one ? "true" : "false"} onClick=${() => setKind(one)}>${t(`chart.${one}`)}</button>`)}</div>`}
    <div class="canvas" role="img" aria-label=${summary(turn, kind, data)} style=${{ height: `${tall}px` }} data-state=${state}>
      <div ref=${box} class="drawing"></div>
      ${state !== "done" && html`<p class="waiting dim small">${t(`chart.${state}`)}</p>`}
    </div>
    <figcaption class="notes dim small">
      ${turn.fresh_to && html`<span>${t("fresh", { date: turn.fresh_to })}</span>`}
      ${across && data.column.unit && html`<span>${t("chart.unit", { unit: data.column.unit })}</span>`}
      ${data.partial.some(Boolean) && html`<span>* ${t("chart.partial", { names: data.groups.filter((_, index) => data.partial[index]).join("、") })}</span>`}
      ${scaled && html`<span>${t("chart.scaled")}</span>`}
      ${left.length > 0 && html`<span>${t("chart.only", { names: metrics(turn) })}</span>`}
    </figcaption>
  </figure>`;
}

/** The names of what is drawn. */
const metrics = ({ result: { chart, columns } }) => chart.values.map((id) => columns.find((one) => one.id === id).label).join("、");

/** A drawing in words, for those who do not see it. */
function summary(turn, kind, data) {
  const text = t("chart.label", { kind: t(`chart.${kind}`), names: metrics(turn), n: data.groups.length });
  if (data.series.length > 1) return text;
  const known = data.groups.map((name, index) => [name, data.series[0].figures[index]]).filter(([, figure]) => figure !== null);
  if (!known.length) return text;
  const by = [...known].sort((one, other) => Number(one[1]) - Number(other[1]));
  const told = ([name, figure]) => `${name} ${number(figure, data.percent)}`;
  return text + t("chart.ends", { high: told(by.at(-1)), low: told(by[0]) });
}

/** The colours of the theme, as the box has them. */
function colours(box) {
  const style = getComputedStyle(box);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return { series: Array.from({ length: 12 }, (_, index) => of(`series-${index + 1}`)), ink: of("ink"), dim: of("ink-2"), line: of("line"), paper: of("paper"), base: of("series-base"), font: style.fontFamily };
}

/** Whether the page is dark: drawings have their colours from it when they are made. */
function useDark() {
  const asked = matchMedia("(prefers-color-scheme: dark)");
  const [system, setSystem] = useState(asked.matches);
  useEffect(() => {
    const changed = () => setSystem(asked.matches);
    asked.addEventListener("change", changed);
    return () => asked.removeEventListener("change", changed);
  }, []);
  return theme.value === "dark" || (theme.value === "auto" && system);
}
