// A recorded turn taken again: the same as then, or what is not, told for people who read no programs.
import { html, useState } from "../lib/view.js";
import { known, t } from "../lib/words.js";
import { call } from "../lib/client.js";
import { catalogue, reason } from "../lib/store.js";
import { Icon } from "./icons.js";

const AS_THEN = ["reader", "compiler", "data", "engine", "erased"]; // with the definition, rights and names of then
const TODAY = ["values", "definition", "policy"]; // with those of today

export function Replay({ turn }) {
  const [state, setState] = useState({});
  const run = async () => {
    setState({ busy: true });
    try {
      setState({ verdict: await call(`/v1/turns/${turn.turn_id}/replay`, { method: "POST" }) });
    } catch (error) {
      setState({ wrong: reason(error) });
    }
  };
  return html`<div class="replay">
    <button onClick=${run} disabled=${state.busy}><${Icon} name="retry" size=${16} />${t(state.busy ? "replay.busy" : "replay.go")}</button>
    <p class="small dim">${t("replay.what")}</p>
    <div role="status">${state.wrong && html`<p class="verdict bad"><${Icon} name="warn" size=${18} /> ${state.wrong}</p>`}
      ${state.verdict && html`<${Verdict} verdict=${state.verdict} />`}</div>
  </div>`;
}

/** A verdict in words: as then, as today, and each cause with how it shows. */
export function Verdict({ verdict }) {
  const same = verdict.verdict.includes("same");
  const [then, today] = [AS_THEN, TODAY].map((causes) => verdict.verdict.filter((cause) => causes.includes(cause)));
  const changed = Object.entries(verdict.changed);
  return html`<div class="found" data-verdict=${verdict.verdict.join(" ")}>
    <p class=${`verdict ${same ? "good" : "bad"}`}><${Icon} name=${same ? "check" : "warn"} size=${18} /> ${t(same ? "replay.same" : "replay.other")}</p>
    ${same ? html`<p class="small">${t("replay.same.what")}</p>` : html`<dl class="facts two">
      <${Line} name=${t("replay.then")} causes=${then} good=${t("replay.alike")} />
      <${Line} name=${t("replay.today")} causes=${then.includes("erased") ? ["erased"] : today} good=${t(then.length ? "replay.no-more" : "replay.alike")} />
    </dl>`}
    ${verdict.findings.map((finding, index) => html`<section class="finding" key=${index}>
      <h4>${t(`cause.${finding.cause}`)}</h4><p class="small">${t(`cause.${finding.cause}.what`)}</p>
      ${finding.differences.length ? finding.differences.map((one, at) => html`<${Difference} key=${at} one=${one} />`)
        : html`<p class="small dim">${t("replay.hidden")}</p>`}
    </section>`)}
    ${changed.length > 0 && html`<details class="fold"><summary>${t(same ? "replay.changed" : "replay.changed.too", { n: changed.length })}</summary>
      <table class="then-now"><thead><tr><th></th><th>${t("replay.was")}</th><th>${t("replay.now")}</th></tr></thead>
      <tbody>${changed.map(([name, pair]) => html`<tr key=${name}><th scope="row">${known(`changed.${name}`) ? t(`changed.${name}`) : name}</th>
        <td>${short(pair.then)}</td><td>${short(pair.now)}</td></tr>`)}</tbody></table></details>`}
  </div>`;
}

const Line = ({ name, causes, good }) => html`<div><dt>${name}</dt><dd class=${causes.length ? "is-bad" : "is-good"}>
  <${Icon} name=${causes.length ? "close" : "check"} size=${14} /> ${causes.length ? causes.map((cause) => t(`cause.${cause}`)).join(t("panel.comma")) : good}</dd></div>`;

const short = (text) => (/^[0-9a-f]{24,}$/.test(text) ? `${text.slice(0, 12)}…` : text);

function Difference({ one }) {
  const name = known(`difference.${one.what}`) ? t(`difference.${one.what}`) : one.what;
  if (one.what === "sql" || one.what === "words" && one.lines.length) return html`<figure class="difference"><figcaption>${name}</figcaption>
    <pre class="diff" tabindex="0" role="region" aria-label=${name}>${one.lines.filter((line) => !/^(---|\+\+\+|@@)/.test(line)).map((line, index) =>
      html`<span key=${index} class=${line[0] === "+" ? "added" : line[0] === "-" ? "gone" : ""}>${`${line}\n`}</span>`)}</pre></figure>`;
  return html`<figure class="difference"><figcaption>${name}</figcaption>
    ${one.what !== "slots" && html`<table class="then-now"><thead><tr><th>${t("replay.was")}</th><th>${t("replay.now")}</th></tr></thead>
      <tbody><tr><td>${told(one.then)}</td><td>${told(one.now)}</td></tr></tbody></table>`}
    ${one.lines.length > 0 && html`<ul class="plainly small">${one.lines.filter((line) => !/^rows: /.test(line)).map((line, index) => html`<li key=${index}>${told(String(line))}</li>`)}</ul>`}
  </figure>`;
}

const PATTERNS = [ // what a verdict says of rows, in its own English
  [/^(\d+) rows; totals (.*)$/, (all, n, sums) => `${t("origin.count.rows", { n })} · ${t("replay.totals")} ${sums.split(", ").map((one) => named(one.replace(" ", colon()).replace(/-?\d+(\.\d+)?$/, grouped))).join(t("panel.comma"))}`],
  [/^(\d+) rows$/, (all, n) => t("origin.count.rows", { n })],
  [/^the statement fails: ([\s\S]*)$/, (all, why) => t("replay.fails", { why })],
  [/^the totals are the same.*$/, () => t("replay.cells")],
  [/^(recorded|erased)$/, (all, word) => t(`replay.${word}`)],
  [/^(sum|least|most) of .*$/, (all) => measured(all.split("; "))],
  [/^(\S+): ((?:no )?numbers) → ((?:no )?numbers)$/, (all, column, was, now) => `${label(column)}${colon()}${t(`replay.${was}`)} → ${t(`replay.${now}`)}`],
  [/^(.*): (gone|new): (.*)$/, (all, row, how, cells) => `${row}${colon()}${t(`replay.row.${how}`)} ${cells}`],
  [/^(.*): (\S+) (\S+) → (\S+)$/, (all, row, column, was, now) => `${row === "the row" ? t("replay.row") : row}${colon()}${label(column)} ${grouped(was)} → ${grouped(now)}`],
];

/** Sum, least and greatest of a column; once, where one row makes them all. */
function measured(parts) {
  const found = parts.map((part) => /^(sum|least|most) of (\S+): (\S+) → (\S+)$/.exec(part)).filter(Boolean);
  const alike = found.length === 3 && found.every((one) => one[3] === found[0][3] && one[4] === found[0][4]);
  return (alike ? found.slice(0, 1) : found).map(([, what, column, was, now]) =>
    `${label(column)}${alike ? "" : ` ${t(`replay.${what}`)}`}${colon()}${grouped(was)} → ${grouped(now)}`).join("; ");
}

function told(text) {
  const found = PATTERNS.find(([pattern]) => pattern.test(text));
  return found ? text.replace(found[0], found[1]) : text;
}

const label = (id) => catalogue.value?.metrics.find((item) => item.id === id)?.label ?? id;
const colon = () => t("panel.colon");
const named = (text) => { const [id, ...rest] = text.split(colon()); return [label(id), ...rest].join(colon()); };
const grouped = (text) => (/^-?\d+(\.\d+)?$/.test(text) ? text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ",")) : text);
