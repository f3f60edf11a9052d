// The first screen: what this is, and examples to click.
import { html } from "../lib/view.js";
import { t } from "../lib/words.js";
import { ask, catalogue } from "../lib/store.js";
import { Icon } from "./icons.js";
import { inTongue } from "./places.js";

const TEACHES = [["follow", "retry"], ["chips", "edit"], ["check", "check"]];

export function Welcome() {
  const found = catalogue.value;
  return html`<div class="welcome">
    <header>
      <h2>${t("welcome.title")}</h2>
      ${found && html`<p class="dim">${t("welcome.data", { title: inTongue(found.title), metrics: found.metrics.length, areas: found.objects.map((item) => item.label).join(t("welcome.comma")) })} <a href="#/catalogue">${t("welcome.catalogue")}</a></p>`}
    </header>
    ${found ? html`<${Examples} texts=${found.examples} />` : html`<div class="skeleton" aria-hidden="true"></div>`}
    <ul class="teaches">
      ${TEACHES.map(([name, icon]) => html`<li key=${name}><${Icon} name=${icon} size=${18} /><p><b>${t(`welcome.${name}`)}</b> ${t(`welcome.${name}.text`)}</p></li>`)}
    </ul>
  </div>`;
}

function Examples({ texts }) {
  if (!texts.length) return null;
  return html`<section aria-labelledby="examples-title">
    <h3 id="examples-title" class="small dim">${t("welcome.examples")}</h3>
    <ul class="examples">${texts.map((text) => html`<li key=${text}><button onClick=${() => ask(text)}><span>${text}</span><${Icon} name="send" size=${16} /></button></li>`)}</ul>
  </section>`;
}
