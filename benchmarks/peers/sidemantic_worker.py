"""sidemantic as a worker: the park's bills, payments and orders as its models, questions as its own queries.

Run with the Python of the peers' environment; see `protocol.py`.
"""

from __future__ import annotations

import protocol


def year(column: str) -> list[str]:
    """The filters of the year asked about."""
    return [f"{column} >= '2025-01-01'", f"{column} < '2026-01-01'"]


QUESTIONS: dict[str, dict[str, object]] = {
    "month": {
        "metrics": ["bill.receivable_amount"],
        "dimensions": ["bill.fee_type", "bill.bill_month__month"],
        "filters": year("bill.bill_month"),
    },
    "ratio": {
        "metrics": ["collection_rate"],
        "dimensions": ["bill.fee_type"],
        "filters": year("bill.bill_month"),
    },
    "top": {
        "metrics": ["bill.receivable_amount"],
        "dimensions": ["bill.tenant_id"],
        "filters": [*year("bill.bill_month"), "bill.park_id = 'P001'"],
        "order_by": ["bill.receivable_amount DESC"],
        "limit": 10,
    },
    "facts": {
        "metrics": ["bill.receivable_amount", "work_order.order_count"],
        "dimensions": ["park.park_id"],
    },
    "joined": {
        "metrics": ["work_order.order_count"],
        "dimensions": ["building.building_no"],
        "filters": [*year("work_order.created_at"), "work_order.park_id = 'P001'"],
    },
}


def start() -> protocol.Compile:
    """Load the library and the models; gives what compiles a question."""
    from sidemantic import Dimension, Metric, Model, Relationship, SemanticLayer

    layer = SemanticLayer(auto_register=False)

    def add(
        model: str, table: str, key: str, to: list[str], columns: list[str], **metric: str
    ) -> None:
        layer.add_model(
            Model(
                name=model,
                table=table,
                primary_key=key,
                relationships=[
                    Relationship(name=item, type="many_to_one", foreign_key=f"{item}_id")
                    for item in to
                ],
                dimensions=[
                    Dimension(name=item, type="time", granularity="day", sql=item)
                    if item in ("bill_month", "paid_on", "created_at")
                    else Dimension(name=item, type="categorical", sql=item)
                    for item in columns
                ],
                metrics=[Metric(**metric)] if metric else [],
            )
        )

    add("park", "dim_park", "park_id", [], ["park_id"])
    add("tenant", "dim_tenant", "tenant_id", [], ["tenant_id"])
    add("building", "dim_building", "building_id", [], ["building_no"])
    add(
        "bill",
        "fact_bill",
        "bill_id",
        ["park", "tenant"],
        ["fee_type", "bill_month", "tenant_id", "park_id"],
        name="receivable_amount",
        agg="sum",
        sql="receivable_amount",
    )
    add(
        "payment",
        "fact_payment",
        "payment_id",
        ["bill"],
        ["paid_on"],
        name="received_amount",
        agg="sum",
        sql="amount",
    )
    add(
        "work_order",
        "fact_work_order",
        "order_id",
        ["park", "building"],
        ["created_at", "park_id"],
        name="order_count",
        agg="count",
    )
    layer.add_metric(
        Metric(
            name="collection_rate",
            type="ratio",
            numerator="payment.received_amount",
            denominator="bill.receivable_amount",
        )
    )
    return lambda name: str(layer.compile(**QUESTIONS[name]))


if __name__ == "__main__":
    protocol.serve(start, "sidemantic")
