// The list of sessions, and the way to the other places.
import { html } from "../lib/view.js";

export function Side() {
  return html`<nav class="side"></nav>`;
}
