// The frame: the list of sessions, what is open in the middle, a panel at the side, and what lies over them.
import { html, useEffect } from "../lib/view.js";
import { lang, t } from "../lib/words.js";
import { here } from "../lib/router.js";
import { key, locked, setKey } from "../lib/client.js";
import { drawer, fresh, panel, session, theme } from "../lib/store.js";
import { Icon } from "./icons.js";
import { Conversation } from "./conversation.js";
import { Notice } from "./notice.js";
import { Side } from "./side.js";
import { Panel } from "./panel.js";
import { SignIn } from "./signin.js";
import { Catalogue } from "./catalogue.js";
import { Evaluations } from "./evaluations.js";
import { Linked } from "./linked.js";

const THEMES = ["auto", "light", "dark"];
const DRAWN = { auto: "auto", light: "sun", dark: "moon" };

export function Shell() {
  const { place } = here.value;
  const title = place === "chat" ? session.value?.title : t(`place.${place}`);
  useEffect(() => { document.title = title ? `${title} · ${t("name")}` : t("name"); }, [title, lang.value]);
  useEffect(() => {
    const escape = (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (drawer.peek()) drawer.value = false;
      else if (panel.peek()) panel.value = null;
    };
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, []);
  return html`
    ${place === "chat" && html`<a class="skip" href="#composer" onClick=${toComposer}>${t("skip")}</a>`}
    <div class=${`shell ${panel.value ? "with-panel" : ""} ${drawer.value ? "with-drawer" : ""}`}>
      <${Side} />
      ${drawer.value && html`<button class="veil" aria-label=${t("close")} onClick=${() => { drawer.value = false; }}></button>`}
      <div class="middle">
        <${Head} title=${title} />
        ${place === "catalogue" ? html`<${Catalogue} />` : place === "evaluations" ? html`<${Evaluations} />`
          : place === "turn" ? html`<${Linked} />` : html`<${Conversation} />`}
      </div>
      <${Panel} />
    </div>
    <${Notice} />
    ${locked.value && html`<${SignIn} />`}`;
}

function toComposer(event) {
  event.preventDefault();
  document.getElementById("composer")?.focus();
}

function Head({ title }) {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
  const label = `${t("theme")}：${t(`theme.${theme.value}`)}`;
  return html`<header class="head">
    <button class="plain menu" aria-label=${t("menu")} aria-expanded=${drawer.value} onClick=${() => { drawer.value = !drawer.value; }}><${Icon} name="menu" /></button>
    <h1 class="title">${title || t("name")}</h1>
    <div class="tools">
      <button class="plain" aria-label=${t("new")} title=${t("new")} onClick=${fresh}><${Icon} name="plus" /></button>
      <button class="plain" onClick=${() => { lang.value = lang.value === "zh" ? "en" : "zh"; }} lang=${lang.value === "zh" ? "en" : "zh-CN"}><${Icon} name="globe" /><span class="wide">${t("language")}</span><span class="sr narrow">${t("language")}</span></button>
      <button class="plain" aria-label=${label} title=${label} onClick=${() => { theme.value = next; }}><${Icon} name=${DRAWN[theme.value]} /></button>
      ${key.value && html`<button class="plain" aria-label=${t("signin.out")} title=${t("signin.out")} onClick=${() => { setKey(null); location.reload(); }}><${Icon} name="key" /></button>`}
    </div>
  </header>`;
}
