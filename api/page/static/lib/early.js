// Before anything is drawn: the theme and the language that were chosen, so that nothing flashes.
(() => {
  const kept = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const root = document.documentElement;
  root.dataset.theme = kept("wenshu.theme") || "auto";
  const lang = kept("wenshu.lang") || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
  root.lang = lang === "zh" ? "zh-CN" : "en";
  root.dataset.lang = lang;
})();
