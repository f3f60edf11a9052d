// The rows of an answer: a few figures, or a table and what can be drawn of it.
import { html, useId, useMemo, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { download } from "../lib/client.js";
import { grid, tsv } from "../lib/rows.js";
import { complain, say } from "../lib/store.js";
import { Chart } from "./chart.js";
import { Figures } from "./figure.js";
import { Icon } from "./icons.js";
import { Table } from "./table.js";

const LEGIBLE = 24; // groups that a drawing shows better than a table

export function Result({ turn }) {
  const { result } = turn;
  if (!result || !result.row_count || !result.rows.length) return null;
  const single = result.row_count === 1 && result.columns.some((one) => one.kind === "metric");
  return single ? html`<${Figures} turn=${turn} />` : html`<${Rows} turn=${turn} />`;
}

function Rows({ turn }) {
  const { chart } = turn.result;
  const [seen, see] = useState(chart && (chart.kind === "line" || groups(turn.result) <= LEGIBLE) ? "chart" : "table");
  const [order, setOrder] = useState(null);
  const table = useMemo(() => grid(turn), [turn.result]); // a part of a message is told anew each time, its result is not
  const id = useId();
  return html`<div class="result">
    <div class="bar">
      ${chart && html`<${Tabs} id=${id} seen=${seen} see=${see} />`}
      <span class="count dim small">${t("result.rows", { n: turn.result.row_count.toLocaleString("en") })}</span>
      <${Saving} turn=${turn} table=${table} />
    </div>
    <div ...${chart ? { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": `${id}-${seen}` } : {}}>
      ${seen === "chart" ? html`<${Chart} turn=${turn} />` : html`<${Table} turn=${turn} table=${table} order=${order} setOrder=${setOrder} />`}
    </div>
    ${seen === "table" && html`<p class="notes dim small">
      ${turn.result.truncated && html`<span>${t("result.capped", { n: turn.result.row_count.toLocaleString("en"), shown: turn.result.rows.length.toLocaleString("en") })}</span>`}
      ${turn.fresh_to && html`<span>${t("fresh", { date: turn.fresh_to })}</span>`}
    </p>`}
  </div>`;
}

function groups({ columns, rows, chart }) {
  const places = chart.x.map((id) => columns.findIndex((one) => one.id === id));
  return new Set(rows.map((row) => JSON.stringify(places.map((at) => row[at])))).size;
}

function Tabs({ id, seen, see }) {
  const names = ["chart", "table"];
  const move = (event) => {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const next = event.key === "Home" ? "chart" : event.key === "End" ? "table" : names[1 - names.indexOf(seen)];
    see(next);
    event.currentTarget.querySelector(`[data-tab=${next}]`).focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${t("result.views")} onKeyDown=${move}>
    ${names.map((name) => html`<button key=${name} role="tab" data-tab=${name} id=${`${id}-${name}`} aria-selected=${seen === name ? "true" : "false"}
      aria-controls=${`${id}-panel`} tabindex=${seen === name ? 0 : -1} onClick=${() => see(name)}><${Icon} name=${name} size=${16} />${t(`result.${name}`)}</button>`)}
  </div>`;
}

/** Take the rows away: copied, or all of them as a file. */
function Saving({ turn, table }) {
  const [busy, setBusy] = useState("");
  const save = async (format) => {
    setBusy(format);
    await download(`/v1/turns/${turn.turn_id}/rows?format=${format}&part=${turn.part ?? 0}`).catch(complain);
    setBusy("");
  };
  const copy = async () => {
    const done = await copied(tsv(turn, table, table.rows));
    say(done ? t("result.copied", { n: table.rows.length }) : t("result.uncopied"), done ? "info" : "bad");
  };
  const file = (format, name) => html`<button class="plain" title=${t(`result.${format}`)} aria-label=${t(`result.${format}`)} aria-busy=${busy === format ? "true" : undefined}
    disabled=${Boolean(busy)} onClick=${() => save(format)}><${Icon} name="file" size=${16} />${name}</button>`;
  return html`<div class="saving">
    <button class="plain" onClick=${copy} title=${t("result.copy")} aria-label=${t("result.copy")}><${Icon} name="copy" size=${16} /></button>
    ${turn.record_hash && html`${file("csv", "CSV")}${file("xlsx", "Excel")}`}
  </div>`;
}

/** Whether a text was put on the clipboard: by the API, else (a page without TLS has none) as it was done before. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    const before = document.activeElement;
    area.value = text;
    area.className = "sr";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    return done;
  }
}
