// The metrics, object by object; a question about one is put into a new conversation.
import { html } from "../lib/view.js";
import { known, t } from "../lib/words.js";
import { draft, fresh } from "../lib/store.js";
import { unit } from "./places.js";

const ALSO = 6; // other words of a metric that are shown

export function Metrics({ catalogue, metrics }) {
  const labels = new Map(catalogue.dimensions.map((item) => [item.id, item.label]));
  const of = (object) => metrics.filter((item) => item.object === object.id);
  const shown = catalogue.objects.filter((object) => of(object).length);
  return html`<div class="catalogue-metrics">
    <nav class="jump" aria-label=${t("catalogue.objects")}>${shown.map((object) => html`<button key=${object.id} class="plain" onClick=${() => document.getElementById(`object-${object.id}`).scrollIntoView()}>${object.label}<span class="dim small">${of(object).length}</span></button>`)}</nav>
    <div class="objects">${shown.map((object) => html`<section class="object" key=${object.id} id=${`object-${object.id}`} aria-labelledby=${`object-name-${object.id}`}>
      <header><h2 id=${`object-name-${object.id}`}>${object.label}</h2><p class="dim">${object.description}</p></header>
      <p class="by small">${t("catalogue.by")}：${object.dimensions.map((name) => labels.get(name)).filter(Boolean).join(t("welcome.comma"))}${object.snapshot ? html`<span class="tag">${t("catalogue.snapshot")}</span>` : null}</p>
      <ul class="metrics">${of(object).map((item) => html`<${Metric} key=${item.id} metric=${item} object=${object} labels=${labels} />`)}</ul>
    </section>`)}</div>
  </div>`;
}

function Metric({ metric, object, labels }) {
  const also = metric.words.filter((word) => word !== metric.label);
  const measure = metric.percent ? "%" : metric.unit ? unit(metric.unit) : "";
  return html`<li class="metric">
    <p class="metric-head"><b>${metric.label}</b>
      <span class="tag">${known(`kind.${metric.kind}`) ? t(`kind.${metric.kind}`) : metric.kind}</span>${measure && html`<span class="tag">${measure}</span>`}</p>
    ${metric.description && html`<p class="metric-text">${metric.description}</p>`}
    ${also.length > 0 && html`<p class="dim small">${t("catalogue.also")}：${also.slice(0, ALSO).join(t("welcome.comma"))}${also.length > ALSO ? "…" : ""}</p>`}
    <div class="questions">${questions(metric, object, labels).map((text) => html`<button class="pill" key=${text} onClick=${() => begin(text)}>${text}</button>`)}</div>
  </li>`;
}

/** What one could ask about a metric: what it means, and its values by a dimension. */
function questions(metric, object, labels) {
  const name = object.dimensions.find((item) => labels.has(item));
  const key = object.snapshot || !object.dated ? "catalogue.split.newest" : "catalogue.split";
  const text = [t("catalogue.define", { metric: metric.label })];
  if (name) text.push(t(key, { metric: metric.label, dimension: labels.get(name) }));
  return text.map((one) => one[0].toUpperCase() + one.slice(1));
}

function begin(text) {
  fresh();
  draft.value = text;
  requestAnimationFrame(() => document.getElementById("composer")?.focus());
}
