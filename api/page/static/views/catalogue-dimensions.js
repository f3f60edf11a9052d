// The dimensions with their values: those that are listed at once, those that are stored when they are asked for.
import { html, useEffect, useState } from "../lib/view.js";
import { lang, t } from "../lib/words.js";
import { call } from "../lib/client.js";
import { reason } from "../lib/store.js";
import { Search } from "./places.js";

const PAUSE = 250; // milliseconds after the last key before it is searched
const AT_ONCE = 30; // values shown

export function Dimensions({ catalogue, dimensions }) {
  const labels = new Map(catalogue.dimensions.map((item) => [item.id, item.label]));
  const users = (name) => catalogue.objects.filter((item) => item.dimensions.includes(name)).map((item) => item.label);
  return html`<ul class="dimensions">${dimensions.map((item) => html`<li class="dimension" key=${item.id}>
    <p class="metric-head"><b>${item.label}</b>${item.within && labels.has(item.within) && html`<span class="tag">${t("catalogue.within", { parent: labels.get(item.within) })}</span>`}</p>
    <p class="dim small">${t("catalogue.used", { objects: users(item.id).join(t("welcome.comma")) })}</p>
    ${item.values
      ? html`<ul class="values">${item.values.map((value) => html`<li key=${value.value}>${value.label}</li>`)}</ul>`
      : html`<${Stored} dimension=${item} />`}
  </li>`)}</ul>`;
}

function Stored({ dimension }) {
  const [open, setOpen] = useState(false);
  const [words, setWords] = useState("");
  const [found, setFound] = useState(null);
  useEffect(() => {
    if (!open) return undefined;
    let late = false;
    const wait = setTimeout(async () => {
      const query = new URLSearchParams({ dimension: dimension.id, q: words.trim(), lang: lang.peek(), limit: String(AT_ONCE) });
      try {
        const answer = await call(`/v1/values?${query}`);
        if (!late) setFound(answer);
      } catch (error) {
        if (!late) setFound({ values: [], problem: reason(error) });
      }
    }, words ? PAUSE : 0);
    return () => { late = true; clearTimeout(wait); };
  }, [open, words, lang.value]);
  if (!open) return html`<button class="pill open-values" onClick=${() => setOpen(true)}>${t("catalogue.values")}<span class="sr"> ${dimension.label}</span></button>`;
  const none = found && !found.values.length;
  return html`<div class="stored">
    ${(words || (found && !none)) && html`<${Search} label=${t("catalogue.values.search", { dimension: dimension.label })} value=${words} onValue=${setWords} />`}
    <ul class="values" aria-live="polite" aria-busy=${!found}>${found?.values.map((value) => html`<li key=${value.value}>${value.label}</li>`)}</ul>
    ${none && html`<p class="dim small">${found.problem ?? t(words ? "catalogue.values.none" : "catalogue.values.free")}</p>`}
    ${found?.more && html`<p class="dim small">${t("catalogue.values.more")}</p>`}
  </div>`;
}
