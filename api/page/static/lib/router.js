// Where we are, in the fragment of the address: it never reaches a server or its logs.
import { signal } from "./view.js";
import { embedded } from "./embedding.js";

/**
 * `{place, id, turn, facts}`:
 * `#/` a new session · `#/s/ID` a session · `#/s/ID/t/TURN` a turn in it · `#/t/TURN` a turn, by a link ·
 * `#/catalogue` · `#/evaluations` · `#/evaluations/ID`
 */
export const here = signal(parsed(location.hash));

export function parsed(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [place = "", id = "", , turn = ""] = path.split("/").map(decodeURIComponent);
  const facts = Object.fromEntries(new URLSearchParams(query));
  if (place === "s") return { place: "chat", id, turn, facts };
  if (place === "t") return { place: "turn", id: "", turn: id, facts };
  if (place === "catalogue" || place === "evaluations") return { place, id, turn: "", facts };
  return { place: "chat", id: "", turn: "", facts };
}

addEventListener("hashchange", () => { here.value = parsed(location.hash); });

/** Go somewhere; `quiet` puts the address there without a step in the history, which within another page is its own. */
export function go(path, quiet = false) {
  const hash = `#/${path}`;
  if (quiet || embedded) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  here.value = parsed(hash);
}
