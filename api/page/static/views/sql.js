// A statement in colours, with a button that copies it.
import { html } from "../lib/view.js";
import { t } from "../lib/words.js";
import { copy } from "../lib/copy.js";
import { pieces } from "../lib/sql.js";
import { Icon } from "./icons.js";

/** SQL, as it ran. Wide lines are scrolled, also with the keyboard. */
export function Sql({ text }) {
  return html`<div class="statement">
    <pre class="sql" tabindex="0" role="region" aria-label="SQL"><code>${pieces(text).map((piece, index) =>
      (piece.kind === "space" || piece.kind === "sign" || piece.kind === "name" ? piece.text : html`<span key=${index} class=${`sql-${piece.kind}`}>${piece.text}</span>`))}</code></pre>
    <button class="plain copy" aria-label=${t("panel.sql.copy")} title=${t("panel.sql.copy")} onClick=${() => copy(text)}><${Icon} name="copy" size=${16} /></button>
  </div>`;
}
