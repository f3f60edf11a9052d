// The page's own words, in both languages: `t("composer.send")`. Answers come in words from the service.
import { effect, signal } from "./view.js";
import { embedded } from "./embedding.js";
import core from "../words/core.js";
import chips from "../words/chips.js";
import results from "../words/results.js";
import panel from "../words/panel.js";
import places from "../words/places.js";
import embedding from "../words/embedding.js";

const WORDS = { ...core, ...chips, ...results, ...panel, ...places, ...embedding };

export const lang = signal(document.documentElement.dataset.lang === "en" ? "en" : "zh");

effect(() => {
  document.documentElement.lang = lang.value === "zh" ? "zh-CN" : "en";
  if (embedded) return;
  try { localStorage.setItem("wenshu.lang", lang.value); } catch { /* private windows keep nothing */ }
});

/** Words in the language of the page (or `tongue`); `{name}` in them stands for a fact. A key without words shows itself. */
export function t(key, facts = {}, tongue = lang.value) {
  const found = WORDS[key];
  const text = found === undefined ? key : found[tongue === "en" ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in facts ? String(facts[name]) : whole));
}

/** Whether there are words for a key. */
export const known = (key) => key in WORDS;
