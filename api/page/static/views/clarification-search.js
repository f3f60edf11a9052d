// The candidates of a question back that were not listed: searched as one types.
import { html, useEffect, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { call } from "../lib/client.js";
import { complain } from "../lib/store.js";
import { Icon } from "./icons.js";

const WAIT = 180; // milliseconds after the last letter

export function OptionSearch({ turn, more, onPick }) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState(null);
  useEffect(() => {
    if (!open) return undefined;
    const stop = new AbortController();
    const wait = setTimeout(async () => {
      const query = new URLSearchParams(typed.trim() ? { q: typed.trim() } : {});
      try {
        setFound(await call(`/v1/turns/${turn.turn_id}/options?${query}`, { signal: stop.signal }));
      } catch (error) {
        if (error.name !== "AbortError") complain(error);
      }
    }, typed ? WAIT : 0);
    return () => { clearTimeout(wait); stop.abort(); };
  }, [open, typed]);
  if (!open) return html`<button class="pill more-options" onClick=${() => setOpen(true)}><${Icon} name="search" size=${14} />${t("asked.more", { n: more })}</button>`;
  const listed = new Set(turn.clarification.options.map((item) => item.id));
  const shown = (found?.options ?? []).filter((item) => typed.trim() || !listed.has(item.id));
  return html`<div class="option-search">
    <input type="search" ref=${(box) => { if (box && !box.dataset.seen) { box.dataset.seen = "1"; box.focus(); } }} value=${typed} placeholder=${t("asked.search")} aria-label=${t("asked.search")} autocomplete="off" onInput=${(event) => setTyped(event.target.value)} />
    <ul class="found" aria-label=${t("asked.found")}>${shown.map((item) => html`<li key=${item.id}><button class="option" onClick=${() => onPick(item)}><${Named} item=${item} /></button></li>`)}</ul>
    <p class="dim small" role="status">${found && !shown.length ? t("asked.none") : found?.more ? t("chip.more") : ""}</p>
  </div>`;
}

/** An option's label, and what it means. */
export const Named = ({ item }) => html`<span class="option-words"><span>${item.label}</span>${item.hint && html`<small>${item.hint}</small>`}</span>`;
