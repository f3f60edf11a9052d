// The page begins here.
import { html, render } from "./lib/view.js";
import "./lib/store.js";
import { Shell } from "./views/shell.js";

render(html`<${Shell} />`, document.getElementById("app"));
