"""The page of a bundle: from the question to the number, for somebody who has never seen the service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from html import escape
from importlib import resources

import yaml

from api.export.behind import Behind, world_of
from api.shown import NUMBERS, cell, titled, visible
from dialogue.codec import loads
from dialogue.explain import formula_words
from dialogue.record import Record, Step
from dialogue.slot_words import slot_words
from dialogue.state import Provenance
from dialogue.turn import Column
from dialogue.words import condition, day, joined, say, unit_label
from dialogue.world import World
from nl2sql.compiler.anchor import resolved
from nl2sql.errors import WarehouseError
from nl2sql.slots import Slots
from nl2sql.times import Range, comparison_base
from semantic_layer.model import Layer, Metric
from semantic_layer.protocols import Cell, Halt, Rows

LISTED = 40  # rows on the page; all of them are in the file beside it


@dataclass(frozen=True, slots=True)
class Found:
    """Rows of an answer: the file they are in, and whether they were kept then."""

    file: str
    rows: Rows
    kept: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A turn for the page: its layer, rows and what stands behind them by question, and the links that prove it
    (kind, number, hash)."""

    record: Record
    layer: Layer
    rows: Mapping[int, Found]
    behind: Mapping[int, Behind]
    evidence: tuple[tuple[str, int, str], ...]


class Closed:
    """A warehouse of a page: what is shown was found before."""

    dialect = engine = data_version = ""

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """Nothing is asked any more."""
        raise WarehouseError("a page asks no database")


