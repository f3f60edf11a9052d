// The way from a question to its number: definition, slots with where each came from, statement, marks of the record.
import { html } from "../lib/view.js";
import { known, t } from "../lib/words.js";
import { bundle, catalogue, entries } from "../lib/store.js";
import { copy } from "../lib/copy.js";
import { Icon } from "./icons.js";
import { Replay } from "./replay.js";
import { Sql } from "./sql.js";

export function Origin({ turn }) {
  return html`
    ${turn.completed_question && html`<section><h3>${t("origin.question")}</h3><p class="completed">${turn.completed_question}</p></section>`}
    <${Definitions} metrics=${turn.slots?.metrics ?? []} />
    <${Slots} turn=${turn} />
    <${Changes} turn=${turn} />
    ${turn.assumptions.length > 0 && html`<section><h3>${t("origin.assumed")}</h3>
      <ul class="plainly">${turn.assumptions.map((item, index) => html`<li key=${index}>${slotName(item.slot)}${t("panel.colon")}${assumed(turn, item)}</li>`)}</ul></section>`}
    <section><h3>${t("origin.rows")}</h3><${Facts} facts=${counted(turn)} /></section>
    ${turn.sql && html`<details class="fold" open><summary>${t("origin.sql")}</summary><${Sql} text=${turn.sql} /></details>`}
    ${turn.record_hash && html`<section class="proof"><h3>${t("origin.proof")}</h3>
      <${Replay} turn=${turn} />
      <div class="bundle"><button onClick=${() => bundle(turn.turn_id)}><${Icon} name="file" size=${16} />${t("origin.bundle")}</button>
        <p class="small dim">${t("origin.bundle.what")}</p></div></section>`}
    <details class="fold"><summary>${t("origin.record")}</summary><${Facts} facts=${recorded(turn)} /></details>`;
}

/** A slot in words, by its key: `filters.park_id` by the dimension's label. */
export function slotName(key) {
  const [slot, field] = key.split(/\.(.*)/);
  const found = field && [...(catalogue.value?.dimensions ?? []), ...(catalogue.value?.metrics ?? [])].find((item) => item.id === field);
  const name = known(`slot.name.${slot}`) ? t(`slot.name.${slot}`) : slot;
  return found ? `${name} · ${found.label}` : name;
}

function assumed(turn, item) {
  const chip = turn.chips.find((one) => one.key === item.slot);
  return chip?.words ?? (known(`assumed.${item.value}`) ? t(`assumed.${item.value}`) : item.value);
}

function Definitions({ metrics }) {
  const all = catalogue.value?.metrics ?? [];
  const found = metrics.map((name) => all.find((item) => item.id === name)).filter(Boolean);
  return found.length > 0 && html`<section><h3>${t("origin.definition")}</h3>
    ${found.map((item) => html`<div class="definition" key=${item.id}>
      <p><b>${item.label}</b> <code class="small dim">${item.id}</code></p>
      ${item.description && html`<p>${item.description}</p>`}
      ${item.formula && !item.description?.includes(item.formula) && html`<p class="formula">${item.label} = ${item.formula}</p>`}
      <p class="small dim">${[known(`kind.${item.kind}`) ? t(`kind.${item.kind}`) : item.kind, item.percent ? t("kind.percent") : item.unit].filter(Boolean).join(" · ")}</p>
    </div>`)}</section>`;
}

function Slots({ turn }) {
  return turn.chips.length > 0 && html`<section><h3>${t("origin.slots")}</h3>
    <dl class="slots">${turn.chips.map((chip) => html`<div key=${chip.key} data-source=${chip.source}>
      <dt>${chip.source === "policy" ? t("origin.policy") : slotName(chip.key)}</dt>
      <dd><b>${chip.words}</b>
        <span class=${`from from-${chip.source}`}>${chip.source === "said" ? t("origin.said") : chip.origin}</span>
        <${Saying} turn=${turn} spot=${turn.provenance[chip.key]} /></dd></div>`)}</dl></section>`;
}

/** The words that a slot came from, marked in the question that said them; spans count characters, not UTF-16 units. */
function Saying({ turn, spot }) {
  if (!spot?.span || spot.span[0] === spot.span[1]) return null;
  const told = spot.turn === turn.seq ? turn : entries.value.map((entry) => entry.value.turn).find((one) => one?.seq === spot.turn && one.session_id === turn.session_id);
  const letters = Array.from(told?.question ?? "");
  const [from, to] = spot.span;
  return letters.length >= to && html`<q class="saying">${letters.slice(0, from).join("")}<mark>${letters.slice(from, to).join("")}</mark>${letters.slice(to).join("")}</q>`;
}

function Changes({ turn }) {
  const told = ["set", "kept", "dropped"].map((how) => {
    const keys = turn.changes[how].filter((key) => key !== "object" || how === "dropped");
    return [how, keys.map((key) => turn.chips.find((chip) => chip.key === key)?.words ?? slotName(key))];
  }).filter(([, names]) => names.length > 0);
  return told.length > 0 && html`<section><h3>${t("origin.changes")}</h3>
    <${Facts} facts=${told.map(([how, names]) => [t(`origin.${how}`), names.join(t("panel.comma"))])} /></section>`;
}

const counted = (turn) => [
  [t("origin.count"), turn.result ? t("origin.count.rows", { n: turn.result.row_count }) : null],
  [t("origin.fresh"), turn.fresh_to],
  [t("origin.clock"), turn.as_of?.slice(0, 10)],
  [t("origin.asked"), turn.now?.replace("T", " ")],
  [t("origin.times"), ["reading", "compiling", "running"].map((part) => `${t(`origin.${part}`)} ${Math.round(turn.timings_ms[part])} ms`).join(" · ")],
];

const recorded = (turn) => [
  [t("origin.turn"), turn.turn_id, "id"],
  [t("origin.hash"), turn.record_hash, "id"],
  [t("origin.semantic"), turn.semantic_hash, "id"],
  [t("origin.data"), turn.data_version, "id"],
  ...Object.entries(turn.versions).map(([name, version]) => [name, version]),
];

/** Facts, one a line; those that are ids can be copied whole. */
const Facts = ({ facts }) => html`<dl class="facts">${facts.filter(([, value]) => value).map(([name, value, form]) => html`<div key=${name}>
  <dt>${name}</dt><dd>${form === "id" ? html`<code title=${value}>${value.slice(0, 12)}…</code>
    <button class="plain" aria-label=${t("origin.copy", { what: name })} title=${t("origin.copy", { what: name })} onClick=${() => copy(value)}><${Icon} name="copy" size=${14} /></button>` : value}</dd></div>`)}</dl>`;
