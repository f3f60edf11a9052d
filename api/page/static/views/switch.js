// A topic switch: a divider that names what was dropped, and gives it back.
import { html, useComputed } from "../lib/view.js";
import { t } from "../lib/words.js";
import { keep } from "../lib/store.js";
import { standing } from "../lib/standing.js";
import { Icon } from "./icons.js";

export function Switch({ turn, live }) {
  const stands = useComputed(() => standing.value?.switch === turn.switch).value;
  if (!turn.switch) return null;
  const { dropped } = turn.switch;
  const open = live || stands;
  const each = open && turn.outcome === "answer"; // after 换个话题 alone there is no topic to keep a part for
  return html`<div class="switch">
    <p class="switch-line"><span>${t("switch")}</span></p>
    ${dropped.length > 0 && html`<div class="switch-dropped">
      <span class="dim small">${t("switch.dropped")}</span>
      ${dropped.map((words) => (each
        ? html`<button class="kept" key=${words} title=${t("switch.keep.one", { words })} onClick=${() => keep([words])}><s>${words}</s><span class="kept-word"><${Icon} name="undo" size=${13} />${t("switch.keep")}</span></button>`
        : html`<s key=${words}>${words}</s>`))}
      ${open && (dropped.length > 1 || !each) && html`<button class="pill" onClick=${() => keep()}>${t("switch.keep.all")}</button>`}
    </div>`}
  </div>`;
}