def page(turns: Sequence[Shown]) -> str:
    """The page in the language of the first question, one file without a network."""
    lang = next((step.lang for turn in turns for step in turn.record.steps or ()), "zh")
    whole = len(turns) > 1
    title = _t(lang, "session" if whole else "title")
    style = resources.files("api.export").joinpath("style.css").read_text("utf-8")
    body = [f"<h1>{escape(title)}</h1>", f'<p class="lead">{escape(_t(lang, "lead"))}</p>']
    if whole:
        body.append(_contents(turns, lang))
    seen = frozenset(turn.record.seq for turn in turns)
    body += [_turn(turn, lang, index == 0, seen) for index, turn in enumerate(turns)]
    body.append(_verify(lang))
    return (
        f'<!doctype html>\n<html lang="{"zh-CN" if lang == "zh" else "en"}">\n<head>\n'
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


@lru_cache(maxsize=4)
def words(lang: str) -> dict[str, str]:
    """The words of a page in a language."""
    name = "zh" if lang == "zh" else "en"
    text = resources.files("api.export").joinpath("words", f"{name}.yaml").read_text("utf-8")
    return {str(key): str(value) for key, value in yaml.safe_load(text).items()}


def _t(lang: str, key: str, **facts: object) -> str:
    return words(lang)[key].format(**facts)


def _contents(turns: Sequence[Shown], lang: str) -> str:
    items = "".join(
        f'<li value="{turn.record.seq}"><a href="#turn-{turn.record.seq}">{escape(_asked(turn.record, lang))}</a></li>'
        for turn in turns
    )
    return f'<h3>{escape(_t(lang, "contents"))}</h3>\n<ol class="contents">{items}</ol>'


def _turn(turn: Shown, lang: str, first: bool, seen: frozenset[int]) -> str:
    record = turn.record
    asked = "–"
    if record.asker is not None:
        user = record.asker.user
        asked = _t(lang, "everything", user=user.id) if user.everything else user.id
    facts = [
        (_t(lang, "by"), asked),
        (_t(lang, "at"), day(record.origin.now)),
        (_t(lang, "as-of"), record.origin.clock.date().isoformat()),
        (_t(lang, "zone"), record.origin.zone),
    ]
    meta = "".join(f"<span>{escape(name)} {escape(value)}</span>" for name, value in facts)
    number = _t(lang, "turn", seq=record.seq)
    end = _t(lang, f"outcome.{record.outcome}")
    parts = [
        f'<h2 id="turn-{record.seq}"{" class=first" if first else ""}>{escape(number)} · {escape(end)}</h2>',
        f'<div class="meta">{meta}</div>',
        _section(lang, "question", f"<blockquote>{escape(_asked(record, lang))}</blockquote>"),
    ]
    if record.erased:
        named = joined((words(lang).get(name, name) for name in record.erased), lang)
        parts.append(f'<p class="note">{escape(_t(lang, "erased", parts=named))}</p>')
    world = world_of(record, turn.layer, Closed())
    if any(item.turn not in (0, *seen) for step in record.steps or () for item in step.provenance):
        parts.append(f'<p class="note">{escape(_t(lang, "earlier"))}</p>')
    several = len(record.steps or ()) > 1
    for index, step in enumerate(record.steps or ()):
        parts.append(_step(world, turn, step, index, lang, several))
    parts += [_versions(record, lang), _evidence(turn, lang)]
    return "\n".join(part for part in parts if part)


def _asked(record: Record, lang: str) -> str:
    request = record.request
    if request is None:
        return "–"
    if request.question:
        return request.question
    if request.choose:
        return _t(lang, "clicked", options=joined(request.choose, lang))
    return _t(lang, "undo" if request.undo else "edited")


def _step(world: World, turn: Shown, step: Step, index: int, lang: str, several: bool) -> str:
    slots = loads(step.slots, Slots) if step.slots else None
    parts = []
    if several:
        parts.append(f"<blockquote>{escape(step.question)}</blockquote>")
    if step.completed_question:
        parts.append(_section(lang, "whole-question", f"<p>{escape(step.completed_question)}</p>"))
    parts.append(_section(lang, "answer", f'<p class="answer">{escape(step.text)}</p>'))
    if step.outcome == "answer":
        parts[-1] += _result(world, step, turn.rows.get(index), lang)
        parts.append(_behind(world, slots, turn.behind.get(index), lang))
    if slots is not None:
        parts += [
            _section(lang, "understood", _understood(world, turn.record, step, slots, lang)),
            _section(lang, "scope", _scope(world, turn.record, step, slots, lang)),
            _section(lang, "definitions", _definitions(world, slots, lang)),
        ]
    if step.not_understood:
        parts.append(
            _section(lang, "unread", f"<p>{escape(joined(step.not_understood, lang))}</p>")
        )
    if step.outcome == "answer":
        parts.append(_section(lang, "checks", _checks(step, lang)))
    if step.sql:
        lead = " ".join(filter(None, (_t(lang, "sql-lead"), _codes(step, lang))))
        shown = f'<p class="note">{escape(lead)}</p><pre>{escape(step.sql)}</pre>'
        parts.append(_section(lang, "sql", shown))
    return "\n".join(part for part in parts if part)


def _codes(step: Step, lang: str) -> str:
    """What the codes in a statement stand for."""
    stored = step.heard.values if step.heard is not None else ()
    named = {one.key: one.name for one in stored if one.key != one.name}
    met = [f"{key} = {name}" for key, name in named.items() if f"'{key}'" in step.sql]
    return _t(lang, "codes", codes=joined(met, lang)) if met else ""


def _result(world: World, step: Step, found: Found | None, lang: str) -> str:
    if found is None:
        return f'<p class="note">{escape(_t(lang, "no-rows"))}</p>'
    count = len(found.rows.rows)
    key = "shown-rows" if count > LISTED else "all-rows"
    file = found.file.replace(".json", ".parquet")
    notes = [_t(lang, key, count=count, shown=LISTED, file=file)]
    if not found.kept:
        notes.append(_t(lang, "rows-again"))
    if any(item.kind == "diff" for item in step.columns):
        notes.append(_t(lang, "rounded"))
    table = _listed(world, step.columns, found.rows.rows, lang)
    return table + f'<p class="note">{escape(" ".join(notes))}</p>'


def _listed(
    world: World, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]], lang: str
) -> str:
    """The first rows as a table: labels instead of codes."""
    shown = visible(columns)
    heads = [(titled(item), item.kind in NUMBERS) for _, item in shown]
    lines = [
        [(_cell(world, item, row, at, lang), item.kind in NUMBERS) for at, item in shown]
        for row in rows[:LISTED]
    ]
    return _table(heads, lines)


