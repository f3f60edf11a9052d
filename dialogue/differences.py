"""What differs between two recorded steps, so that an auditor can read it: slots, SQL, rows, words."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dialogue import codec
from dialogue.record import Step, Total, totals
from dialogue.turn import plain
from nl2sql.slots import Slots, brief
from semantic_layer.protocols import Cell, Rows

SHOWN = 20  # changed rows that are told one by one
NUMBERS = frozenset({"metric", "base", "diff", "change", "share"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was: which, then and now, and line by line where that says more."""

    what: str
    then: str
    now: str
    lines: tuple[str, ...] = ()


def told(then: Sequence[Step], now: Sequence[Step]) -> tuple[Difference, ...]:
    """What differs in how a turn was understood: its questions, their ends, slots, SQL and words."""
    found: list[Difference] = []
    if len(then) != len(now):
        found.append(Difference("questions", str(len(then)), str(len(now))))
    for was, is_now in zip(then, now, strict=False):
        found += step(was, is_now)
    return tuple(found)


def step(then: Step, now: Step) -> Iterator[Difference]:
    """What differs in one question. The words of an answer hold its numbers, and are left to the rows."""
    if (then.outcome, then.reason) != (now.outcome, now.reason):
        yield Difference("outcome", _end(then), _end(now))
    if then.slots != now.slots:
        yield slots(then.slots, now.slots)
    if then.sql != now.sql:
        yield sql(then.sql, now.sql)
    if then.outcome == now.outcome != "answer" and _words(then) != _words(now):
        yield Difference(
            "words", _words(then), _words(now), tuple(_unified(_words(then), _words(now)))
        )


def _end(found: Step) -> str:
    return f"{found.outcome} ({found.reason})" if found.reason else found.outcome


def _words(found: Step) -> str:
    options = found.clarification.options if found.clarification is not None else found.suggestions
    return "\n".join((found.text, *(f"[{item.id}] {item.label}" for item in options)))


def slots(then: str, now: str) -> Difference:
    """Slots, from their canonical JSON; by the line those that are not as they were."""
    before, after = _brief(then), _brief(now)
    lines = [
        f"{key}: {before.get(key, '–')} → {after.get(key, '–')}"
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    ]
    return Difference(
        "slots", then, now, tuple(lines or ("only in what the short form leaves out",))
    )


def _brief(text: str) -> dict[str, str]:
    """Slots in short form; filters and conditions each by their name."""
    found: dict[str, str] = {}
    for key, value in (brief(codec.loads(text, Slots)) if text else {}).items():
        if isinstance(value, dict):
            found |= {f"{key}.{name}": str(item) for name, item in value.items()}
        elif value not in (None, [], ()):
            found[key] = str(value)
    return found


def sql(then: str, now: str) -> Difference:
    """Two statements, as a unified diff."""
    return Difference("sql", then, now, tuple(_unified(then, now)))


def _unified(then: str, now: str) -> Iterator[str]:
    return difflib.unified_diff(then.splitlines(), now.splitlines(), "then", "now", lineterm="")


def rows(then: Step, table: Rows | None, now: Rows) -> Difference:
    """Other rows: the cells that changed where the rows were kept, else counts and control totals."""
    found = totals(now.columns, now.rows)
    lines = [] if then.rows == len(now.rows) else [f"rows: {then.rows} → {len(now.rows)}"]
    if table is not None:
        lines += _cells(then, table, now)
    else:
        lines += _totals(then.totals, found)
    return Difference(
        "rows", _counted(then.rows, then.totals), _counted(len(now.rows), found), tuple(lines)
    )


def _counted(count: int, found: Sequence[Total]) -> str:
    sums = ", ".join(f"{item.column} {plain(item.sum)}" for item in found)
    return f"{count} rows" + (f"; totals {sums}" if sums else "")


def _totals(then: Sequence[Total], now: Sequence[Total]) -> Iterator[str]:
    before, after = ({item.column: item for item in found} for found in (then, now))
    for name in dict.fromkeys((*before, *after)):
        was, is_now = before.get(name), after.get(name)
        if was is None or is_now is None:
            here, there = ("no numbers" if item is None else "numbers" for item in (was, is_now))
            yield f"{name}: {here} → {there}"
        elif was != is_now:
            yield "; ".join(
                f"{part} of {name}: {plain(one)} → {plain(other)}"
                for part, one, other in (
                    ("sum", was.sum, is_now.sum),
                    ("least", was.min, is_now.min),
                    ("most", was.max, is_now.max),
                )
                if one != other
            )
    if then and tuple(then) == tuple(now):
        yield "the totals are the same; single cells are not (the rows were not kept)"


def _cells(then: Step, table: Rows, now: Rows) -> Iterator[str]:
    """Rows by what names them: gone, new, or with other cells."""
    kinds = {column.id: column.kind for column in then.columns}
    numbers = [name for name in table.columns if kinds.get(name) in NUMBERS]
    key = [name for name in table.columns if name not in numbers]
    before, after = _by(table, key), _by(now, key)
    lines: list[str] = []
    for name in dict.fromkeys((*before, *after)):
        label = ", ".join(name) or "the row"
        was, is_now = before.get(name, []), after.get(name, [])
        if len(was) == len(is_now) == 1:
            lines += [
                f"{label}: {column} {was[0][column]} → {is_now[0].get(column, '–')}"
                for column in numbers
                if was[0][column] != is_now[0].get(column)
            ]
        elif was != is_now:
            lines += [f"{label}: gone: {row}" for row in was if row not in is_now]
            lines += [f"{label}: new: {row}" for row in is_now if row not in was]
    yield from lines[:SHOWN]
    if len(lines) > SHOWN:
        yield f"… and {len(lines) - SHOWN} more"


def _by(found: Rows, key: Sequence[str]) -> dict[tuple[str, ...], list[dict[str, str]]]:
    grouped: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in found.rows:
        cells = {name: _plain(cell) for name, cell in zip(found.columns, row, strict=True)}
        grouped.setdefault(tuple(cells.get(name, "–") for name in key), []).append(cells)
    return grouped


def _plain(cell: Cell) -> str:
    """A cell as text, the same whatever a file made of its type: 1, 1.0 and 1.00 are one number."""
    if isinstance(cell, bool) or cell is None or not isinstance(cell, int | float | Decimal):
        return "–" if cell is None else str(plain(cell))
    number = Decimal(f"{cell:.12g}") if isinstance(cell, float) else Decimal(cell)
    return format(number.normalize(), "f") if number.is_finite() else str(number)


ReadTable = Callable[[bytes], Rows]
