"""The field's wrong numbers, and small sharp tables, in every engine that runs here."""

import json
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

import pytest
import yaml

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.errors import QuestionError
from nl2sql.slots import (
    Among,
    Comparison,
    Contains,
    Filter,
    Having,
    Interval,
    Limit,
    Missing,
    Order,
    Slots,
    TimeSlot,
    from_json,
)
from nl2sql.times import Range
from semantic_layer.load import loads
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell, Rows, Warehouse
from tests.nl2sql_compile.test_small_layers import (
    RATIOS,
    ROLE_DATA,
    ROLES,
    SHARED,
    SHARED_DATA,
    SOURCE_DATA,
    SOURCES,
)
from tests.nl2sql_compile.test_traps import ASKED, CASES, PARTS, _plain
from tests.nl2sql_dialects.conftest import ENGINES, Build
from tests.nl2sql_dialects.engines import near, types_of

CLOCK = datetime(2026, 9, 28)


def run(
    warehouse: Warehouse,
    layer: Layer,
    slots: Slots,
    clock: datetime = CLOCK,
    policy: tuple[Filter, ...] = (),
) -> Rows:
    """Slots, compiled in the warehouse's dialect, read back, guarded and run."""
    sql = build(Question(slots, layer, clock, policy), warehouse.dialect).sql
    readback.check(sql, slots, layer, clock, policy, warehouse.dialect)
    guard.check(sql, layer, warehouse.dialect)
    return warehouse.run(sql)


@pytest.mark.parametrize("trap", ASKED)
def test_trap(trap: str, small: Build) -> None:
    case, asked = CASES[trap], ASKED[trap]
    parts = {"wenshu": 1, "layer": "trap"} | {name: asked[name] for name in PARTS if name in asked}
    layer = loads(yaml.safe_dump(parts, sort_keys=False))
    slots = from_json(json.dumps(asked["slots"], default=str))
    clock = datetime.combine(asked.get("clock", date(2026, 9, 28)), datetime.min.time())
    for engine, warehouse in small(layer, case["tables"]).items():
        found = run(warehouse, layer, slots, clock)
        keep = found.columns.index(asked["keep"]) if "keep" in asked else None
        shown = [found.columns.index(name) for name in asked.get("columns", found.columns)]
        rows = [
            [_plain(row[index]) for index in shown]
            for row in found.rows
            if keep is None or row[keep] is not None
        ]
        assert rows == case["right"], engine


def everywhere(
    small: Build, text: str, data: str, slots: Sequence[Slots]
) -> list[tuple[tuple[Cell, ...], ...]]:
    """The rows of some slots, the same in every engine, of the same types; floats to 14 digits."""
    layer = loads("wenshu: 1\nlayer: small\n" + text)
    warehouses = small(layer, [data])
    answers = []
    for item in slots:
        wanted = run(warehouses["duckdb"], layer, item)
        for engine in ENGINES[1:]:
            found = run(warehouses[engine], layer, item)
            assert found.columns == wanted.columns
            assert [[near(cell) for cell in row] for row in found.rows] == [
                list(row) for row in wanted.rows
            ], engine
            assert types_of(found.rows) == types_of(wanted.rows), engine
        answers.append(wanted.rows)
    return answers


