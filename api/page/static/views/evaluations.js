// Evaluations: runs, scores, failures side by side.
import { html } from "../lib/view.js";

export function Evaluations() {
  return null;
}
