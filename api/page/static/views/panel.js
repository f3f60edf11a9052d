// What stands open at the side: where a number came from.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { panel } from "../lib/store.js";
import { Icon } from "./icons.js";
import { Origin } from "./origin.js";

const NARROW = matchMedia("(max-width: 1180px)"); // there it lies over the page, as style/layout.css has it

export function Panel() {
  const open = panel.value;
  return open && html`<${Sheet} key=${open.turn.turn_id + open.turn.text} turn=${open.turn} />`;
}

function Sheet({ turn }) {
  const box = useRef(null);
  const [over, setOver] = useState(NARROW.matches);
  useEffect(() => {
    const changed = () => setOver(NARROW.matches);
    NARROW.addEventListener("change", changed);
    return () => NARROW.removeEventListener("change", changed);
  }, []);
  useLayoutEffect(() => { // the focus goes in, and back to where it came from
    const from = document.activeElement;
    box.current.focus({ preventScroll: true });
    return () => { if (from?.isConnected) requestAnimationFrame(() => { if (!panel.peek()) from.focus({ preventScroll: true }); }); };
  }, []);
  useLayoutEffect(() => { // what lies below can not be reached meanwhile
    const below = over ? [...document.querySelectorAll(".shell > .side, .shell > .middle")] : [];
    for (const part of below) part.inert = true;
    return () => { for (const part of below) part.inert = false; };
  }, [over]);
  const close = () => { panel.value = null; };
  return html`
    <div class="panel-veil" onClick=${close}></div>
    <div class="panel" ref=${box} tabindex="-1" role=${over ? "dialog" : "complementary"} aria-modal=${over || undefined} aria-labelledby="panel-title">
      <header class="panel-head"><h2 id="panel-title">${t("tools.origin")}</h2>
        <button class="plain" aria-label=${t("close")} title=${t("close")} onClick=${close}><${Icon} name="close" /></button></header>
      <div class="panel-body"><${Origin} turn=${turn} /></div>
    </div>`;
}