NUMBERS = """
tables:
  e:
    columns:
      k: text
      n: integer
      cents: {type: decimal, scale: 2}
      fine: {type: decimal, scale: 4}
      real: float
      yes: boolean
      day: date
      at: timestamp
      until: timestamp
dimensions: {k: {column: e.k}, yes: {column: e.yes}}
objects:
  e:
    table: e
    time: {column: day, unasked: all}
    dimensions: [k, yes]
    attributes:
      price: {expr: cents}
      with_tax: {expr: cents * 1.06}
      rest: {expr: "greatest(cents - fine, 0)"}
      when: {expr: at}
    list: [k, price, with_tax, rest, yes, when]
    metrics:
      total: {sum: cents}
      finely: {sum: fine}
      mean: {average: cents}
      mean_n: {average: n}
      mean_real: {average: real}
      both: {sum: cents + fine}
      less_n: {sum: cents - n}
      taxed: {sum: cents * 1.06}
      product: {sum: cents * fine}
      per_n: {sum: cents / n}
      double: {formula: total * 2}
      margin: {formula: total - finely}
      share: {formula: finely / total}
      share_of_one: {formula: 1 - finely / total}
      highest: {max: fine}
      lowest: {min: cents}
      above: {count: rows, where: "greatest(cents, fine) > 2.5"}
      between: {count: rows, where: "cents between 0.29 and 2.505"}
      listed: {count: rows, where: "cents in (0.29, 1, 2.50)"}
      chosen: {sum: "case when yes then cents when n > 1 then fine else 0.5 end"}
      some: {sum: "coalesce(cents, fine, 0.125)"}
      distance: {sum: abs(cents - 2)}
      kinds: {count_distinct: cents}
      truths: {count: rows, where: yes}
      untrue: {count: rows, where: not yes}
      waited: {average: "microseconds_between(at, until)"}
      first: {min: day}
"""
NUMBER_DATA = """
CREATE TABLE e(k TEXT, n INT, cents DECIMAL(14, 2), fine DECIMAL(14, 4), "real" DOUBLE, yes BOOLEAN,
               day DATE, "at" TIMESTAMP, until TIMESTAMP);
INSERT INTO e VALUES
  ('a', 3, 0.10, 0.1001, 0.1, true, '2024-02-29', '2024-02-29 23:59:59.9996', '2024-03-01 00:00:00.0001'),
  ('a', 7, 0.29, NULL, 0.2, false, '2024-03-31', '2024-03-31 10:00:00', '2024-03-31 10:00:01.5'),
  ('B', 0, 2.50, 2.5050, NULL, NULL, '2025-01-31', NULL, '2025-01-31 08:00:00'),
  ('b', NULL, NULL, 9.9999, 1e30, true, '2025-02-28', '2025-02-28', '2026-02-28'),
  (NULL, 2, 1.00, 0.0001, -0.5, false, '2025-12-31', '2025-12-31 23:59:59', '2026-01-01'),
  ('é', 1, -3.33, 1.1111, 3.3, true, NULL, NULL, NULL),
  ('z', 11, 0.20, 0.2000, 0.3, NULL, '2026-05-04', '2026-05-04 00:00:00', '2026-05-03 23:00:00')
"""
NUMBER_METRICS = tuple(loads("wenshu: 1\nlayer: small\n" + NUMBERS).metrics)


def test_numbers_of_every_kind(small: Build) -> None:
    """Decimals of two scales, floats, integers and NULLs together, alone and by a dimension."""
    each = [Slots(None, (name,), ("k",)) for name in NUMBER_METRICS]
    answers = everywhere(small, NUMBERS, NUMBER_DATA, [Slots(None, NUMBER_METRICS), *each])
    found = dict(zip(NUMBER_METRICS, answers[0][0], strict=True))
    assert found["total"] == Decimal("0.76")
    assert found["both"] == Decimal("4.3863")
    assert found["taxed"] == Decimal("0.8056")
    assert found["waited"] == (500 + 1_500_000 + 365 * 86400e6 + 1e6 - 3600e6) / 5
    assert (found["above"], found["between"], found["listed"]) == (2, 3, 3)


def test_conditions_ranks_and_lists_of_decimals(small: Build) -> None:
    exact = Interval(Decimal("0.39"), True, Decimal("0.39"), True)
    answers = everywhere(
        small,
        NUMBERS,
        NUMBER_DATA,
        [
            Slots(None, ("total",), ("k",), having=(Having("total", exact),)),
            Slots(None, ("margin",), ("k",), having=(Having("margin", Interval(Decimal(0))),)),
            Slots(None, ("total",), ("k",), having=(Having("share", Interval(Decimal("0.5"))),)),
            Slots(None, ("margin",), ("k",), limit=Limit(3), order=Order("margin", False)),
            Slots(None, ("total",), ("k",), filters=(Filter("price", Interval(Decimal("0.205"))),)),
            Slots("e", rows=True),
            Slots("e", rows=True, order=Order("with_tax"), limit=Limit(3)),
            Slots(None, ("total",), ("yes",)),
            Slots(None, ("total",), filters=(Filter("yes", Among(("false",), True)),)),
            Slots(None, ("total",), filters=(Filter("yes", Missing()),)),
        ],
    )
    assert answers[0] == (("a", Decimal("0.39")),)
    assert [row[0] for row in answers[5]][-1] == "é"


@pytest.mark.parametrize("grain", ["day", "week", "month", "quarter", "half", "year"])
def test_buckets_and_their_bases(grain: str, small: Build) -> None:
    """Leap day, months' ends, the last second of a year: in buckets, and a year or a bucket later."""
    years = TimeSlot("", (Range(date(2024, 1, 1), date(2027, 1, 1)),), "period", "year")
    plain = Slots(None, ("total", "truths"), grain=grain, time=years)  # type: ignore[arg-type]
    compared = [
        Slots(None, ("total",), grain=grain, time=years, comparison=Comparison(kind))  # type: ignore[arg-type]
        for kind in ("yoy", "pop")
    ]
    everywhere(small, NUMBERS, NUMBER_DATA, [plain, *compared])
    by_time = NUMBERS.replace("column: day", "column: at")
    everywhere(small, by_time, NUMBER_DATA, [plain, *compared])
    sunday = "calendar: {week_starts: sunday}\n" + by_time
    everywhere(small, sunday, NUMBER_DATA, [plain, *compared])


