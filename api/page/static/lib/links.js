// Links to a turn. What is asked stands in the fragment, as structure: it never reaches a server or its logs.
import { signal } from "./view.js";

const LONGEST = 6000; // characters of a fragment that still pass through mail and chat

/** What a link brought into this session: `{session, asked, words, status}`; null where no link was followed. */
export const brought = signal(null);

/** The address of a turn: its id, and what asks the same for whoever may not see it. */
export function linkTo(turn) {
  const facts = new URLSearchParams();
  const edits = turn.edits ? packed(turn.edits) : "";
  if (edits && edits.length < LONGEST) facts.set("e", edits);
  else if (turn.completed_question) facts.set("q", turn.completed_question);
  const more = facts.toString();
  return `${location.origin}${location.pathname}#/t/${turn.turn_id}${more ? `?${more}` : ""}`;
}

/** What a link (or a turn, by its `edits`) asks: `{edits}` or `{question}`; null where it says nothing that can be read. */
export function askedBy(facts, edits = facts.e ? unpacked(facts.e) : null) {
  if (Array.isArray(edits) && edits.length) return { edits };
  return facts.q ? { question: facts.q } : null;
}

/** Whether a turn asks what the link asked. The edits of the same slots are the same, whatever the order of their keys. */
export function same(asked, turn) {
  if (asked.edits) return canonical(asked.edits) === canonical(turn.edits);
  return asked.question === turn.completed_question;
}

function canonical(value) {
  return JSON.stringify(value, (key, one) => (one && typeof one === "object" && !Array.isArray(one)
    ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));
}

function packed(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
