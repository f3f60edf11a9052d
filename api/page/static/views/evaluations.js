// Evaluations: the runs there were, and a new one.
import { html, useEffect, useState } from "../lib/view.js";
import { lang, t } from "../lib/words.js";
import { call } from "../lib/client.js";
import { go, here } from "../lib/router.js";
import { catalogue, reason } from "../lib/store.js";
import { EvaluationRun } from "./evaluation-run.js";
import { Icon } from "./icons.js";
import { Copied } from "./places.js";

export function Evaluations() {
  const { id } = here.value;
  return html`<main class="page evaluations" aria-label=${t("place.evaluations")}>
    ${id ? html`<${EvaluationRun} key=${id} id=${id} />` : html`<${Runs} />`}
  </main>`;
}

function Runs() {
  const [runs, set] = useState(null);
  const [problem, setProblem] = useState(null);
  const may = catalogue.value?.scopes.includes("analyst");
  useEffect(() => {
    if (may) call("/v1/evaluations").then((found) => set(found.evaluations), setProblem);
  }, [may]);
  if (may === false || problem?.code === "forbidden") return html`<p class="nothing">${t("evaluations.scope")}</p>`;
  return html`
    <p class="lead">${t("evaluations.lead")}</p>
    <${Start} />
    ${problem && html`<p class="wrong" role="alert">${reason(problem)}</p>`}
    ${runs?.length > 0 && html`<section><h2>${t("evaluations.runs")}</h2>
      <ul class="runs">${runs.map((run) => html`<li key=${run.evaluation_id}><a href=${`#/evaluations/${run.evaluation_id}`}>
        <span class="when tabular">${when(run.started)}</span>
        <span class=${`tag status-${run.status}`}>${t(`evaluations.status.${run.status}`)}</span>
        <span class="dim small">${t("evaluations.turns", { n: run.turns })}</span></a></li>`)}</ul></section>`}
    ${runs?.length === 0 && html`<${Teach} />`}`;
}

/** An instant as people write it, without seconds. */
export const when = (text) => text.replace("T", " ").slice(0, 16);

function Start() {
  const [files, setFiles] = useState([]);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState(null);
  const start = async (event) => {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    try {
      const sets = await Promise.all(files.map((file) => file.text()));
      const run = await call("/v1/evaluations", { method: "POST", body: { sets } });
      go(`evaluations/${run.evaluation_id}`);
    } catch (error) {
      setProblem(error);
      setSending(false);
    }
  };
  return html`<form class="start" onSubmit=${start}>
    <label class="pick"><${Icon} name="file" size=${20} />
      <span>${files.length ? files.map((file) => file.name).join(t("welcome.comma")) : t("evaluations.files")}</span>
      <input class="sr" type="file" multiple accept=".yaml,.yml" onChange=${(event) => { setFiles([...event.target.files]); setProblem(null); }} />
    </label>
    <button class="main" disabled=${!files.length || sending}>${t(sending ? "evaluations.starting" : "evaluations.start")}</button>
    ${problem && html`<p class="wrong" role="alert">${problem.code === "forbidden" ? t("evaluations.scope") : problem.code === "bad-request" ? problem.detail : reason(problem)}</p>`}
  </form>`;
}

function Teach() {
  const text = example();
  return html`<section class="teach">
    <h2>${t("evaluations.none")}</h2>
    <p>${t("evaluations.teach")}</p>
    <div class="sample"><pre tabindex="0"><code>${text}</code></pre><${Copied} text=${text} /></div>
  </section>`;
}

/** A question set that can be run as it is, of the layer's own words. */
function example() {
  const { name, as_of, metrics, examples } = catalogue.value;
  const tongue = lang.value;
  const metric = metrics.find((item) => item.percent) ?? metrics[0];
  return `set: first
semantic_layer: ${name}
clock: ${as_of}
dialogues:
  - id: greeting
    lang: ${tongue}
    tags: [talk]
    turns:
      - ask: ${t("evaluations.hello", {}, tongue)}
        expect: chat
  - id: definition
    lang: ${tongue}
    tags: [definition]
    turns:
      - ask: ${t("catalogue.define", { metric: metric.label })}
        expect: explain
# ${t("evaluations.sample")}
#     - ask: ${examples[0] ?? metric.label}
#       expect: answer
#       sql: select … as … from … where …
`;
}