@pytest.mark.parametrize("start", [1, 2, 4, 12])
def test_fiscal_buckets_and_their_bases(start: int, small: Build) -> None:
    """Years and quarters from a month on, against counting in Python; from January, the calendar's."""
    years = TimeSlot("", (Range(date(2023, 1, 1), date(2027, 1, 1)),), "period", "year")
    head = f"calendar: {{fiscal_year_starts: {start}}}\n"
    days = [date(2024, 2, 29), date(2024, 3, 31), date(2025, 1, 31), date(2025, 2, 28),
            date(2025, 12, 31), date(2026, 5, 4)]  # fmt: skip
    for grain, months in (("fiscal_quarter", 3), ("fiscal_year", 12)):
        asked = [
            Slots(None, ("rows",), grain=grain, time=years, comparison=comparison)  # type: ignore[arg-type]
            for comparison in (None, Comparison("yoy"), Comparison("pop"))
        ]
        (plain, *_), (by_time, *_) = (
            everywhere(small, head + text.replace("kinds: {count", "rows: {count: rows}\n      kinds: {count"), NUMBER_DATA, asked)
            for text in (NUMBERS, NUMBERS.replace("column: day", "column: at"))
        )  # fmt: skip
        wanted: dict[date, int] = {}
        for day in days:
            late = (day.year * 12 + day.month - start) // months * months + start - 1
            first = date(late // 12, late % 12 + 1, 1)
            wanted[first] = wanted.get(first, 0) + 1
        assert dict(plain) == wanted
        assert len(by_time) <= len(plain)
        if start == 1:
            same = Slots(None, ("total",), grain=grain.removeprefix("fiscal_"), time=years)  # type: ignore[arg-type]
            fiscal = Slots(None, ("total",), grain=grain, time=years)  # type: ignore[arg-type]
            assert len(set(everywhere(small, NUMBERS, NUMBER_DATA, [same, fiscal]))) == 1


def test_names_that_are_words_of_sql(small: Build) -> None:
    questions = [
        Slots(None, ("select",), ("start", "end")),
        Slots(None, ("select",), filters=(Filter("kind", Contains("5%")),)),
        Slots(None, ("select",), ("end",), filters=(Filter("start", Among(("A",))),)),
        Slots(None, ("select",), filters=(Filter("kind", Among(("it's 5%",), True)),)),
    ]
    assert everywhere(small, ROLES, ROLE_DATA, questions)[1] == ((1,),)


def test_ratios_of_nothing(small: Build) -> None:
    data = "CREATE TABLE e(a INT, b INT, c INT, k TEXT); INSERT INTO e VALUES (8, 4, 0, 'x'), (7, 2, 3, 'y')"
    metrics = ("nested", "written", "less", "of_less", "by_row")
    everywhere(small, RATIOS, data, [Slots(None, metrics), Slots(None, metrics, ("k",))])


def test_tables_under_other_names_and_two_objects(small: Build) -> None:
    text = SOURCES.replace("x: decimal", "x: {type: decimal, scale: 2}").replace(
        "amount: decimal", "amount: {type: decimal, scale: 2}"
    ).replace("source: main.", "source: ")  # fmt: skip
    everywhere(
        small,
        text,
        SOURCE_DATA,
        [
            Slots(None, ("due", "paid_amount", "unpaid"), ("shop",)),
            Slots("bill", rows=True, filters=(Filter("age", Interval(Decimal(1))),)),
        ],
    )
    everywhere(small, SHARED, SHARED_DATA, [Slots(None, ("parts_a", "parts_b"), ("k",))])


MEDIAN = """
tables: {e: {columns: {k: text, n: integer}}}
dimensions: {k: {column: e.k}}
objects: {e: {table: e, dimensions: [k], metrics: {middle: {median: n}}}}
"""


def test_a_median_is_not_in_sqlite(small: Build) -> None:
    layer = loads("wenshu: 1\nlayer: small\n" + MEDIAN)
    data = "CREATE TABLE e(k TEXT, n INT); INSERT INTO e VALUES ('a', 1), ('a', 4), ('b', 7), ('b', NULL)"
    warehouses = small(layer, [data])
    slots = Slots(None, ("middle",), ("k",))
    wanted = run(warehouses["duckdb"], layer, slots)
    assert run(warehouses["postgres"], layer, slots) == wanted
    with pytest.raises(QuestionError, match="not-in-dialect"):
        run(warehouses["sqlite"], layer, slots)


def test_a_decimal_without_a_scale_is_refused_in_sqlite() -> None:
    layer = loads(
        "wenshu: 1\nlayer: small\n" + NUMBERS.replace("{type: decimal, scale: 2}", "decimal")
    )
    with pytest.raises(QuestionError, match="decimal-without-scale"):
        build(Question(Slots(None, ("total",)), layer, CLOCK), "sqlite")
