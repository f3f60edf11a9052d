"""The read-back check: does the SQL say what the slots say? A mismatch is an error, never an answer.

The statement's text is parsed anew and reduced to what it says (`from_sql`); what it must say is
computed from the slots and the layer (`from_slots`). Neither looks at the plan.
"""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime

from sqlglot import exp

from nl2sql import tally
from nl2sql.dialects import UnreadableError, read
from nl2sql.errors import ReadBackError
from nl2sql.readback.asked import Asked
from nl2sql.readback.from_slots import Metrics
from nl2sql.readback.from_sql import Reader
from nl2sql.readback.list_from_slots import listing
from nl2sql.slots import Filter, Slots
from semantic_layer.model import Layer

__all__ = ["check", "check_tree"]


def check(
    sql: str,
    slots: Slots,
    layer: Layer,
    clock: datetime,
    policy: tuple[Filter, ...] = (),
    dialect: str = "duckdb",
) -> None:
    """Raise `ReadBackError` when `sql` does not say exactly what the slots and the policy say."""
    try:
        tree = read(sql, layer, dialect)
    except UnreadableError as error:
        raise ReadBackError(str(error)) from error
    check_tree(tree, slots, layer, clock, policy)


def check_tree(
    tree: exp.Select, slots: Slots, layer: Layer, clock: datetime, policy: tuple[Filter, ...] = ()
) -> None:
    """`check` for a statement that is already parsed."""
    counted = slots.counted is not None
    if counted:
        tree, slots = tally.under(tree, slots, layer), tally.shown(slots)
    try:
        said = Reader(tree).said()
    except (KeyError, IndexError, AttributeError, AssertionError, TypeError) as error:
        raise ReadBackError(f"the statement has an unknown form: {error!r}") from error
    asked = Asked(slots, layer, clock, policy)
    wanted = listing(asked) if slots.rows else Metrics(asked).said()
    if counted:
        wanted = replace(wanted, order=())  # what is only counted has no order
    if said == wanted:
        return
    for item in fields(said):
        got, want = getattr(said, item.name), getattr(wanted, item.name)
        if got != want:
            raise ReadBackError(f"{item.name}: the SQL says {got}, the slots say {want}")
