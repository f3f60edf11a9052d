"""wenshu as a worker: the park's layer, questions as slots. Compiled, guarded and read back each time."""

from __future__ import annotations

from datetime import date, datetime

import protocol

CLOCK = datetime(2026, 9, 28)


def start() -> protocol.Compile:
    """Load the layer; gives what compiles a question."""
    from api.settings import demo_layer
    from nl2sql import guard, readback
    from nl2sql.compiler import Question, build
    from nl2sql.slots import Among, Filter, Limit, Order, Slots, TimeSlot
    from nl2sql.times import Range
    from semantic_layer.load import load

    year = TimeSlot("2025年", (Range(date(2025, 1, 1), date(2026, 1, 1)),), "period", "month")
    due, park = ("receivable_amount",), Filter("park_id", Among(("P001",)))
    questions = {
        "month": Slots("bill", due, ("fee_type",), "month", time=year),
        "ratio": Slots("bill", ("collection_rate",), ("fee_type",), time=year),
        "top": Slots(
            "bill",
            due,
            ("tenant_id",),
            filters=(park,),
            time=year,
            order=Order(),
            limit=Limit(10),
        ),
        "facts": Slots("bill", (*due, "order_count"), ("park_id",)),
        "joined": Slots(
            "work_order", ("order_count",), ("building_no",), filters=(park,), time=year
        ),
    }
    layer = load(demo_layer())

    def compile_(name: str) -> str:
        sql = build(Question(questions[name], layer, CLOCK)).sql
        readback.check_tree(guard.check(sql, layer), questions[name], layer, CLOCK)
        return sql

    return compile_


if __name__ == "__main__":
    protocol.serve(start, "wenshu")