def _behind(world: World, slots: Slots | None, found: Behind | None, lang: str) -> str:
    """The amounts behind the rates, and how many rows were counted."""
    if found is None or slots is None or (found.parts is None and found.counts is None):
        return ""
    text = ""
    if found.parts is not None:
        text += f'<p class="note">{escape(_t(lang, "behind-parts"))}</p>'
        text += _listed(world, found.parts.columns, found.parts.rows, lang)
    if found.counts is not None:
        label = world.field_label(slots.object or "", lang)
        before, after = found.counts
        told = _t(lang, "behind-counts", object=label, before=before, after=after)
        text += f'<p class="note">{escape(told)}</p>'
    text += f'<p class="note">{escape(_t(lang, "behind-again"))}</p>'
    return _section(lang, "behind", text)


def _cell(world: World, column: Column, row: Sequence[object], at: int, lang: str) -> str:
    text = cell(world, column, row[at], lang)  # type: ignore[arg-type]
    points = column.kind == "diff" and column.format == "percent" and text.endswith("%")
    return _t(lang, "points", points=text.removesuffix("%")) if points else text


def _understood(world: World, record: Record, step: Step, slots: Slots, lang: str) -> str:
    lines = []
    for item in step.provenance:
        value = slot_words(world, slots, item.key, lang)
        if value:
            name = say(lang, f"slot.{item.key.partition('.')[0]}")
            lines.append([name, value, _source(item, step, record, lang)])
    heads = [(_t(lang, name), False) for name in ("slot", "value", "source")]
    text = _table(heads, [[(value, False) for value in line] for line in lines])
    if step.assumptions:
        listed = joined(
            (f"{_slot(item.slot, lang)}{item.value}" for item in step.assumptions), lang
        )
        text += f'<p class="note">{escape(_t(lang, "assumed"))}: {escape(listed)}</p>'
    if step.switch is not None and step.switch.dropped:
        dropped = joined(step.switch.dropped, lang)
        text += f'<p class="note">{escape(_t(lang, "dropped"))}: {escape(dropped)}</p>'
    return text


def _slot(name: str, lang: str) -> str:
    found = say(lang, f"slot.{name}") if name in ("time", "metrics", "order", "limit") else ""
    return f"{found} " if found else ""


def _source(item: Provenance, step: Step, record: Record, lang: str) -> str:
    """Where a value came from; of what was said here, the very words."""
    if item.source != "said" or item.turn != record.seq:
        return say(lang, f"source.{item.source}", turn=item.turn)
    said = step.question[slice(*item.span)] if item.span else ""
    return _t(lang, "said", words=said) if said else _t(lang, "said.bare")


def _scope(world: World, record: Record, step: Step, slots: Slots, lang: str) -> str:
    periods = [_period(item, lang) for item in slots.time.ranges] if slots.time is not None else []
    filters = [
        f"{world.field_label(item.field, lang, slots.object)}: {condition(world, item, lang, slots.object)}"
        for item in slots.filters
    ]
    pairs = [
        (_t(lang, "period"), joined(periods, lang) or _t(lang, "period.open")),
        *((_t(lang, "against"), text) for text in _against(world, record, step, slots, lang)),
        (_t(lang, "filters"), joined(filters, lang) or _t(lang, "filters.none")),
    ]
    policy = record.asker.policy if record.asker is not None else None
    if policy:
        imposed = (condition(world, item, lang, slots.object) for item in policy)
        pairs.append((_t(lang, "policy"), joined(imposed, lang)))
    if step.fresh_to:
        pairs.append((_t(lang, "fresh"), step.fresh_to))
    return _pairs(pairs)


