// One run: how far it is, then its scores and its failures.
import { html, useEffect, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { call, download, save } from "../lib/client.js";
import { complain, reason } from "../lib/store.js";
import { Failures } from "./evaluation-failures.js";
import { Scores } from "./evaluation-scores.js";
import { when } from "./evaluations.js";
import { Icon } from "./icons.js";

const EVERY = 1500; // milliseconds between two looks at a run

export function EvaluationRun({ id }) {
  const [run, set] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let wait = 0;
    let left = false;
    const look = async () => {
      try {
        const found = await call(`/v1/evaluations/${id}`);
        if (left) return;
        set(found);
        setProblem(null);
        if (found.status === "running") wait = setTimeout(look, EVERY);
      } catch (error) {
        if (left) return;
        setProblem(error);
        if (["offline", "too-many-requests", "unavailable"].includes(error.code)) wait = setTimeout(look, 3 * EVERY);
      }
    };
    look();
    return () => { left = true; clearTimeout(wait); };
  }, [id]);
  return html`
    <p class="back"><a href="#/evaluations">← ${t("evaluations.back")}</a></p>
    ${problem && html`<p class="wrong" role="alert">${problem.code === "forbidden" ? t("evaluations.scope") : reason(problem)}</p>`}
    ${!run && !problem && html`<div class="skeleton" aria-hidden="true"></div>`}
    ${run && html`<header class="run-head">
      <h2 class="tabular">${when(run.started)}</h2><span class=${`tag status-${run.status}`}>${t(`evaluations.status.${run.status}`)}</span>
      ${run.status === "done" && html`<span class="run-files">
        <button onClick=${() => download(`/v1/evaluations/${id}/page`, `evaluation-${id}.html`).catch(complain)}><${Icon} name="file" size=${16} />${t("evaluations.report")}</button>
        <button onClick=${() => save(new Blob([JSON.stringify(run.reports, null, 1)], { type: "application/json" }), `evaluation-${id}.json`)}><${Icon} name="file" size=${16} />${t("evaluations.json")}</button>
      </span>`}
    </header>
    ${run.status === "running" && html`<${Progress} run=${run} />`}
    ${run.status === "failed" && html`<p class="wrong" role="alert">${t("evaluations.failed", { error: run.error })}</p>`}
    ${run.status === "cancelled" && html`<p>${t("evaluations.cancelled")}</p>`}
    ${run.reports.map((report, index) => html`<${Scores} key=${index} report=${report} named=${run.reports.length > 1} />`)}
    ${run.status === "done" && html`<${Failures} failures=${run.failures} />`}`}`;
}

function Progress({ run }) {
  const [stopping, set] = useState(false);
  const stop = () => {
    set(true);
    call(`/v1/evaluations/${run.evaluation_id}/cancel`, { method: "POST" }).catch((error) => { set(false); complain(error); });
  };
  return html`<div class="progress">
    <progress max=${Math.max(run.turns, 1)} value=${run.done} aria-label=${t("evaluations.status.running")}></progress>
    <span class="tabular" role="status">${t("evaluations.progress", run)}</span>
    <button onClick=${stop} disabled=${stopping}>${t(stopping ? "evaluations.cancelling" : "evaluations.cancel")}</button>
  </div>`;
}
