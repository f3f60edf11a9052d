// The page within another one begins here: nothing is asked before that one has said with what key.
import { handed } from "./lib/embedding.js";

const root = document.documentElement;
const told = await handed();
const lang = told.lang === "en" ? "en" : "zh";
root.dataset.lang = lang;
root.lang = lang === "zh" ? "zh-CN" : "en";
root.dataset.theme = ["light", "dark"].includes(told.theme) ? told.theme : "auto";
const { setKey } = await import("./lib/client.js");
setKey(told.key);
const { begin } = await import("./views/embedded.js");
begin(told);
