// One session of the list: a link, and a menu to rename it or take it off.
import { html, useEffect, useRef, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { complain, drawer, remove, rename, say, session as opened } from "../lib/store.js";
import { here } from "../lib/router.js";
import { Icon } from "./icons.js";

export function SessionRow({ session, onChanged, onGone }) {
  const [doing, set] = useState(""); // menu, naming or leaving
  const more = useRef(null);
  const title = session.title || t("untitled");
  const current = here.value.place === "chat" && opened.value?.session_id === session.session_id;
  const done = () => { set(""); requestAnimationFrame(() => more.current?.focus()); };
  const named = async (text) => {
    done();
    if (!text.trim() || text.trim() === session.title) return;
    try { await rename(session.session_id, text.trim()); onChanged(); } catch (error) { complain(error); }
  };
  const left = async () => {
    set("");
    try { await remove(session.session_id); say(t("side.removed")); onGone(); } catch (error) { complain(error); }
  };
  return html`<li class=${`session ${current ? "current" : ""}`}>
    ${doing === "naming"
      ? html`<${Naming} title=${session.title} onNamed=${named} onLeft=${done} />`
      : html`<a href=${`#/s/${session.session_id}`} title=${title} aria-current=${current ? "page" : undefined} onClick=${() => { drawer.value = false; }}>
          <span class="session-title">${title}</span>
          ${session.turns > 0 && html`<span class="session-turns" title=${t("side.turns", { n: session.turns })}><span aria-hidden="true">${session.turns}</span><span class="sr">${t("side.turns", { n: session.turns })}</span></span>`}
        </a>
        <button class="plain session-more" ref=${more} aria-label=${t("side.menu", { title })} aria-haspopup="menu" aria-expanded=${doing === "menu"} onClick=${() => set("menu")}><${Icon} name="more" size=${18} /></button>`}
    ${doing === "menu" && html`<${Menu} beside=${more} onRename=${() => set("naming")} onRemove=${() => set("leaving")} onClose=${() => set((now) => (now === "menu" ? "" : now))} />`}
    ${doing === "leaving" && html`<${Leaving} title=${title} onYes=${left} onNo=${done} />`}
  </li>`;
}

function Menu({ beside, onRename, onRemove, onClose }) {
  const box = useRef(null);
  useEffect(() => {
    const { current } = box;
    const at = beside.current.getBoundingClientRect();
    current.showPopover();
    current.style.left = `${Math.max(8, Math.min(at.left, innerWidth - current.offsetWidth - 8))}px`;
    current.style.top = `${at.bottom + current.offsetHeight + 8 > innerHeight ? at.top - current.offsetHeight - 2 : at.bottom + 2}px`;
    current.querySelector("button").focus();
  }, []);
  const close = () => { onClose(); beside.current?.focus(); };
  const typed = (event) => {
    const items = [...box.current.querySelectorAll("button")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus(); }
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); close(); }
    if (event.key === "Tab") close();
  };
  return html`<div class="row-menu" role="menu" popover="auto" ref=${box} onKeyDown=${typed} onToggle=${(event) => { if (event.newState === "closed") onClose(); }}>
    <button role="menuitem" onClick=${onRename}><${Icon} name="edit" size=${16} />${t("side.rename")}</button>
    <button role="menuitem" class="danger" onClick=${onRemove}><${Icon} name="trash" size=${16} />${t("side.remove")}</button>
  </div>`;
}

function Naming({ title, onNamed, onLeft }) {
  const box = useRef(null);
  const ended = useRef(false);
  useEffect(() => { box.current.focus(); box.current.select(); }, []);
  const end = (how) => { if (!ended.current) { ended.current = true; how(); } };
  const typed = (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter") { event.preventDefault(); end(() => onNamed(box.current.value)); }
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); end(onLeft); }
  };
  return html`<input class="naming" ref=${box} type="text" maxlength="120" defaultValue=${title} aria-label=${t("side.name")} onKeyDown=${typed}
    onBlur=${() => end(() => onNamed(box.current.value))} />`;
}

function Leaving({ title, onYes, onNo }) {
  const dialog = useRef(null);
  useEffect(() => { dialog.current.showModal(); }, []);
  return html`<dialog class="leaving" ref=${dialog} aria-labelledby="leaving-title" onCancel=${onNo} onKeyDown=${(event) => event.stopPropagation()}>
    <h2 id="leaving-title">${t("side.remove.title")}</h2>
    <p class="leaving-name">${title}</p>
    <p class="dim">${t("side.remove.text")}</p>
    <div class="buttons"><button onClick=${onNo} autofocus>${t("cancel")}</button><button class="main bad" onClick=${onYes}>${t("side.remove")}</button></div>
  </dialog>`;
}
