"""No changed bound, hour, stretch of a clock or unit of a count passes the read-back, in any dialect."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest
import sqlglot
from sqlglot import exp

from nl2sql import readback
from nl2sql.compiler import Question, build
from nl2sql.errors import ReadBackError
from nl2sql.slots import Comparison, During, Filter, Order, Slots, TimeSlot
from nl2sql.times import Range
from semantic_layer.load import loads
from tests.nl2sql_compile.mutate import mutations

CLOCK = datetime(2026, 11, 20)
LAYER = loads("""
wenshu: 1
layer: clocks
calendar: {timezone: Europe/Amsterdam, fiscal_year_starts: 5}
tables:
  e:
    key: n
    columns:
      n: integer
      m: integer
      utc: {type: timestamp, zone: UTC}
      sec: {type: epoch, unit: seconds}
      ms: {type: epoch, unit: milliseconds}
      us: {type: epoch, unit: microseconds}
objects:
  e:
    table: e
    time: {column: utc, roles: {utc: {}, sec: {}, ms: {}, us: {}}}
    attributes:
      seen: {expr: utc}
      sent: {expr: ms}
      counted: {expr: us}
      took: {expr: "microseconds_between(utc, ms)"}
    list: [took]
    metrics: {total: {sum: n}}
  state:
    table: e
    time: {column: sec, snapshot: true}
    metrics: {held: {sum: n}}
""")
COLUMNS = {"n": "m", "m": "n", "utc": "sec", "sec": "ms", "ms": "us", "us": "utc"}
YEAR = Range(date(2026, 1, 1), date(2027, 1, 1))
MONTH = Range(date(2026, 10, 1), date(2026, 11, 1))
HALF = Range(datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 3))


def timed(found: Range, role: str) -> TimeSlot:
    return TimeSlot("", (found,), "period", "year", role=role)


ASKED = {
    "an hour": Slots(None, ("total",), time=timed(HALF, "utc")),
    "a count": Slots(None, ("total",), time=timed(YEAR, "ms")),
    "by month": Slots(None, ("total",), grain="month", time=timed(YEAR, "utc")),
    "by week of a count": Slots(None, ("total",), grain="week", time=timed(YEAR, "sec")),
    "by day, a year before": Slots(
        None, ("total",), grain="day", time=timed(MONTH, "us"), comparison=Comparison("yoy")
    ),
    "by fiscal quarter": Slots(
        None,
        ("total",),
        grain="fiscal_quarter",
        time=timed(Range(date(2026, 1, 1), date(2026, 2, 1)), "utc"),
    ),
    "a count listed": Slots(
        "e", rows=True, time=timed(Range(date(2026, 1, 1), date(2026, 2, 1)), "ms"), shown=("sent",)
    ),
    "by half": Slots(None, ("total",), grain="half", time=timed(MONTH, "ms")),
    "snapshots": Slots("state", ("held",), grain="month", time=timed(YEAR, "sec")),
    "a filter": Slots(None, ("total",), filters=(Filter("sent", During((HALF, YEAR))),)),
    "listed": Slots("e", rows=True, time=timed(YEAR, "ms"), shown=("sent",), order=Order("sent")),
    "took": Slots("e", rows=True, time=timed(YEAR, "utc"), shown=("seen",)),
}
# a change that changes nothing, and why
EQUIVALENT = {
    "Paren bare": "parentheses that the precedence of the signs makes idle",
    "inner expressions turned": "the columns of an inner SELECT are taken by name",
}


def passes(sql: str, name: str, dialect: str) -> bool:
    try:
        readback.check(sql, ASKED[name], LAYER, CLOCK, (), dialect)
    except ReadBackError:
        return False
    return True


def by_an_hour(tree: exp.Select, dialect: str) -> Iterator[tuple[str, str]]:
    """Each moment an hour earlier and later, each count by an hour of its unit and by one."""
    for index, node in enumerate(tree.walk()):
        others: list[exp.Expr] = []
        if isinstance(node, exp.Literal) and node.is_string:
            try:
                at = datetime.fromisoformat(node.name)
            except ValueError:
                at = None
            for hours in (-1, 1) if at is not None and at.year > 1970 else ():
                assert at is not None
                others.append(exp.Literal.string((at + timedelta(hours=hours)).isoformat(" ")))
        elif isinstance(node, exp.Literal) and node.name.isdigit() and int(node.name) > 10**8:
            unit = 10 ** (len(node.name) - 10)
            others = [
                exp.Literal.number(int(node.name) + step)
                for step in (-3600 * unit, 3600 * unit, -1, 1)
            ]
        elif isinstance(node, exp.Literal) and node.name in ("1000", "1000000"):
            others = [exp.Literal.number("1000000" if node.name == "1000" else "1000")]
        elif isinstance(node, exp.Interval):
            others = [
                exp.Interval(this=exp.Literal.string(step), unit=node.unit)
                for step in ("1", "2", "3")
                if step != node.this.name
            ]
        elif isinstance(node, exp.Case) and len(node.args["ifs"]) > 1:
            for at_ in range(len(node.args["ifs"])):
                fewer = node.copy()
                del fewer.args["ifs"][at_]
                others.append(fewer)
        for other in others:
            copy = tree.copy()
            next(item for at, item in enumerate(copy.walk()) if at == index).replace(other)
            yield f"by an hour: {node.sql(dialect)[:60]}", copy.sql(dialect)


# in the other dialects each of their own forms, once
FEW = ("an hour", "by month", "a filter")


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        *(("duckdb", name) for name in ASKED),
        *((dialect, name) for dialect in ("sqlite", "postgres") for name in FEW),
        ("postgres", "a count listed"),
        ("sqlite", "a count listed"),
    ],
)
def test_no_changed_statement_passes(dialect: str, name: str) -> None:
    sql = build(Question(ASKED[name], LAYER, CLOCK), dialect).sql
    assert passes(sql, name, dialect)
    tree = sqlglot.parse_one(sql, dialect=dialect)
    assert isinstance(tree, exp.Select)
    count, survivors = 0, []
    for what, changed in [*mutations(tree, COLUMNS, dialect), *by_an_hour(tree, dialect)]:
        count += 1
        if what.partition(":")[0] not in EQUIVALENT and passes(changed, name, dialect):
            survivors.append(what)
    assert survivors == []
    assert count > 30
