// The sessions at the side, by day, and a search in their titles.
import { html, signal, useEffect, useRef } from "../lib/view.js";
import { t } from "../lib/words.js";
import { complain, loadSessions, older, sessions } from "../lib/store.js";
import { SessionRow } from "./session-row.js";
import { Search } from "./places.js";

const PAUSE = 250; // milliseconds after the last key before it is searched
const GROUPS = ["today", "yesterday", "week", "before"];

const words = signal("");
const found = signal(null); // what was found: {sessions, next}, null where nothing is searched

export function Sessions() {
  const box = useRef(null);
  const searching = Boolean(words.value.trim());
  useEffect(() => {
    const wait = setTimeout(search, searching ? PAUSE : 0);
    return () => clearTimeout(wait);
  }, [words.value]);
  const list = searching ? found.value?.sessions : sessions.value;
  const next = searching ? found.value?.next : older.value;
  const gone = () => { search(); box.current.querySelector("input")?.focus(); };
  return html`<div class="sessions" ref=${box}>
    ${(searching || sessions.value?.length > 0) && html`<${Search} label=${t("side.search")} value=${words.value} onValue=${(text) => { words.value = text; }} />`}
    <div class="session-list" aria-busy=${!list}>
      ${list?.length === 0 && html`<${Nothing} searching=${searching} />`}
      ${list && grouped(list).map(([group, items]) => html`<section key=${group} aria-labelledby=${`group-${group}`}>
        <h2 class="group" id=${`group-${group}`}>${t(`side.${group}`)}</h2>
        <ul>${items.map((item) => html`<${SessionRow} key=${item.session_id} session=${item} onChanged=${search} onGone=${gone} />`)}</ul>
      </section>`)}
      ${list && next && html`<button class="plain more" onClick=${() => more(next)}>${t("side.more")}</button>`}
    </div>
  </div>`;
}

function Nothing({ searching }) {
  return searching
    ? html`<p class="side-empty">${t("side.nothing", { words: words.value.trim() })}</p>`
    : html`<div class="side-empty"><p>${t("side.empty")}</p><p>${t("side.empty.more")}</p></div>`;
}

async function search() {
  const text = words.peek().trim();
  if (!text) { found.value = null; return; }
  try {
    const answer = await loadSessions(text);
    if (text === words.peek().trim()) found.value = answer;
  } catch (error) {
    complain(error);
  }
}

async function more(next) {
  const text = words.peek().trim();
  try {
    const answer = await loadSessions(text, next);
    if (text) found.value = { sessions: [...found.peek().sessions, ...answer.sessions], next: answer.next };
  } catch (error) {
    complain(error);
  }
}

/** Sessions by how long ago they were used: [[group, sessions]]. */
function grouped(list) {
  const today = new Date();
  const midnight = (day) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
  const age = (text) => Math.round((midnight(today) - midnight(new Date(text))) / 86_400_000);
  const of = (days) => (days <= 0 ? "today" : days === 1 ? "yesterday" : days < 7 ? "week" : "before");
  return GROUPS.map((group) => [group, list.filter((item) => of(age(item.updated)) === group)]).filter(([, items]) => items.length);
}
