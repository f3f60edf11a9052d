// The first screen: what this is, and examples to click.
import { html } from "../lib/view.js";

export function Welcome() {
  return null;
}
