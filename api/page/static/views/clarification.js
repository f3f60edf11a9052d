// One question back, with options to click.
import { html } from "../lib/view.js";

export function Clarification() {
  return null;
}
