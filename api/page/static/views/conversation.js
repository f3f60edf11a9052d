// The turns of a session, one under the other, and the composer below them.
import { html, useEffect, useLayoutEffect, useRef } from "../lib/view.js";
import { t } from "../lib/words.js";
import { here } from "../lib/router.js";
import { entries, loading, running } from "../lib/store.js";
import { Composer } from "./composer.js";
import { Entry } from "./turn.js";
import { Brought } from "./linked.js";
import { Welcome } from "./welcome.js";

const NEAR = 120; // pixels from the end that still count as being there

export function Conversation() {
  const scroller = useRef(null);
  const following = useRef(true);
  const list = entries.value;
  useLayoutEffect(() => { // a new turn is brought into view; who has scrolled up to read is left alone
    const box = scroller.current;
    if (box) box.scrollTop = !list.length ? 0 : following.current || running.peek() ? box.scrollHeight : box.scrollTop;
  }, [list.length]);
  useEffect(() => { // answers grow while they come
    const box = scroller.current;
    if (!box) return undefined;
    const grown = new ResizeObserver(() => { if (following.current && entries.peek().length && !here.peek().turn) box.scrollTop = box.scrollHeight; });
    grown.observe(box.firstElementChild);
    return () => grown.disconnect();
  }, []);
  useEffect(() => { // a link to a turn
    const { turn } = here.value;
    if (turn) document.getElementById(`turn-${turn}`)?.scrollIntoView({ block: "start" });
  }, [here.value.turn, list.length > 0]);
  const seen = () => {
    const box = scroller.current;
    following.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
  };
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
