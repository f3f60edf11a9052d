// The list of sessions, and the way to the other places. On narrow screens it is a drawer over the page.
import { html, useEffect, useRef, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { here } from "../lib/router.js";
import { catalogue, drawer, fresh } from "../lib/store.js";
import { Icon } from "./icons.js";
import { Sessions } from "./sessions.js";
import { inTongue } from "./places.js";

const NARROW = matchMedia("(max-width: 860px)");

export function Side() {
  const nav = useRef(null);
  const narrow = useNarrow();
  const open = drawer.value;
  useDrawer(nav, narrow, open);
  const title = catalogue.value ? inTongue(catalogue.value.title) : "";
  return html`<nav class=${`side ${open ? "open" : ""}`} id="side" ref=${nav} inert=${narrow && !open} aria-label=${t("menu")}>
    <div class="side-head">
      <p class="brand"><img class="mark" src="page/icon.svg" alt="" width="24" height="24" /><span class="brand-name">${t("name")}</span><span class="brand-title dim small">${title}</span></p>
      ${narrow && html`<button class="plain" aria-label=${t("close")} onClick=${shut}><${Icon} name="close" /></button>`}
    </div>
    <button class="side-new" onClick=${fresh}><${Icon} name="plus" size=${16} />${t("new")}</button>
    <${Sessions} />
    <${Places} />
  </nav>`;
}

const shut = () => { drawer.value = false; };

function useNarrow() {
  const [narrow, set] = useState(NARROW.matches);
  useEffect(() => {
    const changed = () => set(NARROW.matches);
    NARROW.addEventListener("change", changed);
    return () => NARROW.removeEventListener("change", changed);
  }, []);
  return narrow;
}

/** While the drawer is open the rest cannot be reached; the focus goes in, and back where it came from. */
function useDrawer(nav, narrow, open) {
  useEffect(() => {
    if (!narrow || !open) return undefined;
    const rest = document.querySelector(".middle");
    const from = document.activeElement;
    rest.inert = true;
    nav.current.querySelector("button").focus();
    return () => {
      rest.inert = false;
      if (from?.isConnected && (document.activeElement === document.body || nav.current?.contains(document.activeElement))) from.focus();
    };
  }, [narrow, open]);
}

function Places() {
  const { place } = here.value;
  const found = catalogue.value;
  const may = found?.scopes.includes("analyst");
  const link = (to, icon) => html`<a class="side-link" href=${`#/${to}`} aria-current=${place === to ? "page" : undefined} onClick=${shut}>
    <${Icon} name=${icon} size=${17} />${t(`place.${to}`)}</a>`;
  return html`<div class="side-foot">
    ${link("catalogue", "book")}
    ${may && link("evaluations", "gauge")}
    ${found && html`<p class="side-version" title=${`${t("place.data")} ${found.data_version}`}>${t("place.data")} <code>${found.data_version.slice(0, 8)}</code></p>`}
  </div>`;
}
