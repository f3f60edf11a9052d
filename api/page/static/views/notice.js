// A short message at the edge of the page.
import { html } from "../lib/view.js";
import { t } from "../lib/words.js";
import { notice } from "../lib/store.js";
import { Icon } from "./icons.js";

export function Notice() {
  const told = notice.value;
  return html`<div class="notices" role="status" aria-live="polite">${told && html`<div class=${`notice ${told.kind}`}>
    <span>${told.text}</span><button class="plain" aria-label=${t("close")} onClick=${() => { notice.value = null; }}><${Icon} name="close" size=${16} /></button></div>`}</div>`;
}
