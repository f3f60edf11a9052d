// The rows of an answer: a number, a table, a chart.
import { html } from "../lib/view.js";

export function Result() {
  return null;
}
