// What still stands of a conversation: turns that were only talk leave it as it was.
import { computed } from "./view.js";
import { entries, running } from "./store.js";

const OPEN = new Set(["unread", "nothing-read", "unknown-option", "bad-edit"]); // declines that leave a question open

/** The last answer whose slots still hold: its chips can be changed. */
export const standing = computed(() => lastOf((turn) => turn.slots !== null, (turn) => turn.outcome !== "clarify"));
/** The question back that can still be answered. */
export const asking = computed(() => lastOf((turn) => turn.clarification !== null, (turn) => turn.outcome !== "decline" || OPEN.has(turn.reason)));

/** The last turn, or last part of one, that is wanted, if those after it changed nothing and may be passed. */
function lastOf(wanted, passed) {
  if (running.value) return null;
  for (const entry of [...entries.value].reverse()) {
    const whole = entry.value.turn;
    if (!whole) continue;
    const turn = whole.parts[whole.parts.length - 1] ?? whole;
    if (wanted(turn)) return turn;
    if (turn.switch || turn.slots || turn.changes.dropped.length || turn.changes.set.length || !passed(turn)) return null;
  }
  return null;
}
