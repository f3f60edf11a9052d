// The turn that a chip was carried from; a click leads there.
import { html } from "../lib/view.js";
import { entries } from "../lib/store.js";

/** `always`: on narrow screens too. */
export function Origin({ chip, always = false }) {
  return html`<button class=${always ? "chip-from link" : "chip-from wide"} onClick=${() => toTurn(chip.turn)}>${chip.origin}</button>`;
}

function toTurn(seq) {
  const found = entries.peek().find((entry) => entry.peek().turn?.seq === seq);
  const place = found && document.getElementById(`turn-${found.peek().turnId}`);
  if (!place) return;
  place.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  place.classList.add("pointed");
  setTimeout(() => place.classList.remove("pointed"), 1600);
}
