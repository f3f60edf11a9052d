// Within another page: who that is, and what it hands over. The key comes by a message, never in an address.

/** Whether this is the page within another one. */
export const embedded = "embedded" in document.documentElement.dataset;

let around = "";

/** The origin of the page around this one, as the browser tells it. */
export const host = () => around;

/** Tell the page around this one something; before it has been heard, nothing but that this one is ready. */
export const tell = (what, more = {}) => parent.postMessage({ wenshu: what, ...more }, around || "*");

/**
 * What the page around this one hands over: `{key, lang, theme, colour, title, closes, session}`. Only its parent is listened
 * to, which the browser has let frame this page (frame-ancestors), and only once.
 */
export function handed() {
  return new Promise((give) => {
    const heard = ({ source, origin, data }) => {
      if (source !== parent || source === window || !/^https?:/.test(origin) || data?.wenshu !== "begin") return;
      removeEventListener("message", heard);
      around = origin;
      give(data);
    };
    addEventListener("message", heard);
    tell("ready");
  });
}

/** What the page around this one says later, by name. */
export function listen(what, act) {
  addEventListener("message", ({ source, origin, data }) => {
    if (source === parent && origin === around && data?.wenshu === what) act(data);
  });
}
