// Small drawings of one line width; all are decoration, the words stand beside them or in `aria-label`.
import { html } from "../lib/view.js";

const PATHS = {
  menu: "M4 6h16M4 12h16M4 18h16",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  send: "M5 12h14M13 6l6 6-6 6",
  stop: "M7 7h10v10H7z",
  sun: "M12 4V2m0 20v-2m8-8h2M2 12h2m13.7-5.7 1.4-1.4M4.9 19.1l1.4-1.4m11.4 0 1.4 1.4M4.9 4.9l1.4 1.4M12 8a4 4 0 100 8 4 4 0 000-8z",
  moon: "M20 14.5A8 8 0 119.5 4a6.5 6.5 0 0010.5 10.5z",
  auto: "M12 3a9 9 0 100 18V3z M12 3a9 9 0 010 18",
  globe: "M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 010 12h-3",
  retry: "M20 11a8 8 0 10-2.3 6.3M20 4v7h-7",
  up: "M7 11v9H4v-9h3zm0 0l4-8c1.5 0 2.5 1 2.5 2.5V9H19a2 2 0 012 2.3l-1 7A2 2 0 0118 20H7",
  down: "M17 13V4h3v9h-3zm0 0l-4 8c-1.500 0-2.500-1-2.500-2.500V15H5a2 2 0 01-2-2.300l1-7A2 2 0 016 4h11",
  link: "M10 14a4 4 0 005.700 0l3-3a4 4 0 00-5.700-5.700l-1 1M14 10a4 4 0 00-5.700 0l-3 3a4 4 0 005.700 5.700l1-1",
  search: "M11 4a7 7 0 100 14 7 7 0 000-14zm5 12l4 4",
  edit: "M4 20h4L19 9l-4-4L4 16v4z",
  trash: "M4 7h16M9 7V4h6v3m-8 0l1 13h8l1-13",
  book: "M5 4h10a3 3 0 013 3v13H8a3 3 0 01-3-3V4zm0 13a3 3 0 013-3h10",
  gauge: "M4 18a8 8 0 1116 0M12 18l4-6",
  table: "M4 5h16v14H4zM4 10h16M10 10v9",
  chart: "M5 20V10m7 10V4m7 16v-7",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  info: "M12 3a9 9 0 100 18 9 9 0 000-18zm0 8v6m0-9v.01",
  check: "M5 12l5 5 9-10",
  warn: "M12 4l9 16H3zM12 10v4m0 3v.01",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  key: "M14 10a4 4 0 10-3.500 4L12 16h2v2h2v2h4v-4l-6.200-6",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 016 0v3",
  next: "M9 6l6 6-6 6",
  back: "M15 6l-6 6 6 6",
  carried: "M5 5v7a3 3 0 003 3h11M15 11l4 4-4 4",
};

/** A drawing by its name, as large as the text beside it. */
export const Icon = ({ name, size = 18 }) => html`<svg class="icon" width=${size} height=${size} viewBox="0 0 24 24" fill="none"
  stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
