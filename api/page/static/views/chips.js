// How a turn was understood: a chip for each value of a slot.
import { html } from "../lib/view.js";

export function Chips() {
  return null;
}
