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
  const gone = chip && removal(chip);
  return html`<dialog class="editor" ref=${dialog} style=${place} aria-label=${t("chip.editor", { what: key === "add" ? t("chip.add") : slotName(key) })}
      onClose=${onClose} onClick=${(event) => { if (event.target === dialog.current) close(); }}>
    <header class="editor-head">
      ${what === "add" && key !== "add" && html`<button class="plain" aria-label=${t("chip.back")} onClick=${() => setKey("add")}><${Icon} name="undo" size=${16} /></button>`}
      <h2 tabindex="-1">${key === "add" ? t("chip.add") : slotName(key)}</h2>
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
  const [below, above] = [innerHeight - from.bottom - 20, from.top - 20];
  const up = below < 360 && above > below;
  const room = { left: `${left}px`, right: "auto", maxHeight: `${Math.max(up ? above : below, 200)}px` };
  return up ? { ...room, top: "auto", bottom: `${innerHeight - from.top + 6}px` } : { ...room, top: `${from.bottom + 6}px`, bottom: "auto" };
}