def _against(world: World, record: Record, step: Step, slots: Slots, lang: str) -> Iterable[str]:
    """The periods compared, where the statement says them."""
    if slots.comparison is None or slots.time is None or slots.time.kind == "newest":
        return
    kind = slots.comparison.kind
    if kind == "fixed":
        pairs = tuple(zip(slots.time.ranges, slots.comparison.base, strict=False))
    else:
        whole = slots.comparison.full
        asked = resolved(slots.time)
        pairs = comparison_base(asked, kind, record.origin.clock, world.calendar, whole)
    pairs = tuple(pairs)
    for current, base in pairs:
        days = [day(end) for one in (current, base) for end in (one.start, one.end) if end]
        if all(one in step.sql for one in days):
            if len(pairs) == 1:
                yield _period(base, lang)
                continue
            told = (_period(one, lang) for one in (current, base))
            yield _t(lang, "against.pair", **dict(zip(("now", "base"), told, strict=True)))


def _period(item: Range, lang: str) -> str:
    start, end = item.start, item.end
    if start is None or end is None or hasattr(end, "hour"):
        open_end = _t(lang, "period.open")
        return f"{day(start) if start else open_end} – {day(end) if end else open_end}"
    return _t(lang, "period.half", first=day(start), last=day(end - timedelta(days=1)))


def _definitions(world: World, slots: Slots, lang: str) -> str:
    return "".join(_definition(world, metric, lang) for metric in _metrics(world.layer, slots))


def _metrics(layer: Layer, slots: Slots) -> Iterable[Metric]:
    """The metrics of an answer, each before those it is made of."""
    names, found = list(slots.metrics), dict[str, Metric]()
    while names:
        name = names.pop(0)
        if name not in found and name in layer.metrics:
            found[name] = layer.metrics[name]
            names += found[name].parts
    return found.values()


def _definition(world: World, metric: Metric, lang: str) -> str:
    tongue = "zh" if lang == "zh" else "en"
    pairs = [(_t(lang, "meaning"), metric.description.in_(tongue))]  # type: ignore[arg-type]
    if metric.kind == "formula":
        pairs.append((_t(lang, "formula"), formula_words(world, metric, lang)))
    else:
        pairs.append((_t(lang, "computed"), _computed(world, metric, lang)))
        pairs += [
            (_t(lang, "gathered", name=name), told) for name, told in _gathered(world, metric, lang)
        ]
    if metric.table:
        pairs.append((_t(lang, "table"), metric.table))
    if metric.where is not None:
        pairs.append((_t(lang, "condition"), metric.where.text))
    if metric.unit:
        pairs.append((_t(lang, "unit"), unit_label(metric.unit, lang)))
    label = escape(world.field_label(metric.id, lang))
    return f'<div class="definition"><b>{label}</b> <code>{escape(metric.id)}</code>{_pairs(pairs)}</div>'


def _gathered(world: World, metric: Metric, lang: str) -> Iterable[tuple[str, str]]:
    """The values that a metric takes from the many rows of another table: how they are gathered."""
    if metric.expr is None:
        return
    rollups = world.layer.objects[metric.object].rollups
    for name in dict.fromkeys(ref.name for ref in metric.expr.refs):
        if name in rollups:
            found = rollups[name]
            inner = found.expr.text if found.expr is not None else "*"
            facts = {
                "table": found.of.to,
                "kind": _t(lang, f"kind.{found.kind}"),
                "expr": f"{found.kind}({inner})",
                "by": ", ".join(here for here, _ in found.of.back.pairs),
            }
            yield name, _t(lang, "gathered.of", **facts)


