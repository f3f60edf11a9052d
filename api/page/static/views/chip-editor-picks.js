// A list to tick in, with a search above it: of metrics, dimensions, values.
import { html, useState } from "../lib/view.js";
import { t } from "../lib/words.js";

/** The names of items that hold what was typed: by label, or by one of their other words. */
export const holding = (items, typed) => {
  const part = typed.trim().toLowerCase();
  return !part ? items : items.filter((item) => [item.label, ...(item.words ?? [])].some((word) => word.toLowerCase().includes(part)));
};

/**
 * `groups`: [{name, items: [{value, label, hint}]}]; `picked`: values; `onSearch` where the list comes from elsewhere.
 * With `one`, a click picks at once and there is nothing to tick.
 */
export function Picks({ groups, picked = [], onPicked, one = false, onSearch, more = false, busy = false, label }) {
  const [typed, setTyped] = useState("");
  const shown = onSearch ? groups : groups.map((group) => ({ ...group, items: holding(group.items, typed) }));
  const count = groups.reduce((sum, group) => sum + group.items.length, 0);
  const some = shown.some((group) => group.items.length);
  const searched = (event) => { setTyped(event.target.value); onSearch?.(event.target.value); };
  const tick = (value) => onPicked(picked.includes(value) ? picked.filter((item) => item !== value) : [...picked, value]);
  const enter = (event) => { // Enter in the search takes the only one that is left
    if (event.key !== "Enter" || event.isComposing) return;
    const left = shown.flatMap((group) => group.items);
    if (!typed.trim()) return;
    event.preventDefault();
    if (left.length === 1) { if (one) onPicked(left[0].value); else tick(left[0].value); }
  };
  return html`<div class="picks">
    ${(onSearch || count > 7) && html`<input type="search" data-first value=${typed} placeholder=${t("chip.search")} aria-label=${t("chip.search")} autocomplete="off" onInput=${searched} onKeyDown=${enter} />`}
    <div class="picks-list" role="group" aria-label=${label} aria-busy=${busy}>
      ${shown.map((group) => group.items.length > 0 && html`<div key=${group.name} class="picks-group">
        ${group.name && html`<p class="picks-name">${group.name}</p>`}
        ${group.items.map((item) => (one
          ? html`<button type="button" class="pick" key=${item.value} aria-label=${item.label} onClick=${() => onPicked(item.value)}><${Told} item=${item} /></button>`
          : html`<label class="pick" key=${item.value}><input type="checkbox" aria-label=${item.label} checked=${picked.includes(item.value)} onChange=${() => tick(item.value)} /><${Told} item=${item} /></label>`))}
      </div>`)}
      ${!some && !busy && html`<p class="dim small picks-none">${t("chip.none")}</p>`}
      ${more && html`<p class="dim small picks-none">${t("chip.more")}</p>`}
    </div>
  </div>`;
}

const Told = ({ item }) => html`<span class="pick-words"><span>${item.label}</span>${item.hint && html`<small title=${item.hint}>${item.hint}</small>`}</span>`;
