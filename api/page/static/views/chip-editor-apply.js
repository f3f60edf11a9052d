// The row of an editor that applies it.
import { html } from "../lib/view.js";
import { t } from "../lib/words.js";

export const Apply = ({ disabled, label }) => html`<div class="editor-apply"><button class="main" disabled=${disabled}>${label ?? t("chip.apply")}</button></div>`;
