"""The questions that every layer is asked, and the right rows by hand-written SQL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its id, in words, and the SQL of its right rows (groups, then figures)."""

    id: str
    words: str
    truth: str


YEAR = "bill_month >= date '2025-01-01' and bill_month < date '2026-01-01'"
ASKED = (
    Asked(
        "month",
        "receivable by fee type and month, a year",
        f"""select fee_type, date_trunc('month', bill_month)::date, sum(receivable_amount)
        from fact_bill where {YEAR} group by 1, 2""",
    ),
    Asked(
        "ratio",
        "collection rate by fee type, a year",
        f"""with paid as (select bill_id, sum(amount) as amount from fact_payment group by 1)
        select fee_type, sum(coalesce(amount, 0)) / sum(receivable_amount)
        from fact_bill left join paid using (bill_id) where {YEAR} group by 1""",
    ),
    Asked(
        "top",
        "the 10 tenants of a park with most receivable, a year",
        f"""select tenant_id, sum(receivable_amount) from fact_bill
        where {YEAR} and park_id = 'P001' group by 1 order by 2 desc limit 10""",
    ),
    Asked(
        "facts",
        "receivable and work orders by park",
        """select park_id, due, n from
        (select park_id, sum(receivable_amount) as due from fact_bill group by 1)
        full join (select park_id, count(*) as n from fact_work_order group by 1) using (park_id)""",
    ),
    Asked(
        "joined",
        "work orders of a park by building, some without one, a year",
        """select building_no, count(*) from fact_work_order left join dim_building using (building_id)
        where created_at >= date '2025-01-01' and created_at < date '2026-01-01'
        and fact_work_order.park_id = 'P001' group by 1""",
    ),
)
