// What stands open at the side: where a number came from.
import { html } from "../lib/view.js";

export function Panel() {
  return null;
}
