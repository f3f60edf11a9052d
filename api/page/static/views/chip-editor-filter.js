// What a turn is limited to: values of a dimension, or a range of an attribute.
import { html, useEffect, useState } from "../lib/view.js";
import { lang, t } from "../lib/words.js";
import { call } from "../lib/client.js";
import { catalogue, complain } from "../lib/store.js";
import { filterOf, filterTo } from "../lib/edits.js";
import { labelOf, listed } from "../lib/offered.js";
import { Apply } from "./chip-editor-apply.js";
import { Picks, holding } from "./chip-editor-picks.js";
import { DayRangeEditor, NumberEditor, TextEditor } from "./chip-editor-conditions.js";

const DAYS = new Set(["date", "timestamp", "epoch"]);
const NUMBERS = new Set(["integer", "decimal", "float"]);
const WAIT = 180; // milliseconds after the last letter before values are asked for

export function FilterEditor(props) {
  const { dimensions, objects } = catalogue.value;
  const dimension = dimensions.find((item) => item.id === props.field);
  if (dimension) return html`<${ValuesEditor} ...${props} dimension=${dimension} />`;
  const attribute = objects.flatMap((item) => item.attributes).find((item) => item.id === props.field);
  const Inner = DAYS.has(attribute?.type) ? DayRangeEditor : NUMBERS.has(attribute?.type) ? NumberEditor : TextEditor;
  return html`<${Inner} ...${props} attribute=${attribute} />`;
}

function ValuesEditor({ turn, field, chip, dimension, apply }) {
  const before = filterOf(turn.slots.filters[field]);
  const [mode, setMode] = useState(before.mode);
  const [picked, setPicked] = useState(before.values);
  const [part, setPart] = useState(before.text);
  const [names, setNames] = useState(() => new Map(chip?.parts.map((item) => [item.value, item.label])));
  const found = useValues(dimension, (items) => setNames((old) => new Map([...old, ...items.map((item) => [item.value, item.label])])));
  const told = listed(picked.map((value) => names.get(value) ?? value));
  const words = mode === "missing" ? t("chip.mode.missing") : mode === "contains" ? t("chip.said.contains", { text: part }) : mode === "not" ? t("chip.said.not", { names: told }) : told;
  const empty = mode === "contains" ? !part.trim() : mode !== "missing" && !picked.length;
  const same = mode === before.mode && part === before.text && String(picked) === String(before.values);
  const done = (event) => {
    event.preventDefault();
    if (empty) apply(filterTo(field, "only", []), t("chip.said.unlimited", { name: labelOf(field) }));
    else apply(filterTo(field, mode, picked, part), t("chip.said.filter", { name: labelOf(field), words }));
  };
  const modes = dimension.values ? ["only", "not", "missing"] : ["only", "not", "contains", "missing"];
  const held = { name: t("chip.picked"), items: before.values.map((value) => ({ value, label: names.get(value) ?? value })) };
  const rest = { name: "", items: found.items.filter((item) => !before.values.includes(item.value)) };
  return html`<form onSubmit=${done}>
    <${Modes} modes=${modes} mode=${mode} onMode=${setMode} />
    ${(mode === "only" || mode === "not") && html`<${Picks} groups=${found.typed ? [{ name: "", items: found.items }] : [held, rest]} picked=${picked} onPicked=${setPicked}
      onSearch=${dimension.values && dimension.values.length <= 7 ? undefined : found.search} more=${found.more} busy=${found.busy} label=${dimension.label} />`}
    ${mode === "contains" && html`<input type="text" class="part" value=${part} aria-label=${t("chip.mode.contains")} placeholder=${t("chip.part")} autocomplete="off" onInput=${(event) => setPart(event.target.value)} />`}
    <${Apply} disabled=${empty ? !chip : same} label=${empty && chip ? t("chip.said.unlimited", { name: labelOf(field) }) : undefined} />
  </form>`;
}

const Modes = ({ modes, mode, onMode }) => html`<div class="modes" role="radiogroup" aria-label=${t("chip.mode")}>
  ${modes.map((name) => html`<label key=${name}><input type="radio" name="mode" checked=${mode === name} onChange=${() => onMode(name)} /><span>${t(`chip.mode.${name}`)}</span></label>`)}
</div>`;

/** Values of a dimension: those of an enum at once, stored ones as they are searched. */
function useValues(dimension, onNames) {
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState({ items: dimension.values ?? [], more: false, busy: !dimension.values });
  useEffect(() => {
    if (dimension.values) { onNames(dimension.values); return undefined; }
    const stop = new AbortController();
    const wait = setTimeout(async () => {
      const query = new URLSearchParams({ dimension: dimension.id, lang: lang.peek(), ...(typed.trim() ? { q: typed.trim() } : {}) });
      try {
        const { values, more } = await call(`/v1/values?${query}`, { signal: stop.signal });
        setFound({ items: values, more, busy: false });
        onNames(values);
      } catch (error) {
        if (error.name !== "AbortError") { complain(error); setFound({ items: [], more: false, busy: false }); }
      }
    }, typed ? WAIT : 0);
    return () => { clearTimeout(wait); stop.abort(); };
  }, [typed]);
  const items = dimension.values ? holding(dimension.values, typed) : found.items;
  return { ...found, items, typed: typed.trim(), search: setTyped };
}
