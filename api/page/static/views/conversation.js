// The turns of a session, one under the other, and the composer below them.
import { html, useEffect, useLayoutEffect, useRef } from "../lib/view.js";
import { t } from "../lib/words.js";
import { here } from "../lib/router.js";
import { entries, loading, running } from "../lib/store.js";
import { Composer } from "./composer.js";
import { Entry } from "./turn.js";
import { Brought } from "./linked.js";
import { Welcome } from "./welcome.js";

const NEAR = 120; // pixels from where the newest turn is read that still count as being there
const ABOVE = 12; // pixels that are left above it

/** Where the newest turn is read from: its end in sight, but never at the price of its beginning. */
function aim(box) {
  const last = box.querySelector(".entry:last-of-type");
  const end = box.scrollHeight - box.clientHeight;
  return last ? Math.max(0, Math.min(end, last.offsetTop - ABOVE)) : end;
}

const follow = (box) => { box.scrollTop = aim(box); };

export function Conversation() {
  const scroller = useRef(null);
  const following = useRef(true);
  const list = entries.value;
  useLayoutEffect(() => { // a new turn is brought into view; who has scrolled up to read is left alone
    const box = scroller.current;
    if (running.peek()) following.current = true;
    if (!list.length) box.scrollTop = 0;
    else if (following.current) follow(box);
  }, [list.length]);
  useEffect(() => { // answers grow while they come
    const box = scroller.current;
    const grown = new ResizeObserver(() => { if (following.current && entries.peek().length && !here.peek().turn) follow(box); });
    grown.observe(box.firstElementChild);
    return () => grown.disconnect();
  }, []);
  useEffect(() => { // a link to a turn
    const { turn } = here.value;
    if (turn) document.getElementById(`turn-${turn}`)?.scrollIntoView({ block: "start" });
  }, [here.value.turn, list.length > 0]);
  const seen = () => { following.current = Math.abs(aim(scroller.current) - scroller.current.scrollTop) < NEAR; };
  return html`<main class="conversation" aria-label=${t("conversation")}>
    <div class="scroller" ref=${scroller} onScroll=${seen} tabindex="0">
      <div class="column" role="log" aria-busy=${Boolean(running.value)}>
        ${!list.length && (loading.value ? html`<div class="skeleton" aria-hidden="true"></div>` : html`<${Welcome} />`)}
        <${Brought} />
        ${list.map((entry) => html`<${Entry} key=${entry.peek().key} entry=${entry} />`)}
      </div>
    </div>
    <${Composer} />
  </main>`;
}
