// The colour of the page around: for what is pressed, with ink on it that can be read.

/** Take a colour (`#rrggbb`) for buttons; anything else is passed over. */
export function tint(colour) {
  if (!/^#[0-9a-f]{6}$/i.test(colour ?? "")) return;
  const root = document.documentElement;
  root.dataset.tinted = "";
  root.style.setProperty("--main", colour);
  root.style.setProperty("--main-ink", inkOn(colour));
}

/** White or near black: whichever stands out more (WCAG relative luminance). */
export function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#06120f" : "#ffffff";
}
