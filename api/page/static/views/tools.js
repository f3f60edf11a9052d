// What can be done with a turn: where it came from, a mark, a link, undo.
import { computed, html, useComputed, useEffect, useRef, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { entries, panel, running, undo } from "../lib/store.js";
import { copy } from "../lib/copy.js";
import { embedded } from "../lib/embedding.js";
import { linkTo } from "../lib/links.js";
import { Feedback, Thumbs } from "./feedback.js";
import { Icon } from "./icons.js";

export function Tools({ turn }) {
  const [marking, setMarking] = useState(false);
  const thumbs = useRef(null);
  const traced = Boolean(turn.slots || turn.sql);
  const open = traced && panel.value?.kind === "origin" && panel.value.turn.turn_id === turn.turn_id && panel.value.turn.text === turn.text;
  const back = useComputed(() => undone.value === turn.turn_id && turn.seq > 1 && !running.value).value;
  const actions = [
    turn.slots && !embedded && { icon: "link", name: "tools.link", act: () => copy(linkTo(turn)) },
    { icon: "copy", name: "tools.copy", act: () => copy(turn.text) },
    back && { icon: "undo", name: "turn.undo", act: undo },
  ].filter(Boolean);
  const done = () => { setMarking(false); thumbs.current?.querySelector(".down").focus(); };
  return html`<footer class="turn-tools" ref=${thumbs}>
    ${traced && html`<button class="plain origin" aria-expanded=${Boolean(open)} onClick=${() => { panel.value = open ? null : { kind: "origin", turn }; }}>
      <${Icon} name="info" size=${16} />${t("tools.origin")}</button>`}
    ${turn.record_hash && html`<${Thumbs} turn=${turn} marking=${marking} ask=${() => setMarking(!marking)} />`}
    <span class="roomy">${actions.map((item) => html`<${Action} key=${item.name} ...${item} />`)}</span>
    <${More} actions=${actions} turn=${turn} />
    <span class="turn-when small dim roomy"><time datetime=${turn.now} title=${turn.now?.replace("T", " ")}>${turn.now?.slice(11, 16)}</time> · ${t("turn.number", { n: turn.seq })}</span>
    ${marking && html`<${Feedback} turn=${turn} done=${done} />`}
  </footer>`;
}

/** The turn that undo would take back: the last that has changed what is asked. Found once, for all turns. */
const undone = computed(() => entries.value.map((entry) => entry.value.turn)
  .findLast((one) => one && one.changes.set.length + one.changes.dropped.length > 0)?.turn_id);

const Action = ({ icon, name, act }) => html`<button class="plain" aria-label=${t(name)} title=${t(name)} onClick=${act}><${Icon} name=${icon} size=${16} /></button>`;

/** On narrow screens the rest stands in a menu. */
function More({ actions, turn }) {
  const box = useRef(null);
  useEffect(() => { // it closes once something else is touched
    const touched = (event) => { if (!box.current.contains(event.target)) box.current.open = false; };
    addEventListener("pointerdown", touched);
    return () => removeEventListener("pointerdown", touched);
  }, []);
  const left = (event) => { // or the focus has gone elsewhere
    if (event.relatedTarget && !box.current.contains(event.relatedTarget)) box.current.open = false;
  };
  const escape = (event) => {
    if (event.key !== "Escape" || !box.current.open) return;
    event.preventDefault();
    box.current.open = false;
    box.current.firstElementChild.focus();
  };
  return html`<details class="more" ref=${box} onFocusOut=${left} onKeyDown=${escape}>
    <summary aria-label=${t("tools.more")} title=${t("tools.more")}><${Icon} name="more" size=${18} /></summary>
    <div class="more-menu">
      ${actions.map((item) => html`<button class="plain" key=${item.name} onClick=${() => { box.current.open = false; item.act(); }}><${Icon} name=${item.icon} size=${16} />${t(item.name)}</button>`)}
      <p class="small dim">${t("turn.number", { n: turn.seq })} · ${turn.now?.slice(0, 16).replace("T", " ")}</p>
    </div>
  </details>`;
}
