// The chat within another page: no list of sessions, no catalogue; the talk goes on when that page is loaded again.
import { effect, html, render, useEffect } from "../lib/view.js";
import { t } from "../lib/words.js";
import { listen, tell } from "../lib/embedding.js";
import { go } from "../lib/router.js";
import { locked } from "../lib/client.js";
import { fresh, panel, session } from "../lib/store.js";
import { tint } from "../lib/tint.js";
import { Icon } from "./icons.js";
import { Conversation } from "./conversation.js";
import { Notice } from "./notice.js";
import { Panel } from "./panel.js";

/** Begin, with what the page around this one has handed over. */
export function begin({ title, colour, closes, session: kept }) {
  tint(colour);
  remember(kept);
  listen("shown", () => document.getElementById("composer")?.focus());
  render(html`<${Embedded} title=${title} closes=${closes} />`, document.getElementById("app"));
  tell("begun");
}

/** Go on with the talk that was open in this tab, and have the page around keep which one is. */
function remember(id) {
  if (/^[0-9a-f-]{36}$/.test(id ?? "")) go(`s/${id}`);
  effect(() => tell("session", { id: session.value?.session_id ?? "" }));
}

export function Embedded({ title, closes }) {
  useEffect(() => {
    const escape = (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (panel.peek()) panel.value = null;
      else if (closes) tell("hide");
    };
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, []);
  return html`<div class=${`shell embedded ${panel.value ? "with-panel" : ""}`}>
      <div class="middle">
        <header class="head">
          <h1 class="title">${title || t("name")}</h1>
          <div class="tools">
            <button class="plain" aria-label=${t("new")} title=${t("new")} onClick=${fresh}><${Icon} name="plus" /></button>
            ${closes && html`<button class="plain" aria-label=${t("embed.hide")} title=${t("embed.hide")} onClick=${() => tell("hide")}><${Icon} name="close" /></button>`}
          </div>
        </header>
        ${locked.value ? html`<${Refused} />` : html`<${Conversation} />`}
      </div>
      ${!locked.value && html`<${Panel} />`}
    </div>
    <${Notice} />`;
}

const Refused = () => html`<main class="refused" role="alert"><h2>${t("embed.refused")}</h2><p class="dim">${t("embed.refused.why")}</p></main>`;
