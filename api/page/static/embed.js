// Puts the chat into a page:
//   <script src="https://wenshu.example/embed.js" data-key="wenshu_…" async></script>
// A button at the corner, or with data-target="#id" in a place of the page's own. docs/embedding.md has the rest.
// What is drawn here stands in a shadow tree, and the chat in a frame of the service: neither sees the other's code.
(() => {
  const tag = document.currentScript;
  if (!tag?.src) return;
  const { key, title, theme, color, target } = tag.dataset;
  const service = new URL(tag.src).origin;
  const lang = (tag.dataset.lang || document.documentElement.lang || navigator.language).toLowerCase().startsWith("zh") ? "zh" : "en";
  const name = title || { zh: "问数", en: "Wenshu" }[lang];
  const colour = /^#[0-9a-f]{6}$/i.test(color ?? "") ? color : "#0f766e";
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const ink = 299 * red + 587 * green + 114 * blue > 150_000 ? "#06120f" : "#ffffff";
  const OPEN = `wenshu.session ${key?.slice(0, 15)}`; // which talk is open in this tab, by the key's id
  const PATIENCE = 10_000; // milliseconds for the frame's first word
  if (!key) {
    console.warn("wenshu: data-key is missing (docs/embedding.md)");
    return;
  }

  const LOOKS = `
    :host { all: initial; }
    iframe { border: 0; position: absolute; inset: 0; width: 100%; height: 100%; color-scheme: normal; }
    .box { overflow: hidden; border-radius: 14px; border: 1px solid rgb(120 130 145 / 35%); background: Canvas; }
    .floating .box { position: fixed; z-index: 2147483000; inset-inline-end: 20px; bottom: 88px; width: min(420px, calc(100vw - 40px));
      height: min(680px, calc(100dvh - 108px)); box-shadow: 0 12px 40px rgb(10 20 35 / 28%); }
    .box[hidden] { display: none; }
    .inline, .inline .box { position: relative; height: 100%; min-height: 420px; box-sizing: border-box; }
    button { all: initial; position: fixed; z-index: 2147483000; inset-inline-end: 20px; bottom: 20px; width: 56px; height: 56px; border-radius: 50%;
      display: grid; place-items: center; cursor: pointer; background: var(--colour); color: var(--ink); box-shadow: 0 6px 20px rgb(10 20 35 / 30%); }
    button:focus-visible { outline: 3px solid #fff; box-shadow: 0 0 0 6px #1d4ed8; }
    @media (max-width: 520px) {
      .floating .box { inset: 0; width: 100vw; height: 100dvh; border-radius: 0; border: 0; }
      .floating.open button { display: none; }
    }`;

  function start() {
    const place = target ? document.querySelector(target) : document.body;
    if (!place) {
      console.warn(`wenshu: there is no ${target} on this page`);
      return;
    }
    const home = place.appendChild(document.createElement("div"));
    home.dataset.wenshu = "";
    if (target) home.style.height = "100%";
    const root = home.attachShadow({ mode: "open" });
    const looks = new CSSStyleSheet();
    looks.replaceSync(LOOKS); // a page that allows no style elements allows this
    root.adoptedStyleSheets = [looks];
    const outer = root.appendChild(document.createElement("div"));
    outer.className = target ? "inline" : "floating";
    outer.style.setProperty("--colour", colour);
    outer.style.setProperty("--ink", ink);
    const box = outer.appendChild(document.createElement("div"));
    box.className = "box";
    if (target) put(box, false);
    else floating(outer, box);
  }

  function floating(outer, box) {
    const button = outer.appendChild(document.createElement("button"));
    button.type = "button";
    button.setAttribute("aria-label", name);
    button.title = name;
    button.append(drawing());
    box.hidden = true;
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", name);
    let talk = null;
    const show = (open) => {
      box.hidden = !open;
      outer.classList.toggle("open", open);
      button.setAttribute("aria-expanded", String(open));
      if (!open) button.focus();
      else if (talk) talk.shown();
      else talk = put(box, true, () => show(false));
    };
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => show(box.hidden));
  }

  /** The frame, and the talk with it: only it is listened to, and only the service is told the key. */
  function put(box, closes, hide = () => {}) {
    const frame = document.createElement("iframe");
    frame.title = name;
    frame.allow = "clipboard-write";
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-downloads allow-modals");
    const send = (what, more = {}) => frame.contentWindow?.postMessage({ wenshu: what, ...more }, service);
    const shown = () => { frame.focus(); send("shown"); };
    const late = setTimeout(() => {
      console.warn(`wenshu: ${service} does not answer in its frame. Is ${location.origin} an origin of the key, and in force?`);
    }, PATIENCE);
    addEventListener("message", ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== service) return;
      if (data?.wenshu === "ready") send("begin", { key, lang, theme, colour: color, title, closes, session: kept() });
      else if (data?.wenshu === "session") keep(String(data.id));
      else if (data?.wenshu === "begun") { clearTimeout(late); if (closes) shown(); }
      else if (data?.wenshu === "hide") hide();
    });
    frame.src = `${service}/embed`;
    box.append(frame);
    return { shown };
  }

  // Browsers let a frame of another site keep nothing, so the page around keeps which talk is open. Its id shows
  // nothing without the key and from another page than one of the key's.
  function kept() {
    try { return sessionStorage.getItem(OPEN) ?? ""; } catch { return ""; }
  }

  function keep(id) {
    try { sessionStorage.setItem(OPEN, id); } catch { /* then a talk lasts as long as the page */ }
  }

  function drawing() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const set = { width: 26, height: 26, viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linejoin": "round", "stroke-linecap": "round", "aria-hidden": "true" };
    for (const [key, value] of Object.entries(set)) svg.setAttribute(key, value);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", "M4 5h16v11H11l-4 4v-4H4zM8 13v-2m4 2V8m4 5v-3");
    svg.append(path);
    return svg;
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
