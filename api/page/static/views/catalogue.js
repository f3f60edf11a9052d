// What can be asked: the metrics of each object, and the dimensions they can be seen by.
import { html, useMemo, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { go, here } from "../lib/router.js";
import { catalogue } from "../lib/store.js";
import { Metrics } from "./catalogue-metrics.js";
import { Dimensions } from "./catalogue-dimensions.js";
import { Search, Tabs, folded, inTongue } from "./places.js";

export function Catalogue() {
  const [words, setWords] = useState("");
  const found = catalogue.value;
  const shown = useMemo(() => found && matching(found, folded(words)), [found, words]);
  if (!found) return html`<main class="page catalogue" aria-busy="true"><div class="skeleton" aria-hidden="true"></div></main>`;
  const chosen = here.value.id === "dimensions" ? "dimensions" : "metrics";
  const tabs = [
    { id: "metrics", label: t("catalogue.metrics", { n: shown.metrics.length }) },
    { id: "dimensions", label: t("catalogue.dimensions", { n: shown.dimensions.length }) },
  ];
  return html`<main class="page catalogue" aria-label=${t("place.catalogue")}>
    <p class="lead">${t("catalogue.lead", { title: inTongue(found.title) })}</p>
    <div class="catalogue-bar">
      <${Tabs} label=${t("catalogue.tabs")} tabs=${tabs} chosen=${chosen} onChoose=${(id) => go(id === "metrics" ? "catalogue" : `catalogue/${id}`, true)} />
      <${Search} label=${t("catalogue.search")} value=${words} onValue=${setWords} />
    </div>
    <div role="tabpanel" id=${`panel-${chosen}`} aria-labelledby=${`tab-${chosen}`}>
      ${shown[chosen].length === 0
        ? html`<p class="nothing" role="status">${t("catalogue.nothing", { words: words.trim() })}</p>`
        : chosen === "metrics" ? html`<${Metrics} catalogue=${found} metrics=${shown.metrics} />` : html`<${Dimensions} catalogue=${found} dimensions=${shown.dimensions} />`}
    </div>
  </main>`;
}

/** The metrics and dimensions in whose names, words or descriptions all the words stand. */
function matching(found, text) {
  const words = text.split(/\s+/).filter(Boolean);
  const holds = (...texts) => { const whole = folded(texts.join(" ")); return words.every((word) => whole.includes(word)); };
  const objects = new Map(found.objects.map((item) => [item.id, item]));
  return {
    metrics: found.metrics.filter((item) => holds(item.label, ...item.words, item.description, objects.get(item.object).label)),
    dimensions: found.dimensions.filter((item) => holds(item.label, ...(item.values ?? []).map((value) => value.label))),
  };
}
