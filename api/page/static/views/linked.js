// A turn that somebody has linked to, shown, or asked again under ones own policy.
import { html } from "../lib/view.js";

export function Linked() {
  return null;
}
