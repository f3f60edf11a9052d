// What can be done with a turn: where it came from, a mark, a link, undo.
import { html } from "../lib/view.js";

export function Tools() {
  return null;
}
