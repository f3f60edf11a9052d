// A turn that somebody has linked to: as it was recorded, for whoever may see it; else asked again under ones own policy.
import { html, useEffect, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { go, here } from "../lib/router.js";
import { call, key } from "../lib/client.js";
import { ask, complain, edit, entries, panel, reason, running, session } from "../lib/store.js";
import { askedBy, brought, same } from "../lib/links.js";
import { Icon } from "./icons.js";
import { Answer } from "./turn.js";

export function Linked() {
  const { turn: id, facts } = here.value;
  const [state, setState] = useState({});
  useEffect(() => {
    let left = false;
    panel.value = null;
    setState({});
    call(`/v1/turns/${encodeURIComponent(id)}`).then((turn) => !left && setState({ turn }), (problem) => {
      if (left || problem.code === "unauthenticated") return;
      if (problem.code === "not-found" && askedBy(facts) && !running.peek()) askAgain(askedBy(facts), "shared");
      else setState({ problem });
    });
    return () => { left = true; };
  }, [id, facts.e, facts.q, key.value]);
  const { turn, problem } = state;
  const asked = askedBy({ e: null, q: turn?.completed_question }, turn?.edits) ?? askedBy(facts);
  const again = () => askAgain(asked, turn ? "again" : "shared");
  return html`<main class="page linked"><div class="column">
    ${!turn && !problem && html`<div class="skeleton" role="status" aria-label=${t("linked.loading")}></div>`}
    ${problem && html`<section class="answer bad"><p class="words"><${Icon} name="warn" /> ${problem.code === "not-found" ? t(askedBy(facts) ? "linked.waits" : "linked.gone") : reason(problem)}</p>
      ${askedBy(facts) && html`<button onClick=${again}><${Icon} name="retry" size=${16} />${t("linked.again")}</button>`}
      <button onClick=${() => go("")}>${t("new")}</button></section>`}
    ${turn && html`<div class="linked-head"><p><${Icon} name="link" size=${16} /> ${t("linked.recorded", { when: turn.now?.slice(0, 16).replace("T", " ") ?? "" })}</p>
        <div class="acts"><button onClick=${() => go(`s/${turn.session_id}/t/${turn.turn_id}`)}>${t("linked.session")}</button>
        ${asked && html`<button onClick=${again}><${Icon} name="retry" size=${16} />${t("linked.again")}</button>`}</div></div>
      <article class="entry" id=${`turn-${turn.turn_id}`} data-status="done">
        <div class="said"><span class="sr">${t("turn.you")}：</span><p>${turn.question || turn.completed_question}</p></div>
        ${(turn.parts.length ? turn.parts : [turn]).map((part, index) => html`<${Answer} key=${index} turn=${part === turn ? turn : { ...turn, ...part, turn_id: turn.turn_id, session_id: turn.session_id, record_hash: turn.record_hash, seq: turn.seq }} />`)}
      </article>`}
  </div></main>`;
}

/** Ask what a link asks, in a session of its own; the link's address is left, so that going back does not ask again. */
async function askAgain(asked, kind) {
  go("", true);
  if (session.peek()) return; // a turn is running there
  await (asked.edits ? edit(asked.edits, t(kind === "shared" ? "linked.said" : "linked.said.again")) : ask(asked.question));
  const entry = entries.peek()[0];
  const turn = entry?.peek().turn;
  if (!turn || !session.peek()) return;
  if (turn.completed_question) entry.value = { ...entry.peek(), said: turn.completed_question };
  brought.value = { session: session.peek().session_id, kind, status: !turn.slots ? "none" : same(asked, turn) ? "same" : "other" };
}

/** Above the turns of a session that a link began: whose question it is, and whether it is still the same one. */
export function Brought() {
  const found = brought.value;
  if (!found || found.session !== session.value?.session_id) return null;
  const { kind, status } = found;
  return html`<div class="brought" role="note">
    ${kind === "shared" && html`<p><${Icon} name="link" size=${16} /> ${t("linked.shared")}</p>`}
    ${status === "other" && html`<p class="other"><${Icon} name="warn" size=${16} /> ${t("linked.other")}</p>`}
    ${kind === "again" && status === "same" && html`<p><${Icon} name="check" size=${16} /> ${t("linked.same")}</p>`}
  </div>`;
}