def _computed(world: World, metric: Metric, lang: str) -> str:
    """How a metric that is no formula is computed: in words, then as the layer says it."""
    window = metric.window
    if window is None:
        inner = metric.expr.text if metric.expr is not None else "*"
        return f"{_t(lang, f'kind.{metric.kind}')} {metric.kind}({inner})"
    unit = _t(lang, f"unit.{window.unit}") if window.unit else ""
    of = joined((world.field_label(name, lang) for name in metric.parts), lang)
    return _t(lang, f"window.{window.kind}", of=of, count=window.count, unit=unit)


def _checks(step: Step, lang: str) -> str:
    text = f'<p class="note">{escape(_t(lang, "checks-lead"))}</p>'
    text += _pairs([(_t(lang, "row-count"), f"{step.rows:,}"), (_t(lang, "digest"), step.digest)])
    rates = {item.id for item in step.columns if item.format == "percent"}
    totals = [
        item for item in step.totals if item.column not in rates
    ]  # rates added up say nothing
    if totals:
        names = {item.id: item.label for item in step.columns}
        heads = [(_t(lang, name), name != "column") for name in ("column", "sum", "min", "max")]
        lines = [
            [
                (names.get(item.column, item.column), False),
                *((f"{value:,f}", True) for value in (item.sum, item.min, item.max)),
            ]
            for item in totals
        ]
        text += f'<p class="note">{escape(_t(lang, "totals"))}</p>' + _table(heads, lines)
    return text


def _versions(record: Record, lang: str) -> str:
    found = record.origin
    software = ", ".join(f"{name} {version}" for name, version in found.versions)
    pairs = [
        (_t(lang, "software"), software),
        (_t(lang, "engine"), found.engine),
        (_t(lang, "layer"), found.semantic_hash),
        (_t(lang, "data"), found.data_version),
    ]
    lead = f'<p class="note">{escape(_t(lang, "versions-lead"))}</p>'
    return _section(lang, "versions", lead + _pairs(pairs))


def _evidence(turn: Shown, lang: str) -> str:
    pairs = []
    for kind, number, digest in turn.evidence:
        if kind == "checkpoint":
            pairs.append((_t(lang, "checkpoint", number=number), digest))
        else:
            pairs.append((_t(lang, "record", number=number, kind=_t(lang, kind)), digest))
    lead = f'<p class="note">{escape(_t(lang, "evidence-lead"))}</p>'
    return _section(lang, "evidence", lead + _pairs(pairs))


def _verify(lang: str) -> str:
    return "\n".join(
        (
            f"<h3>{escape(_t(lang, 'verify'))}</h3>",
            f"<p>{escape(_t(lang, 'verify-lead'))}</p><pre>python3 verify.py</pre>",
            f"<p>{escape(_t(lang, 'verify-says'))}</p>",
            f"<p>{escape(_t(lang, 'verify-head'))}</p>",
            f"<pre>python3 verify.py --head {escape(_t(lang, 'verify-own'))}</pre>",
            f'<p class="note">{escape(_t(lang, "verify-limits"))}</p>',
        )
    )


def _section(lang: str, name: str, inner: str) -> str:
    return f"<h3>{escape(_t(lang, name))}</h3>\n{inner}"


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    lines = "".join(
        f"<tr><th>{escape(name)}</th><td>{_value(value)}</td></tr>" for name, value in pairs
    )
    return f'<table class="pairs">{lines}</table>'


def _value(text: str) -> str:
    """A value; a digest is set apart."""
    digest = len(text) in (32, 64) and not set(text) - set("0123456789abcdef")
    return f"<code>{text}</code>" if digest else escape(text)


def _table(heads: Sequence[tuple[str, bool]], lines: Sequence[Sequence[tuple[str, bool]]]) -> str:
    def row(tag: str, cells: Sequence[tuple[str, bool]]) -> str:
        made = (
            f"<{tag}{' class=number' if right else ''}>{escape(text)}</{tag}>"
            for text, right in cells
        )
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(row("td", line) for line in lines)
    table = f"<table><thead>{row('th', heads)}</thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'
