// What can be asked: objects, metrics, dimensions.
import { html } from "../lib/view.js";

export function Catalogue() {
  return null;
}
