// Onto the clipboard; where a browser has none for this page, by the old way.
import { say } from "./store.js";
import { t } from "./words.js";

/** Copy a text, and say so. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("panel.copied"));
  } catch {
    const done = byHand(text);
    say(t(done ? "panel.copied" : "panel.copy.failed"), done ? "info" : "bad");
  }
}

function byHand(text) {
  const box = document.createElement("textarea");
  box.value = text;
  box.setAttribute("readonly", "");
  box.style.position = "fixed";
  box.style.opacity = "0";
  document.body.append(box);
  const before = document.activeElement;
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  before?.focus?.();
  return done;
}
