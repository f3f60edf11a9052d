// Small things that the places share.
import { html, useState } from "../lib/view.js";
import { known, lang, t } from "../lib/words.js";
import { Icon } from "./icons.js";

/** A text that the service gives in both languages. */
export const inTongue = (text) => text[lang.value] || text.zh || text.en || "";

/** A unit as people write it. */
export const unit = (name) => (known(`place.unit.${name}`) ? t(`place.unit.${name}`) : name);

/** Text that stands in no place of its own: without case, width or spaces at its ends. */
export const folded = (text) => text.normalize("NFKC").toLowerCase().trim();

/** A box to search in, with a button that empties it. */
export function Search({ label, value, onValue }) {
  return html`<div class="search">
    <${Icon} name="search" size=${16} />
    <input type="search" enterkeyhint="search" autocomplete="off" maxlength="100" aria-label=${label} placeholder=${label} value=${value}
      onInput=${(event) => onValue(event.target.value)} onKeyDown=${(event) => { if (event.key === "Escape" && value) { event.preventDefault(); onValue(""); } }} />
    ${value && html`<button type="button" class="plain" aria-label=${t("place.clear")} onClick=${(event) => { event.currentTarget.parentNode.querySelector("input").focus(); onValue(""); }}><${Icon} name="close" size=${16} /></button>`}
  </div>`;
}

/** Tabs by arrow keys and clicks: [{id, label}]. */
export function Tabs({ label, tabs, chosen, onChoose }) {
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (tabs.findIndex((tab) => tab.id === chosen) + step + tabs.length) % tabs.length;
    onChoose(tabs[at].id);
    event.currentTarget.children[at].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>
    ${tabs.map((tab) => html`<button key=${tab.id} role="tab" id=${`tab-${tab.id}`} aria-controls=${`panel-${tab.id}`} aria-selected=${tab.id === chosen}
      tabindex=${tab.id === chosen ? 0 : -1} onClick=${() => onChoose(tab.id)}>${tab.label}</button>`)}
  </div>`;
}

/** A text to copy. */
export function Copied({ text }) {
  const [done, set] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    set(true);
    setTimeout(() => set(false), 2000);
  };
  return html`<button class="copy" onClick=${copy}><${Icon} name=${done ? "check" : "copy"} size=${16} />${t(done ? "place.copied" : "place.copy")}</button>`;
}
