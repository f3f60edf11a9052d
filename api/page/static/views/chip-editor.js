// What opens from a chip: a dialog beside it, from the lower edge on a phone. It holds the editor of the chip's slot.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/view.js";
import { t } from "../lib/words.js";
import { catalogue, edit } from "../lib/store.js";
import { parsed, removal } from "../lib/edits.js";
import { slotName } from "../lib/offered.js";
import { Icon } from "./icons.js";
import { Origin } from "./chip-origin.js";
import { AddEditor } from "./chip-editor-add.js";
import { DimensionsEditor, MetricsEditor } from "./chip-editor-names.js";
import { FilterEditor } from "./chip-editor-filter.js";
import { HavingEditor } from "./chip-editor-conditions.js";
import { TimeEditor } from "./chip-editor-time.js";
import { ComparisonEditor, FlagEditor, GrainEditor, LimitEditor, OrderEditor } from "./chip-editor-order.js";

const EDITORS = { metrics: MetricsEditor, dimensions: DimensionsEditor, filters: FilterEditor, having: HavingEditor, time: TimeEditor,
  comparison: ComparisonEditor, grain: GrainEditor, order: OrderEditor, limit: LimitEditor, add: AddEditor };

const ENOUGH = 380; // pixels of height that an editor is given at least, for values that are still to come

/** `what`: the key of a chip, or `add`. */
export function Editor({ turn, what, anchor, onClose }) {
  const dialog = useRef(null);
  const [place, setPlace] = useState({});
  const [key, setKey] = useState(what); // 添加 leads on to the editor of what is added
  const chip = turn.chips.find((item) => item.key === key);
  const { slot, field } = parsed(key);
  const Inner = EDITORS[slot] ?? FlagEditor;
  useLayoutEffect(() => { dialog.current.showModal(); }, []);
  useLayoutEffect(() => { setPlace(beside(anchor, dialog.current)); }, [key]);
  useEffect(() => { // a keyboard that slides up would cover the list that it is for
    const first = matchMedia("(hover: hover)").matches && (dialog.current.querySelector("[data-first]") ?? dialog.current.querySelector(".editor-body :is(input, select, button)"));
    (first || dialog.current.querySelector("h2")).focus({ preventScroll: true });
  }, [key]);
  const close = () => dialog.current.close();
  const apply = (edits, label) => { close(); edit(edits, label); };
  const title = key === "add" ? t("chip.add") : slot === "add" ? t(`slot.${field}`) : slotName(key);
  const gone = chip && removal(chip);
  return html`<dialog class="editor" ref=${dialog} style=${place} aria-label=${t("chip.editor", { what: title })}
      onClose=${onClose} onKeyDown=${(event) => { if (event.key === "Escape") event.stopPropagation(); }} onClick=${(event) => { if (event.target === dialog.current) close(); }}>
    <header class="editor-head">
      ${what === "add" && key !== "add" && html`<button class="plain" aria-label=${t("chip.back")} onClick=${() => setKey("add")}><${Icon} name="back" size=${16} /></button>`}
      <h2 tabindex="-1">${title}</h2>
      ${chip?.source === "carried" && html`<span onClick=${close}><${Origin} chip=${chip} always /></span>`}
      <button class="plain" aria-label=${t("close")} onClick=${close}><${Icon} name="close" size=${16} /></button>
    </header>
    <div class="editor-body" key=${key}>
      ${catalogue.value ? html`<${Inner} turn=${turn} slot=${slot} field=${field} chip=${chip} apply=${apply} onPick=${setKey} />` : html`<p class="dim">${t("chip.loading")}</p>`}
    </div>
    ${gone && html`<footer class="editor-foot"><button class="plain danger" onClick=${() => apply(gone, t("chip.said.gone", { name: chip.words }))}><${Icon} name="trash" size=${16} />${t(slot === "time" ? "chip.time.default" : "chip.gone")}</button></footer>`}
  </dialog>`;
}

/** Where a dialog stands beside its anchor; on a phone the style sheet puts it at the lower edge. */
function beside(anchor, dialog) {
  if (innerWidth <= 640) return {};
  const from = anchor.getBoundingClientRect();
  const width = dialog.offsetWidth;
  const left = Math.max(12, Math.min(from.left, innerWidth - width - 12));
  const height = Math.max(dialog.scrollHeight, ENOUGH);
  const above = from.top - 18;
  const top = Math.max(12, Math.min(from.bottom + 6, innerHeight - height - 12));
  const where = { left: `${left}px`, right: "auto" };
  return innerHeight - from.bottom - 18 < height && above >= height
    ? { ...where, top: "auto", bottom: `${innerHeight - from.top + 6}px`, maxHeight: `${above}px` }
    : { ...where, top: `${top}px`, bottom: "auto", maxHeight: `${innerHeight - top - 12}px` };
}
