"""The text of an answer: what no longer holds, the numbers, what was assumed, how fresh the data are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

from dialogue.amounts import asked_scale, spoken
from dialogue.answer import Answered
from dialogue.checked import unbacked
from dialogue.emptied import emptied_by, nothing
from dialogue.filling import Filled
from dialogue.scene import Scene
from dialogue.turn import Assumption, Column, Switch
from dialogue.words import (
    bucket,
    comparison,
    condition,
    describe,
    group_condition,
    joined,
    number,
    period,
    say,
    unit_label,
)
from dialogue.world import World
from nl2sql.slots import Filter, Having, Slots
from nl2sql.tally import COUNTED
from semantic_layer.model import Metric
from semantic_layer.protocols import Cell

FEW = 3
Row = tuple[Cell, ...]


def wording(
    scene: Scene,
    question: str,
    filled: Filled,
    answered: Answered,
    switch: Switch | None,
    assumptions: tuple[Assumption, ...],
    lang: str,
) -> str:
    """An answer in words; every number in it is in the rows."""
    world, slots, result = scene.world, filled.slots, answered.result
    said: list[str] = []
    if switch is not None and switch.dropped:
        said.append(say(lang, "answer.switched", dropped=joined(switch.dropped, lang)))
    said.append(figures(world, slots, answered, lang, asked_scale(question)).strip())
    said += [verdict(world, item, answered, lang) for item in filled.asked]
    if nothing(slots, answered):
        said.append(emptied_by(scene, slots, lang))
    if result.truncated:
        said.append(say(lang, "answer.capped", shown=len(result.rows), count=result.row_count))
    if gone := lifted(scene, filled, lang):
        said.append(say(lang, "answer.lifted", dropped=joined(gone, lang)))
    said += [assumed(world, item, slots, lang) for item in assumptions]
    fresh = fresh_to(world, slots, scene.clock)
    if fresh is not None:
        said.append(say(lang, "answer.fresh", day=fresh))
    return ("" if lang == "zh" else " ").join(text for text in said if text)


def lifted(scene: Scene, filled: Filled, lang: str) -> tuple[str, ...]:
    """Filters that nobody took away, but that what was said contradicts: 滨江 after 上海."""
    before = scene.state.slots
    if before is None or filled.switch is not None:
        return ()
    found = [
        condition(scene.world, item, lang, before.object)
        for key, edit in filled.said
        for item in before.filters
        if key == f"filters.{item.field}"
        and isinstance(edit.value, Filter)
        and edit.value.field != item.field
        and filled.slots.filter(item.field) is None
    ]
    return tuple(dict.fromkeys(found))


def figures(world: World, slots: Slots, answered: Answered, lang: str, scale: str | None) -> str:
    """The figures themselves: one, a few with their names, or how many rows there are and between what."""
    result, parts = answered.result, describe(world, slots, lang)
    facts = {
        "period": parts.period,
        "filters": parts.filters,
        "dimensions": parts.dimensions,
        "metrics": parts.metrics,
    }
    if slots.rows:
        return say(lang, "answer.list", object=parts.metrics, count=result.row_count, **facts)
    if result.row_count == 0:
        return say(lang, "answer.empty", **facts)
    ties = say(lang, "answer.ties") if tied(slots, result.row_count) else ""
    counted = say(lang, "answer.rows", count=result.row_count, ties=ties, **facts)
    if result.row_count > FEW:
        told = (extremes(world, slots, answered, lang), moves(world, slots, answered, lang))
        return ("" if lang == "zh" else " ").join(text for text in (counted, *told) if text)
    items = [named(world, slots, result.columns, row, lang, scale) for row in answered.rows]
    if (slots.dimensions and len(slots.dimensions) > bool(slots.counted)) or slots.grain:
        lead = (
            parts.period.strip()
            + ("·" if parts.period.strip() and parts.filters else "")
            + parts.filters
        )
        facts |= {
            "period": "",
            "filters": lead.strip() + ("：" if lang == "zh" else ": ") if lead.strip() else "",
        }
    text = say(
        lang,
        "answer.scalars",
        values=("；" if lang == "zh" else "; ").join(items),
        ties=ties,
        **facts,
    )
    frame = [*facts.values(), *names_of(world, answered, answered.rows, lang)]
    frame += [comparison(slots.comparison, lang)] if slots.comparison is not None else []
    cells = [cell for row in answered.rows for cell in row]
    return counted if unbacked(text, frame, cells) else text


def names_of(world: World, answered: Answered, rows: Iterable[Row], lang: str) -> list[str]:
    """The words of a text that are no figures: names of rows, and of columns."""
    columns = answered.result.columns
    texts = [text for column in columns for text in (column.label, column.unit or "")]
    return texts + [text for row in rows for text in row_names(world, columns, row, lang)]


def extremes(world: World, slots: Slots, answered: Answered, lang: str) -> str:
    """Among many groups the highest and the lowest, where each is one: 最高：张江；最低：临港."""
    columns = answered.result.columns
    if slots.counted or slots.limit is not None:
        return ""
    at = next(index for index, column in enumerate(columns) if column.id == slots.metrics[0])
    groups = [row for row in answered.rows if row[at] is not None and not marks(columns, row)]
    if len(groups) <= FEW:
        return ""
    values = sorted(number_of(row[at]) for row in groups)
    if values[0] == values[1] or values[-1] == values[-2]:
        return ""
    metric = world.layer.metrics[slots.metrics[0]]
    ends = [
        next(row for row in groups if number_of(row[at]) == value)
        for value in (values[-1], values[0])
    ]
    high, low = (
        joined(row_names(world, columns, row, lang), lang)
        + f" {amount(row[at], metric.unit, metric.percent, lang, None)}"
        for row in ends
    )
    text = say(lang, "answer.extremes", metric=columns[at].label, high=high, low=low)
    frame = names_of(world, answered, ends, lang)
    return "" if unbacked(text, frame, [cell for row in ends for cell in row]) else text


def moves(world: World, slots: Slots, answered: Answered, lang: str) -> str:
    """Among many groups that are compared, the one that rose most and the one that fell most, by how much
    and at what rate; of those that are one each."""
    columns, name = answered.result.columns, slots.metrics[0]
    if slots.comparison is None or slots.counted or slots.limit is not None:
        return ""
    ids = [column.id for column in columns]
    at, rate = ids.index(f"{name}__diff"), ids.index(f"{name}__change")
    groups = [row for row in answered.rows if row[at] is not None and not marks(columns, row)]
    groups.sort(key=lambda row: number_of(row[at]))
    if len(groups) <= FEW:
        return ""
    metric, ends = world.layer.metrics[name], {}
    for key, (end, next_to) in (("rose", groups[:-3:-1]), ("fell", groups[:2])):
        moved = number_of(end[at])
        if (moved > 0 if key == "rose" else moved < 0) and moved != number_of(next_to[at]):
            ends[key] = end
    if not ends:
        return ""
    facts = {
        key: joined(row_names(world, columns, row, lang), lang)
        + f" {moved_by(metric, row[at], row[rate], lang)}"
        for key, row in ends.items()
    }
    key = "answer.moves" if len(facts) > 1 else f"answer.{next(iter(facts))}"
    text = say(lang, key, metric=world.field_label(name, lang), **facts)
    frame = names_of(world, answered, ends.values(), lang)
    return "" if unbacked(text, frame, [cell for row in ends.values() for cell in row]) else text


def moved_by(metric: Metric, diff: Cell, change: Cell, lang: str) -> str:
    """How much a number moved, with its sign; a rate by points. The relative change stands beside it,
    where there is one."""
    points = number(diff, metric.percent, lang).removesuffix("%")
    unit = "" if metric.percent else unit_label(metric.unit, lang)
    by = ("+" if number_of(diff) > 0 else "") + points + (f" {unit}" if unit else "")
    if metric.percent:
        by = say(lang, "moved.points", points=by)
    if change is None:
        return by
    sign = "+" if number_of(change) > 0 else ""
    return by + say(lang, "moved.rate", change=sign + number(change, True, lang))


def number_of(cell: Cell) -> Decimal:
    """A figure as a number that compares."""
    return Decimal(str(cell))


def verdict(world: World, item: Having, answered: Answered, lang: str) -> str:
    """Whether it is as asked: yes or no for one number, for several how many are."""
    at = next(i for i, column in enumerate(answered.result.columns) if column.id == item.metric)
    cells = [row[at] for row in answered.rows]
    holds = [item.test.holds(cell) for cell in cells if isinstance(cell, Decimal | int | float)]
    facts = {"condition": group_condition(world, item, lang), "count": sum(holds)}
    if len(cells) == 1:
        key = "no-data" if not holds else "yes" if holds[0] else "no"
        return say(lang, f"verdict.{key}", **facts)
    return say(lang, "verdict.some", total=len(cells), **facts)


def tied(slots: Slots, count: int) -> bool:
    """Whether a ranking shows more rows than ranks: ties are kept."""
    limit = slots.limit
    if limit is None or limit.per:
        return False
    return count - int(limit.others) > limit.last - limit.first + 1


def named(
    world: World,
    slots: Slots,
    columns: tuple[Column, ...],
    row: Row,
    lang: str,
    scale: str | None,
) -> str:
    """One row in words: whose it is, and its figures."""
    names = marks(columns, row) or row_names(world, columns, row, lang)
    values = joined(metric_values(world, slots, columns, row, lang, scale), lang)
    return f"{joined(names, lang)} {values}" if names else values


def row_names(world: World, columns: tuple[Column, ...], row: Row, lang: str) -> list[str]:
    """What tells a row apart, as people see it."""
    labels = {
        column.id.removesuffix("__label"): row[index]
        for index, column in enumerate(columns)
        if column.kind == "label"
    }
    return [
        key_label(world, column, row[index], lang, labels.get(column.id))
        for index, column in enumerate(columns)
        if column.kind in ("bucket", "value")
    ]


def marks(columns: tuple[Column, ...], row: Row) -> list[str]:
    """What a row is that is no group: the total, or the others."""
    return [
        column.label
        for column, cell in zip(columns, row, strict=True)
        if column.kind == "mark" and cell
    ]


def key_label(world: World, column: Column, cell: Cell, lang: str, named: Cell = None) -> str:
    """What tells a row apart, as people see it; `named` is the name that stands beside its key."""
    if column.kind == "bucket" and isinstance(cell, date):
        return bucket(cell, column.format)
    text = None if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)
    label = world.label(column.id, text, lang)
    return str(named) if named is not None and label == text else label


def amount(value: Cell, unit: str | None, percent: bool, lang: str, scale: str | None) -> str:
    """A figure with its unit: exact, and beside it as a person would say it; in the unit asked for."""
    if value is None:
        return say(lang, "no-data")
    named = unit_label(unit, lang)
    larger = "" if percent else spoken(value, lang, scale)
    if larger and scale is not None:
        return larger + (named if lang == "zh" else f" {named}".rstrip())
    text = number(value, percent, lang) + (f" {named}" if named else "")
    if not larger:
        return text
    beside = named if lang == "zh" else f" {named}".rstrip()
    return text + say(lang, "spoken", amount=larger, unit=beside)


def metric_values(
    world: World,
    slots: Slots,
    columns: tuple[Column, ...],
    row: Row,
    lang: str,
    scale: str | None,
) -> list[str]:
    """The metrics of a row with their units and comparisons."""
    cells = {column.id: (column, row[index]) for index, column in enumerate(columns)}
    values: list[str] = []
    if slots.counted:
        column, value = cells[COUNTED]
        return [f"{column.label}{'：' if lang == 'zh' else ': '}{number(value, False, lang)}"]
    for name in slots.metrics:
        column, value = cells[name]
        metric = world.layer.metrics[name]
        text = amount(value, metric.unit, metric.percent, lang, scale)
        if slots.share and cells[f"{name}__share"][1] is not None:
            part = number(cells[f"{name}__share"][1], True, lang)
            text += say(lang, "shared", share=part)
        if slots.comparison is not None:
            parts = [cells[f"{name}__{part}"][1] for part in ("base", "diff", "change")]
            unit = unit_label(metric.unit, lang)
            text += compared(slots, (parts[0], parts[1], parts[2]), metric.percent, unit, lang)
        values.append(f"{column.label}{'：' if lang == 'zh' else ': '}{text}")
    return values


def compared(
    slots: Slots, parts: tuple[Cell, Cell, Cell], percent: bool, unit: str, lang: str
) -> str:
    """A comparison in words; a missing base cannot be compared with, a rate changes by points too."""
    assert slots.comparison is not None
    base, diff, change = parts
    nothing = say(lang, "incomputable")
    return say(
        lang,
        "compared.rate" if percent and diff is not None else "compared",
        kind=comparison(slots.comparison, lang),
        points=number(diff, True, lang).removesuffix("%"),
        base=nothing if base is None else f"{number(base, percent, lang)} {unit}".rstrip(),
        change=nothing if change is None else number(change, True, lang),
    )


def assumed(world: World, item: Assumption, slots: Slots, lang: str) -> str:
    """An assumption in words."""
    stop = "。" if lang == "zh" else "."
    if item.slot == "time":
        words = period(slots.time, lang) or say(lang, "time.all")
        return say(lang, "assume.time", value=words) + stop
    if item.slot == "calendar":
        return say(lang, f"assume.{item.value}", value=period(slots.time, lang)) + stop
    if item.slot == "order":
        by = (slots.order.by if slots.order else None) or (
            slots.metrics[0] if slots.metrics else ""
        )
        return say(lang, "assume.order", value=world.field_label(by, lang)) + stop
    if item.slot in ("metrics", "dimensions"):
        return say(lang, "assume.metrics", value=world.field_label(item.value, lang)) + stop
    if item.slot == "limit":
        rows = joined((world.field_label(name, lang) for name in slots.dimensions), lang)
        unit = say(lang, f"bucket.{slots.grain or 'any'}")
        return say(lang, "assume.limit", dimensions=rows, bucket=unit) + stop
    if item.slot == "rows":
        return say(lang, "assume.rows") + stop
    if item.slot == "choice":
        return say(lang, "assume.choice", value=item.value) + stop
    return item.value + stop


def fresh_to(world: World, slots: Slots, clock: datetime) -> str | None:
    """数据截至: the newest fact that the answer could see."""
    found = world.layer.objects.get(slots.object or "")
    if found is None or found.time.default is None:
        return None
    last = world.extent(found, found.time.default, clock).last
    return last.isoformat() if last is not None else None
