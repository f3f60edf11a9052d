// Asks for a key where the service needs one. It is sent in a header, and kept in this tab alone.
import { html, useEffect, useRef } from "../lib/view.js";
import { t } from "../lib/words.js";
import { key, setKey } from "../lib/client.js";

export function SignIn() {
  const dialog = useRef(null);
  const refused = Boolean(key.value);
  useEffect(() => { dialog.current.showModal(); }, []);
  const enter = (event) => {
    event.preventDefault();
    const value = new FormData(event.target).get("key").trim();
    if (value) setKey(value);
  };
  return html`<dialog class="signin" ref=${dialog} aria-labelledby="signin-title" onCancel=${(event) => event.preventDefault()}>
    <form onSubmit=${enter}>
      <h2 id="signin-title">${t("signin.title")}</h2>
      <p>${t("signin.text")}</p>
      <label for="signin-key">${t("signin.label")}</label>
      <input id="signin-key" name="key" type="password" autocomplete="off" spellcheck=${false} required autofocus />
      ${refused && html`<p class="wrong" role="alert">${t("signin.bad")}</p>`}
      <button class="main">${t("signin.go")}</button>
    </form>
  </dialog>`;
}
