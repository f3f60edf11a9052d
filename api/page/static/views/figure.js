// One row as large figures, each with its unit and what it is compared with.
import { html } from "../lib/view.js";
import { t } from "../lib/words.js";
import { number } from "../lib/format.js";
import { cell, grid } from "../lib/rows.js";

export function Figures({ turn }) {
  const { columns, rows: [row] } = turn.result;
  const table = grid(turn);
  const names = table.columns.filter((one) => !one.numeric).map((one) => cell(turn, table, table.rows[0], one));
  const at = (id) => { const index = columns.findIndex((one) => one.id === id); return index < 0 ? undefined : row[index]; };
  const metrics = columns.filter((one) => one.kind === "metric");
  return html`<div class="figures" data-count=${metrics.length}>
    ${names.length > 0 && html`<p class="whose">${names.join(" · ")}</p>`}
    <dl>${metrics.map((column) => html`<${Figure} key=${column.id} turn=${turn} column=${column} at=${(part) => at(part ? `${column.id}__${part}` : column.id)} />`)}</dl>
    ${turn.fresh_to && html`<p class="notes dim small"><span>${t("fresh", { date: turn.fresh_to })}</span></p>`}
  </div>`;
}

function Figure({ turn, column, at }) {
  const percent = column.format === "percent";
  const value = at();
  const share = at("share");
  return html`<div class="figure">
    <dt>${column.label}</dt>
    <dd class="large tabular">${value === null ? html`<span class="none">${t("figure.none")}</span>` : html`${number(value, percent)}${column.unit && html` <span class="unit">${column.unit}</span>`}`}</dd>
    ${share !== undefined && share !== null && html`<dd class="beside">${t("figure.share", { share: number(share, true) })}</dd>`}
    ${at("base") !== undefined && html`<${Compared} turn=${turn} column=${column} percent=${percent} base=${at("base")} diff=${at("diff")} change=${at("change")} />`}
  </div>`;
}

/** A comparison: which way it went, by how much; a rate by points too. What has no base cannot be computed. */
function Compared({ turn, column, percent, base, diff, change }) {
  const way = diff === null || diff === undefined ? null : Math.sign(Number(diff));
  const sign = way === null ? "" : way > 0 ? "▲" : way < 0 ? "▼" : "＝";
  const bare = (text) => number(text, percent).replace(/^-/, "");
  const amount = way === null ? "" : percent ? t("figure.points", { n: bare(diff).replace("%", "") }) : `${bare(diff)}${column.unit ? ` ${column.unit}` : ""}`;
  const rate = change === null || change === undefined ? t("figure.incomputable") : number(change, true).replace(/^-/, "");
  const [first, second] = percent ? [amount, rate] : [rate, amount];
  const against = turn.chips.find((chip) => chip.key === "comparison")?.words ?? t("figure.base");
  return html`<dd class="beside tabular">
    <span class=${`way ${way > 0 ? "up" : way < 0 ? "down" : ""}`}>${way === null ? t("figure.incomputable") : html`<span aria-hidden="true">${sign}</span> ${t(way > 0 ? "figure.up" : way < 0 ? "figure.down" : "figure.same")}
      ${way !== 0 && html` ${first}<span class="dim">（${second}）</span>`}`}</span>
    <span class="dim">${against} ${base === null ? t("figure.none") : `${number(base, percent)}${column.unit ? ` ${column.unit}` : ""}`}</span>
  </dd>`;
}
