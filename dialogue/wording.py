"""The text of an answer: what no longer holds, the numbers, what was assumed, how fresh the data are."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from dialogue.answer import Answered
from dialogue.filling import Filled, keys, value_at
from dialogue.turn import Assumption, Changes, Column, Switch
from dialogue.words import (
    MONTHLY,
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
from nl2sql.slots import Having, Slots
from nl2sql.tally import COUNTED
from semantic_layer.protocols import Cell

FEW = 3
Row = tuple[Cell, ...]


def wording(
    world: World,
    slots: Slots,
    answered: Answered,
    switch: Switch | None,
    assumptions: tuple[Assumption, ...],
    lang: str,
    clock: datetime,
    asked: tuple[Having, ...] = (),
) -> str:
    """An answer in words; every number in it is in the rows."""
    said: list[str] = []
    if switch is not None and switch.dropped:
        said.append(say(lang, "answer.switched", dropped=joined(switch.dropped, lang)))
    said.append(figures(world, slots, answered, lang))
    said += [verdict(world, item, answered, lang) for item in asked]
    result = answered.result
    if result.truncated:
        said.append(say(lang, "answer.capped", shown=len(result.rows), count=result.row_count))
    said += [assumed(world, item, slots, lang) for item in assumptions]
    fresh = fresh_to(world, slots, clock)
    if fresh is not None:
        said.append(say(lang, "answer.fresh", day=fresh))
    return ("" if lang == "zh" else " ").join(text for text in said if text)


def figures(world: World, slots: Slots, answered: Answered, lang: str) -> str:
    """The figures themselves: one, a few with their names, or how many rows there are."""
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
    if result.row_count > FEW:
        ties = say(lang, "answer.ties") if tied(slots, result.row_count) else ""
        return say(lang, "answer.rows", count=result.row_count, ties=ties, **facts)
    items = [named(world, slots, result.columns, row, lang) for row in answered.rows]
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
    ties = say(lang, "answer.ties") if tied(slots, result.row_count) else ""
    return say(
        lang,
        "answer.scalars",
        values=("；" if lang == "zh" else "; ").join(items),
        ties=ties,
        **facts,
    )


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


def named(world: World, slots: Slots, columns: tuple[Column, ...], row: Row, lang: str) -> str:
    """One row in words: whose it is, and its figures."""
    labelled = {column.id.removesuffix("__label") for column in columns if column.kind == "label"}
    marked = marks(columns, row)
    names = marked or [
        key_label(world, column, row[index], lang)
        for index, column in enumerate(columns)
        if column.kind in ("bucket", "label")
        or (column.kind == "value" and column.id not in labelled)
    ]
    values = joined(metric_values(world, slots, columns, row, lang), lang)
    return f"{joined(names, lang)} {values}" if names else values


def marks(columns: tuple[Column, ...], row: Row) -> list[str]:
    """What a row is that is no group: the total, or the others."""
    return [
        column.label
        for column, cell in zip(columns, row, strict=True)
        if column.kind == "mark" and cell
    ]


def key_label(world: World, column: Column, cell: Cell, lang: str) -> str:
    """What tells a row apart, as people see it."""
    if column.kind == "bucket" and isinstance(cell, date):
        return cell.isoformat()[:7] if column.format in MONTHLY else cell.isoformat()
    if column.kind == "label":
        return str(cell) if cell is not None else say(lang, "unknown")
    text = None if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)
    return world.label(column.id, text, lang)


def metric_values(
    world: World, slots: Slots, columns: tuple[Column, ...], row: Row, lang: str
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
        unit = unit_label(metric.unit, lang)
        text = number(value, metric.percent, lang) + (f" {unit}" if unit else "")
        if value is None:
            text = say(lang, "no-data")
        if slots.share and cells[f"{name}__share"][1] is not None:
            part = number(cells[f"{name}__share"][1], True, lang)
            text += say(lang, "shared", share=part)
        if slots.comparison is not None:
            parts = [cells[f"{name}__{part}"][1] for part in ("base", "diff", "change")]
            text += compared(slots, (parts[0], parts[1], parts[2]), metric.percent, lang)
        values.append(f"{column.label}{'：' if lang == 'zh' else ': '}{text}")
    return values


def compared(slots: Slots, parts: tuple[Cell, Cell, Cell], percent: bool, lang: str) -> str:
    """A comparison in words; a missing base cannot be compared with, a rate changes by points too."""
    assert slots.comparison is not None
    base, diff, change = parts
    nothing = say(lang, "incomputable")
    return say(
        lang,
        "compared.rate" if percent and diff is not None else "compared",
        kind=comparison(slots.comparison, lang),
        points=number(diff, True, lang).removesuffix("%"),
        base=nothing if base is None else number(base, percent, lang),
        change=nothing if change is None else number(change, True, lang),
    )


def assumed(world: World, item: Assumption, slots: Slots, lang: str) -> str:
    """An assumption in words."""
    stop = "。" if lang == "zh" else "."
    if item.slot == "time":
        return say(lang, "assume.time", value=period(slots.time, lang)) + stop
    if item.slot == "metrics":
        return say(lang, "assume.metrics", value=world.field_label(item.value, lang)) + stop
    if item.slot == "dimensions":
        return say(lang, "assume.metrics", value=world.field_label(item.value, lang)) + stop
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


def dropped_words(world: World, before: Slots | None, after: Slots, lang: str) -> tuple[str, ...]:
    """What a switch has let go, in words."""
    if before is None:
        return ()
    found = [
        condition(world, item, lang, before.object)
        for item in before.filters
        if after.filter(item.field) != item
    ]
    if before.time is not None and before.time.words and before.time != after.time:
        found.append(period(before.time, lang))
    for having in before.having:
        if having not in after.having:
            found.append(group_condition(world, having, lang))
    return tuple(found)


def changes(before: Slots | None, filled: Filled) -> Changes:
    """What a turn did to the slots: kept, set, dropped."""
    old, new = keys(before) if before is not None else (), keys(filled.slots)
    kept = tuple(
        key
        for key in new
        if before is not None
        and key in old
        and value_at(before, key) == value_at(filled.slots, key)
    )
    return Changes(
        kept,
        tuple(key for key in new if key not in kept),
        tuple(key for key in old if key not in new),
    )
