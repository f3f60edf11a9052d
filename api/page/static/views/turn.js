// One turn: what was said, and what came of it.
import { html, useComputed } from "../lib/view.js";
import { known, t } from "../lib/words.js";
import { here } from "../lib/router.js";
import { again, ask, newest, reason, running } from "../lib/store.js";
import { Icon } from "./icons.js";
import { Assumptions } from "./assumptions.js";
import { Chips } from "./chips.js";
import { Clarification } from "./clarification.js";
import { Result } from "./result.js";
import { Sql } from "./sql.js";
import { Switch } from "./switch.js";
import { Tools } from "./tools.js";

const STAGES = ["rows", "sql", "slots", "reading"];

export function Entry({ entry }) {
  const { said, status, turn, problem, turnId } = entry.value;
  const aimed = turnId && here.value.turn === turnId;
  return html`<article class=${`entry ${aimed ? "aimed" : ""}`} id=${turnId ? `turn-${turnId}` : undefined} data-status=${status}>
    <div class="said"><span class="sr">${t("turn.you")} </span><p>${said}</p></div>
    ${status === "running" && html`<${Running} entry=${entry} />`}
    ${status === "failed" && html`<${Failed} entry=${entry} problem=${problem} />`}
    ${turn && (turn.parts.length ? turn.parts : [turn]).map((part, index, all) =>
      html`<${Answer} key=${index} turn=${withIds(part, turn, index)} last=${index === all.length - 1} />`)}
  </article>`;
}

/** A part of a message with several questions is recorded with the turn as a whole. */
const withIds = (part, turn, index) => (part === turn ? turn : { ...part, part: index, turn_id: turn.turn_id, session_id: turn.session_id,
  record_hash: turn.record_hash, semantic_hash: turn.semantic_hash, data_version: turn.data_version, versions: turn.versions,
  timings_ms: turn.timings_ms, as_of: turn.as_of, now: turn.now });

function Running({ entry }) {
  const { stages, again: tries } = entry.value;
  const stage = STAGES.find((name) => name in stages);
  const text = tries ? t("turn.again", { n: tries }) : t(stage ? `turn.stage.${stage}` : "turn.running");
  return html`<section class="answer running" aria-live="polite">
    ${stages.text ? html`<p class="words">${stages.text.text}</p>` : html`<p class="stage"><span class="dots" aria-hidden="true"></span>${text}</p>`}
    ${stages.sql && html`<pre class="sql brief"><code>${stages.sql.sql}</code></pre>`}
  </section>`;
}

function Failed({ entry, problem }) {
  return html`<section class="answer bad" role="alert">
    <p class="words"><${Icon} name="warn" /> ${reason(problem)}</p>
    ${problem.requestId && html`<p class="dim small">${problem.requestId}</p>`}
    <button onClick=${() => again(entry)}><${Icon} name="retry" size=${16} />${t("turn.retry")}</button>
  </section>`;
}

export function Answer({ turn, last }) {
  const live = useComputed(() => last && newest.value?.turn_id === turn.turn_id && !running.value).value; // what can still be answered by a click
  const unread = turn.not_understood.length > 0;
  const pictured = turn.outcome === "answer" && turn.result;
  return html`<section class=${`answer ${turn.outcome}`} lang=${turn.lang === "zh" ? "zh-CN" : "en"}>
    <${Switch} turn=${turn} live=${live} />
    ${turn.outcome !== "answer" && known(`outcome.${turn.outcome}`) && html`<p class="kind">${t(`outcome.${turn.outcome}`)}</p>`}
    ${turn.outcome === "clarify" ? html`<${Clarification} turn=${turn} live=${live} />` : html`<${Words} turn=${turn} folded=${pictured} />`}
    ${pictured && html`<${Result} turn=${turn} />`}
    ${turn.outcome === "explain" && turn.sql && html`<details class="sources"><summary>SQL</summary><${Sql} text=${turn.sql} /></details>`}
    ${turn.sources.length > 0 && html`<${Sources} sources=${turn.sources} />`}
    ${unread && html`<p class="unread"><${Icon} name="info" size=${16} /> ${t("turn.unread", { words: turn.not_understood.join("、") })}</p>`}
    ${turn.degraded.map((name) => known(`turn.degraded.${name}`) && html`<p class="degraded" key=${name}><${Icon} name="warn" size=${16} /> ${t(`turn.degraded.${name}`)}</p>`)}
    <${Chips} turn=${turn} live=${live} />
    <${Assumptions} turn=${turn} live=${live} />
    ${live && turn.suggestions.length > 0 && html`<div class="suggested">
      <span class="dim small">${t(turn.outcome === "answer" ? "turn.suggested" : "turn.instead")}</span>
      ${turn.suggestions.map((item) => html`<button class="pill" key=${item.id} onClick=${() => ask(item.label)}>${item.label}</button>`)}
    </div>`}
    <${Tools} turn=${turn} live=${live} />
  </section>`;
}

const Words = ({ turn }) => html`<div class="words">${turn.text.split("\n").map((line, index) => html`<p key=${index}>${line}</p>`)}</div>`;

const Sources = ({ sources }) => html`<details class="sources"><summary>${t("turn.sources")} · ${sources.length}</summary>
  ${sources.map((item, index) => html`<blockquote key=${index}><cite>${item.title}${item.heading ? ` › ${item.heading}` : ""}</cite><p>${item.text}</p></blockquote>`)}
</details>`;
