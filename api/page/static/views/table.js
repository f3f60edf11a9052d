// A table in a box of its own: its head stays, and so does its first column; a click on a head sorts.
import { html, useEffect, useMemo, useRef, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { cell, head, sorted } from "../lib/rows.js";

const STEP = 100; // rows that are drawn at once
const LONG = 24; // characters of a cell that may be broken into lines

/** `order`: null for the answer's own, or {id, down}. */
export function Table({ turn, table, order, setOrder }) {
  const [most, setMost] = useState(STEP);
  const box = useRef(null);
  const wide = useOverflow(box);
  const column = order && table.columns.find((one) => one.id === order.id);
  const rows = useMemo(() => (column ? sorted(turn, table, { column, down: order.down }) : table.rows), [table, order]);
  const shown = rows.slice(0, most);
  const next = Math.min(STEP, rows.length - shown.length);
  return html`<div class=${`tbox ${wide ? "wide-table" : ""}`} ref=${box} tabindex="0" role="region" aria-label=${t("result.table")}>
      <table>
        <caption class="sr">${t("result.caption", { question: turn.completed_question, n: turn.result.row_count })}</caption>
        <thead><tr>${table.columns.map((one) => html`<${Head} key=${one.id} column=${one} order=${order} setOrder=${setOrder} />`)}</tr></thead>
        <tbody>${shown.map((item) => html`<${Line} key=${item.at} turn=${turn} table=${table} item=${item} />`)}</tbody>
      </table>
    </div>
    ${rows.length > STEP && html`<p class="more-rows small">
      <span class="dim" role="status">${t("result.left", { shown: shown.length.toLocaleString("en"), n: rows.length.toLocaleString("en") })}</span>
      ${next > 0 && html`<button class="pill" onClick=${() => setMost(most + STEP)}>${t("result.more", { n: next })}</button>`}
    </p>`}`;
}

function Head({ column, order, setOrder }) {
  const down = order?.id === column.id ? order.down : null;
  const first = column.numeric; // numbers from the highest, names from the first
  const turn = () => setOrder(down === null ? { id: column.id, down: first } : down === first ? { id: column.id, down: !first } : null);
  return html`<th scope="col" class=${column.numeric ? "number" : ""} aria-sort=${down === null ? undefined : down ? "descending" : "ascending"}>
    <button class="plain" onClick=${turn} title=${t("result.sort", { name: head(column) })}>
      <span>${column.label}${column.unit && html` <span class="unit">${column.unit}</span>`}</span><span class="arrow" aria-hidden="true">${down === null ? "" : down ? "↓" : "↑"}</span>
    </button></th>`;
}

function Line({ turn, table, item }) {
  return html`<tr class=${item.mark ? "marked" : ""}>${table.columns.map((column, index) => {
    const text = cell(turn, table, item, column);
    const none = item.row[column.index] === null && !item.mark;
    const kind = `${column.numeric ? "number" : ""} ${none ? "none" : ""} ${text.length > LONG ? "long" : ""}`.trim() || undefined;
    return index === 0 && !column.numeric ? html`<th scope="row" class=${kind}><span class="name">${text}</span></th>` : html`<td class=${kind}>${text}</td>`;
  })}</tr>`;
}

/** Whether what a box holds is wider than it. */
function useOverflow(box) {
  const [wide, setWide] = useState(false);
  useEffect(() => {
    const look = new ResizeObserver(() => { if (box.current) setWide(box.current.scrollWidth > box.current.clientWidth + 1); });
    look.observe(box.current);
    look.observe(box.current.firstElementChild);
    return () => look.disconnect();
  }, []);
  return wide;
}
