// The turns that did not end as expected: both sides of each, by reason and by tag.
import { html, useState } from "../lib/view.js";
import { known, t } from "../lib/words.js";

export function Failures({ failures }) {
  const [code, setCode] = useState("");
  const [tag, setTag] = useState("");
  if (!failures.length) return html`<p class="all-right">${t("evaluations.all-right")}</p>`;
  const shown = failures.filter((item) => (!code || item.code === code) && (!tag || item.tags.includes(tag)));
  const codes = counted(failures.map((item) => item.code));
  const tags = counted(failures.flatMap((item) => item.tags));
  return html`<section class="failures">
    <h2>${t("evaluations.failures")}</h2>
    <div class="filters">
      <${Filter} label=${t("evaluations.reason")} any=${t("evaluations.any-reason")} value=${code} onValue=${setCode} options=${codes.map(([name, n]) => [name, `${reasonOf(name)} (${n})`])} />
      ${tags.length > 0 && html`<${Filter} label=${t("evaluations.tag")} any=${t("evaluations.any-tag")} value=${tag} onValue=${setTag} options=${tags.map(([name, n]) => [name, `${name} (${n})`])} />`}
      <span class="dim small" role="status">${t("evaluations.shown", { n: shown.length, all: failures.length })}</span>
    </div>
    ${shown.map((item) => html`<${Failure} key=${`${item.set} ${item.dialogue} ${item.turn} ${item.question}`} item=${item} />`)}
  </section>`;
}

const reasonOf = (code) => (known(`code.${code}`) ? t(`code.${code}`) : code);
const ended = (name) => (known(`ended.${name}`) ? t(`ended.${name}`) : name);

/** How often each is there, the most frequent first. */
function counted(names) {
  const found = new Map();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return [...found].sort((one, two) => two[1] - one[1]);
}

const Filter = ({ label, any, value, onValue, options }) => html`<select aria-label=${label} value=${value} onChange=${(event) => onValue(event.target.value)}>
  <option value="">${any}</option>${options.map(([name, text]) => html`<option key=${name} value=${name}>${text}</option>`)}</select>`;

function Failure({ item }) {
  return html`<details class="failure">
    <summary><span class="failure-question">${item.question}</span>
      <span class="failure-meta"><span class="tag reason" title=${item.code}>${reasonOf(item.code)}</span>${item.silent && html`<span class="tag silent">${t("evaluations.silent")}</span>`}
      <span class="dim small">${item.set} · ${item.dialogue} · ${t("turn.number", { n: item.turn })}</span></span></summary>
    <p class="small dim" lang="en">${item.words}</p>
    ${item.before.length > 0 && html`<p class="small dim">${t("evaluations.before")}：${item.before.join(" → ")}</p>`}
    <div class="sides">
      <section><h3>${t("evaluations.expected")}</h3><p><b>${item.expected.map(ended).join(" / ")}</b></p>
        <${Rows} rows=${item.gold} /><${Pairs} title=${t("evaluations.wanted")} pairs=${item.wanted.slots ?? item.wanted} /><${Sql} sql=${item.gold_sql} /></section>
      <section class="got"><h3>${t("evaluations.got")}</h3><p><b>${ended(item.outcome)}</b></p>
        ${item.text && html`<p class="small answer-text">${item.text}</p>`}
        ${item.offered.length > 0 && html`<ul class="offered">${item.offered.map((one) => html`<li key=${one}>${one}</li>`)}</ul>`}
        <${Rows} rows=${item.got} /><${Pairs} title=${t("evaluations.slots")} pairs=${item.slots} /><${Sql} sql=${item.sql} /></section>
    </div>
  </details>`;
}

function Rows({ rows }) {
  if (!rows) return null;
  return html`<div class="wide-table" tabindex="0"><table><thead><tr>${rows.columns.map((name) => html`<th key=${name}>${name}</th>`)}</tr></thead>
    <tbody>${rows.rows.map((row, index) => html`<tr key=${index}>${row.map((cell, at) => html`<td key=${at} class="tabular">${cell ?? html`<i class="dim">NULL</i>`}</td>`)}</tr>`)}</tbody></table></div>
    <p class="small dim">${t("evaluations.rows", { n: rows.count })}</p>`;
}

function Pairs({ title, pairs }) {
  const said = Object.entries(pairs).filter(([, value]) => value !== null && value !== false && !(typeof value === "object" && !Object.keys(value).length));
  if (!said.length) return null;
  return html`<details><summary class="small">${title}</summary><dl class="pairs small">${said.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd>`)}</dl></details>`;
}

const Sql = ({ sql }) => (sql ? html`<details><summary class="small">SQL</summary><pre class="failure-sql" tabindex="0"><code>${sql}</code></pre></details>` : null);
