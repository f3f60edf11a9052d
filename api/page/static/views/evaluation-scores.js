// The scores of a set in words: what each means, its count, and where it would lie in other draws.
import { html } from "../lib/view.js";
import { t } from "../lib/words.js";

const FIRST = ["turn_accuracy", "dialogue_accuracy", "silent_wrong_rate", "over_ask_rate"];
const OTHERS = ["over_decline_rate", "clarify_precision", "clarify_recall", "reset_precision", "reset_recall", "over_carry", "under_carry"];

export function Scores({ report, named }) {
  const { scores } = report;
  const wrong = report.turns.filter((turn) => !turn.ok).length;
  const facts = { dialogues: scores.dialogues, turns: scores.turns, ok: report.turns.length - wrong, wrong, silent: scores.silent_wrong };
  return html`<section class="report" aria-label=${report.set}>
    ${named && html`<h3>${report.set}</h3>`}
    <p class="lead">${t("evaluations.summary", facts)}</p>
    <ul class="scores">${FIRST.map((name) => html`<li key=${name} class=${name === "silent_wrong_rate" && scores[name] ? "bad" : ""}>
      <p class="score-name">${t(`score.${name}`)}</p>
      <p class="score-value tabular">${percent(scores[name])}</p>
      <p class="small dim tabular">${counted(report, name)}</p>
      <p class="small score-means">${t(`means.${name}`)}</p></li>`)}</ul>
    <details><summary>${t("evaluations.more")}</summary><div class="wide-table"><table>
      <thead><tr><th>${t("evaluations.score")}</th><th class="number">${t("evaluations.value")}</th><th>${t("evaluations.counts")}</th></tr></thead>
      <tbody>${OTHERS.map((name) => html`<tr key=${name}><td>${t(`score.${name}`)}<br /><span class="small dim">${t(`means.${name}`)}</span></td>
        <td class="number tabular">${percent(scores[name])}</td><td class="small dim tabular">${counted(report, name)}</td></tr>`)}</tbody></table></div></details>
    <${Tags} tags=${report.by_tag} />
  </section>`;
}

export const percent = (value) => (value === null || value === undefined ? "–" : `${(value * 100).toFixed(1).replace(/\.0$/, "")}\u00a0%`);

function counted(report, name) {
  const [part, whole] = report.counts[name];
  const between = report.intervals[name];
  if (!whole) return "";
  const count = t("evaluations.count", { part, whole });
  if (!between) return count;
  return html`${count}<br />${t("evaluations.interval", { from: percent(between[0]), to: percent(between[1]) })}`;
}

function Tags({ tags }) {
  const rows = Object.entries(tags).sort(([, one], [, two]) => one.turn_accuracy - two.turn_accuracy);
  if (!rows.length) return null;
  return html`<details><summary>${t("evaluations.tags")}</summary><div class="wide-table"><table>
    <thead><tr><th>${t("evaluations.tag")}</th><th class="number">${t("evaluations.turns", { n: "" }).trim()}</th><th class="number">${t("score.turn_accuracy")}</th><th class="number">${t("score.silent_wrong_rate")}</th></tr></thead>
    <tbody>${rows.map(([name, scores]) => html`<tr key=${name}><td>${name}</td><td class="number tabular">${scores.turns}</td>
      <td class="number tabular">${percent(scores.turn_accuracy)}</td><td class="number tabular">${percent(scores.silent_wrong_rate)}</td></tr>`)}</tbody></table></div></details>`;
}
