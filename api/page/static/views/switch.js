// A topic switch: a divider that names what was dropped, and gives it back.
import { html } from "../lib/view.js";

export function Switch() {
  return null;
}
