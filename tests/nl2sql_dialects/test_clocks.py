"""Moments kept by another clock than that of business: the same right rows in every engine.

The right values come from zoneinfo, by hand or row by row in Python; and a column that says its clock
must give what one gives in which the business time itself stands.
"""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from nl2sql.errors import QuestionError
from nl2sql.slots import (
    Comparison,
    During,
    Filter,
    Interval,
    Limit,
    Missing,
    Order,
    Slots,
    TimeSlot,
)
from nl2sql.times import Calendar, Range, bucket
from semantic_layer.load import loads
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell, Rows, Warehouse
from tests.nl2sql_dialects.conftest import ENGINES, Build
from tests.nl2sql_dialects.engines import types_of
from tests.nl2sql_dialects.test_small import run

CLOCK = datetime(2026, 11, 20)
KEPT = ("utc", "sec", "ms", "us", "york")  # columns of the same moment, each by another clock
EPOCH = datetime(1970, 1, 1)

LAYER = """
wenshu: 1
layer: clocks
calendar: {{timezone: {zone}, week_starts: {week}}}
tables:
  e:
    columns:
      n: integer
      v: integer
      k: text
      utc: {{type: timestamp, zone: UTC}}
      sec: {{type: epoch, unit: seconds}}
      ms: {{type: epoch, unit: milliseconds}}
      us: {{type: epoch, unit: microseconds}}
      york: {{type: timestamp, zone: America/New_York}}
      local: timestamp
      until: {{type: timestamp, zone: UTC}}
      until_local: timestamp
      day: date
    key: n
dimensions: {{k: {{column: e.k}}}}
objects:
  e:
    table: e
    time: {{column: utc, roles: {{utc: {{}}, sec: {{}}, ms: {{}}, us: {{}}, york: {{}}, local: {{}}, day: {{}}}}}}
    dimensions: [k]
    attributes:
      is_utc: {{expr: utc}}
      is_sec: {{expr: sec}}
      is_ms: {{expr: ms}}
      is_us: {{expr: us}}
      is_york: {{expr: york}}
      is_until: {{expr: until}}
      is_local: {{expr: local}}
      is_day: {{expr: day}}
      number: {{expr: n}}
      later: {{expr: "greatest(sec, until)"}}
      took: {{expr: "microseconds_between(utc, until)"}}
      took_mixed: {{expr: "microseconds_between(ms, until_local)"}}
      since: {{expr: "microseconds_between(us, today())"}}
    list: [number]
    metrics:
      total: {{sum: v}}
      rows: {{count: rows}}
      mean_took: {{average: "microseconds_between(utc, until)"}}
      last_ms: {{max: ms}}
      kinds: {{count_distinct: us}}
      old_utc: {{count: rows, where: "utc < today()"}}
      old_sec: {{count: rows, where: "sec < today()"}}
      old_local: {{count: rows, where: "local < today()"}}
  state:
    table: e
    time: {{column: utc, snapshot: true, unasked: newest, roles: {{utc: {{}}, ms: {{}}, local: {{}}}}}}
    dimensions: [k]
    attributes: {{number_: {{expr: n}}, seen: {{expr: ms}}}}
    list: [number_, seen]
    metrics: {{held: {{sum: v}}}}
"""
ZONES = ("Europe/Amsterdam", "Asia/Shanghai", "America/New_York", "Asia/Kolkata")


def layer_of(zone: str, week: str = "monday") -> Layer:
    return loads(LAYER.format(zone=zone, week=week))


def by(zone: str, moment: datetime) -> datetime:
    """A moment of UTC by the clock of a zone."""
    return moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


def moments() -> list[datetime]:
    """Around every change of 2025 and 2026 in Amsterdam and New York, ends of years, and between."""
    changes = ["2025-03-09 07", "2025-03-30 01", "2025-10-26 01", "2025-11-02 06"]
    changes += ["2026-03-08 07", "2026-03-29 01", "2026-10-25 01", "2026-11-01 06"]
    years = ["2024-12-31 16", "2024-12-31 23", "2025-12-31 16", "2025-12-31 23", "2026-11-20 00"]
    steps = [-1440, -120, -90, -60, -30, -1, 0, 1, 30, 60, 90, 120, 1440]
    found = [
        datetime.fromisoformat(at) + timedelta(minutes=step)
        for at in (*changes, *years)
        for step in steps
    ]
    found += [datetime(2024, 12, 15) + timedelta(hours=37 * index) for index in range(450)]
    return sorted(set(found))


def data(zone: str) -> list[str]:
    """One table: a moment in every column, each by its own clock; and a row without any."""
    rows = ["(0, 1000000, 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"]
    for index, utc in enumerate(moments(), 1):
        micros = (utc - EPOCH) // timedelta(microseconds=1)
        until = utc + timedelta(minutes=index % 5 * 45)
        york = by("America/New_York", utc)
        if york.replace(tzinfo=ZoneInfo("America/New_York")).astimezone(UTC) != utc.replace(
            tzinfo=UTC
        ):
            york = utc - timedelta(
                hours=4
            )  # it comes twice there: the first is the one that counts
            utc, until = utc - timedelta(hours=1), until - timedelta(hours=1)
            micros -= 3_600_000_000
            york = by("America/New_York", utc)
        rows.append(
            f"({index}, {index}, '{'ab'[index % 2]}', '{utc}', {micros // 1000000},"
            f" {micros // 1000 + index % 2}, {micros + index % 3}, '{york}', '{by(zone, utc)}',"
            f" '{until}', '{by(zone, until)}', '{by(zone, utc).date()}')"
        )
    return [
        "CREATE TABLE e(n INT, v INT, k TEXT, utc TIMESTAMP, sec INT, ms BIGINT, us BIGINT, york TIMESTAMP,"
        ' "local" TIMESTAMP, "until" TIMESTAMP, until_local TIMESTAMP, "day" DATE)',
        f"INSERT INTO e VALUES {', '.join(rows)}",
    ]


def everywhere(
    warehouses: dict[str, Warehouse], layer: Layer, slots: Slots, clock: datetime = CLOCK
) -> Rows:
    """The rows of some slots, the same in every engine."""
    wanted = run(warehouses["duckdb"], layer, slots, clock)
    for engine in ENGINES[1:]:
        found = run(warehouses[engine], layer, slots, clock)
        assert found == wanted, engine
        assert types_of(found.rows) == types_of(wanted.rows), engine
    return wanted


def span(start: date, end: date, role: str | None = None) -> TimeSlot:
    return TimeSlot("", (Range(start, end),), "period", "year", role=role)


# -- cases counted by hand -------------------------------------------------------------------

HAND = """
wenshu: 1
layer: hand
calendar: {{timezone: {zone}}}
tables: {{e: {{columns: {{at: {{{column}}}, cost: integer}}}}}}
objects:
  e:
    table: e
    time: {{column: at}}
    attributes: {{shown: {{expr: at}}, cost_: {{expr: cost}}}}
    list: [shown, cost_]
    metrics: {{total: {{sum: cost}}, rows: {{count: rows}}, kinds: {{count_distinct: at}}}}
"""
COLUMNS = {
    "type: timestamp, zone: UTC": ("TIMESTAMP", lambda at: f"'{at}'"),
    "type: epoch, unit: seconds": ("INT", lambda at: str((at - EPOCH) // timedelta(seconds=1))),
    "type: epoch, unit: milliseconds": (
        "BIGINT", lambda at: str((at - EPOCH) // timedelta(milliseconds=1)),
    ),
    "type: epoch, unit: microseconds": (
        "BIGINT", lambda at: str((at - EPOCH) // timedelta(microseconds=1)),
    ),
}  # fmt: skip


@pytest.fixture(params=COLUMNS)
def ask(request: pytest.FixtureRequest, small: Build):  # type: ignore[no-untyped-def]
    """Rows of slots over (moment of UTC, cost), kept in each way, the same in every engine."""
    column = request.param
    kind, written = COLUMNS[column]

    def answer(
        zone: str, rows: list[tuple[str, int]], *slots: Slots
    ) -> list[tuple[tuple[Cell, ...], ...]]:
        layer = loads(HAND.format(zone=zone, column=column))
        values = [f"({written(datetime.fromisoformat(at))}, {cost})" for at, cost in rows]
        made = small(
            layer,
            [f'CREATE TABLE e("at" {kind}, cost INT); INSERT INTO e VALUES {", ".join(values)}'],
        )
        return [everywhere(made, layer, item).rows for item in slots]

    return answer


def hours(day: date, start: str, end: str) -> Slots:
    moments = [datetime.combine(day, datetime.strptime(at, "%H:%M").time()) for at in (start, end)]
    return Slots(None, ("total", "rows"), time=TimeSlot("", (Range(*moments),), "between", "hour"))


def test_the_hour_before_the_clock_goes_back(ask) -> None:  # type: ignore[no-untyped-def]
    """trap-25: local 01:00 on 25 October in Amsterdam is 23:00 of the 24th in UTC."""
    rows = [("2026-10-24 22:30", 5), ("2026-10-24 23:15", 200), ("2026-10-25 00:15", 100)]
    day = date(2026, 10, 25)
    found = ask(
        "Europe/Amsterdam", rows, hours(day, "01:00", "02:00"), hours(day, "02:00", "03:00")
    )
    assert found == [((200, 1),), ((100, 1),)]


def test_the_hour_that_comes_twice_and_the_one_that_never_comes(ask) -> None:  # type: ignore[no-untyped-def]
    rows = [
        ("2026-10-25 00:15", 1), ("2026-10-25 00:45", 2), ("2026-10-25 01:15", 4),
        ("2026-10-25 01:45", 8), ("2026-10-25 02:00", 16),
        ("2026-03-29 00:59:59", 32), ("2026-03-29 01:00", 64),
    ]  # fmt: skip
    autumn, spring = date(2026, 10, 25), date(2026, 3, 29)
    found = ask(
        "Europe/Amsterdam",
        rows,
        hours(autumn, "02:00", "03:00"),  # both times
        hours(autumn, "02:30", "03:00"),  # the second half of each
        hours(autumn, "03:00", "04:00"),
        hours(spring, "01:00", "02:00"),
        hours(spring, "02:00", "03:00"),
        hours(spring, "03:00", "04:00"),
        Slots(None, ("kinds",), grain="day", time=span(autumn, date(2026, 10, 26))),
        Slots("e", rows=True, time=span(autumn, date(2026, 10, 26))),
    )
    listed = [str(row[0])[11:16] for row in found.pop()]
    assert listed == ["02:15", "02:45", "02:15", "02:45", "03:00"]  # in the order they happened
    assert found.pop() == ((autumn, 5),)  # and five different ones
    assert found == [
        ((15, 4),), ((10, 2),), ((16, 1),), ((32, 1),), ((None, 0),), ((64, 1),),
    ]  # fmt: skip


def test_a_bill_of_the_last_evening_in_utc_is_of_the_new_year_in_shanghai(ask) -> None:  # type: ignore[no-untyped-def]
    rows = [("2025-12-31 16:30", 7), ("2025-12-31 15:59:59", 1), ("2026-01-01 00:00", 2)]
    year = Slots(None, ("total",), time=span(date(2026, 1, 1), date(2027, 1, 1)))
    by_month = Slots(
        None, ("total",), grain="month", time=span(date(2025, 12, 1), date(2026, 2, 1))
    )
    all_time = Slots(None, ("total",), grain="year")
    listed = Slots("e", rows=True, time=span(date(2026, 1, 1), date(2026, 1, 2)))
    found = ask("Asia/Shanghai", rows, year, by_month, all_time, listed)
    assert found[0] == ((9,),)
    assert found[1] == ((date(2025, 12, 1), 1), (date(2026, 1, 1), 9))
    assert found[2] == ((date(2025, 1, 1), 1), (date(2026, 1, 1), 9))
    assert found[3] == ((datetime(2026, 1, 1, 0, 30), 7), (datetime(2026, 1, 1, 8), 2))


def test_days_of_twenty_three_and_twenty_five_hours(ask) -> None:  # type: ignore[no-untyped-def]
    """A row an hour: the days of the changes have 23 and 25, and a year before 24."""
    starts = [datetime(2025, 3, 28, 23), datetime(2026, 3, 28, 23), datetime(2026, 10, 24, 22)]
    rows = [(str(at + timedelta(hours=hour)), 1) for at in starts for hour in range(73)]
    assert by("Europe/Amsterdam", starts[2]) == datetime(2026, 10, 25)
    day = [
        Slots(None, ("total",), time=span(at, at + timedelta(1)), comparison=Comparison("yoy"))
        for at in (date(2026, 3, 29), date(2026, 3, 30))
    ]
    days = Slots(None, ("total",), grain="day", time=span(date(2026, 10, 25), date(2026, 10, 28)))
    found = ask("Europe/Amsterdam", rows, *day, days)
    # 29 March is Sunday of the change in 2026, an ordinary Saturday in 2025; 30 March the reverse
    assert [rows[0][:2] for rows in found[:2]] == [(23, 24), (24, 23)]
    assert found[2] == (
        (date(2026, 10, 25), 25),
        (date(2026, 10, 26), 24),
        (date(2026, 10, 27), 24),
    )


# -- row by row in Python --------------------------------------------------------------------


@pytest.mark.parametrize("zone", ZONES)
def test_buckets_of_every_clock(zone: str, small: Build) -> None:
    """Each grain of each column: what zoneinfo says, and the buckets add up to the total."""
    week = "sunday" if zone == "America/New_York" else "monday"
    layer, rows = layer_of(zone, week), data(zone)
    warehouses = small(layer, rows)
    calendar = Calendar(layer.calendar.week_start, layer.calendar.fiscal_start)
    start, end = date(2025, 1, 1), date(2027, 1, 1)
    shown = Slots("e", rows=True, shown=("is_local",))
    instants = run(warehouses["duckdb"], layer, shown, CLOCK).rows
    value = {row[0]: row[1] for row in instants if row[1] is not None}  # n → business time
    assert len(value) == len(moments())
    for grain in ("day", "week", "month", "quarter", "half", "year"):
        wanted: dict[date, int] = defaultdict(int)
        for number, at in value.items():
            assert isinstance(at, datetime)
            assert isinstance(number, int)
            if start <= at.date() < end:
                wanted[bucket(at.date(), grain, calendar)] += number  # type: ignore[arg-type]
        for role in KEPT:
            slots = Slots(None, ("total",), grain=grain, time=span(start, end, role))  # type: ignore[arg-type]
            found = everywhere(warehouses, layer, slots).rows
            assert dict(found) == wanted, (grain, role)
            assert [row[0] for row in found] == sorted(wanted)
            whole = Slots(None, ("total",), time=span(start, end, role))
            assert everywhere(warehouses, layer, whole).rows == ((sum(wanted.values()),),)


@pytest.mark.parametrize("zone", ["Europe/Amsterdam", "Asia/Shanghai", "Asia/Kolkata"])
def test_what_is_listed_is_business_time(zone: str, small: Build) -> None:
    """Whatever limits the rows: each column by its own clock, to the last digit it has."""
    layer = layer_of(zone)
    warehouses = small(layer, data(zone))
    names = ("is_utc", "is_sec", "is_ms", "is_us", "is_york", "took", "is_local")
    asked = [Slots("e", rows=True, time=span(date(2026, 1, 1), date(2027, 1, 1)), shown=names)]
    for slots in asked:
        found = everywhere(warehouses, layer, slots).rows
        assert len(found) > 200
        for number, utc, sec, ms, us, york, took, business in found:
            assert isinstance(business, datetime)
            assert isinstance(number, int)
            assert utc == sec == york == business
            assert ms == business + timedelta(milliseconds=number % 2)
            assert us == business + timedelta(microseconds=number % 3)
            assert took == number % 5 * 45 * 60_000_000  # elapsed, whatever the clocks did


def test_times_between_clocks(small: Build) -> None:
    """A count against a business time, and against today, which begins at midnight of business."""
    zone = "Asia/Shanghai"
    layer = layer_of(zone)
    warehouses = small(layer, data(zone))
    names = ("is_utc", "took_mixed", "since", "later", "is_until")
    found = everywhere(warehouses, layer, Slots("e", rows=True, shown=names)).rows
    assert found[-1][1:] == (None,) * 5  # the row without any
    midnight = datetime(2026, 11, 19, 16)  # of the 20th in Shanghai, by UTC
    before = 0
    for number, shown, took, since, later, until in found[:-1]:
        assert isinstance(shown, datetime)
        assert isinstance(number, int)
        assert isinstance(until, datetime)
        utc = shown - timedelta(hours=8)
        assert until == shown + timedelta(minutes=number % 5 * 45) == later
        assert took == number % 5 * 45 * 60_000_000 - number % 2 * 1000
        assert since == (midnight - utc) // timedelta(microseconds=1) - number % 3
        before += utc < midnight
    old = everywhere(warehouses, layer, Slots(None, ("old_utc", "old_sec", "old_local")))
    assert old.rows == ((before,) * 3,)


def test_numbers_made_of_moments(small: Build) -> None:
    """The mean time between, the last moment in business time, how many different ones."""
    layer = layer_of("Asia/Shanghai")
    warehouses = small(layer, data("Asia/Shanghai"))
    year = span(date(2026, 1, 1), date(2027, 1, 1))
    slots = Slots(None, ("last_ms", "kinds", "rows"), grain="year", time=year)
    ((_, last, kinds, rows),) = everywhere(warehouses, layer, slots).rows
    assert last == max(by("Asia/Shanghai", at) for at in moments())
    assert isinstance(rows, int)
    assert isinstance(kinds, int)
    assert 200 < kinds <= rows < kinds + 5


# -- as if business time stood in the column --------------------------------------------------

AUTUMN = (Range(datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 3)),)
YEAR = (Range(date(2026, 1, 1), date(2027, 1, 1)),)
TWO = (Range(date(2025, 3, 30), date(2025, 3, 31)), Range(date(2026, 10, 25), date(2026, 10, 26)))


def shapes(role: str) -> dict[str, Slots]:
    """Questions of varied shapes that go by a date."""
    attribute = f"is_{role}"

    def timed(ranges: tuple[Range, ...], kind: str = "period") -> TimeSlot:
        return TimeSlot("", ranges, kind, "year", role=role)  # type: ignore[arg-type]

    return {
        "total": Slots(None, ("total",), time=timed(YEAR)),
        "half an hour that comes twice": Slots(None, ("total",), time=timed(AUTUMN)),
        "two days": Slots(None, ("total",), ("k",), grain="day", time=timed(TWO, "list")),
        "open": Slots(None, ("total",), grain="month", time=timed((Range(date(2026, 3, 1), None),), "open")),
        "all": Slots(None, ("total",), ("k",), grain="quarter", time=timed((Range(None, None),), "open")),
        "yoy by week": Slots(None, ("total",), grain="week", time=timed(YEAR), comparison=Comparison("yoy")),
        "pop by day": Slots(None, ("total",), grain="day", time=timed(TWO[1:]), comparison=Comparison("pop")),
        "yoy of hours": Slots(None, ("total",), time=timed(AUTUMN), comparison=Comparison("yoy")),
        "ranked": Slots(None, ("total",), ("k",), grain="month", time=timed(YEAR), limit=Limit(3), order=Order("total")),
        "a filter during": Slots(None, ("total",), ("k",), filters=(Filter(attribute, During(TWO)),)),
        "a filter of half an hour": Slots(None, ("rows",), filters=(Filter(attribute, During(AUTUMN)),)),
        "a filter for nothing": Slots(None, ("rows", "total"), filters=(Filter(attribute, Missing()),)),
        "listed": Slots("e", rows=True, time=timed(TWO, "list"), shown=(attribute,)),
        "listed, half an hour": Slots("e", rows=True, time=timed(AUTUMN), shown=(attribute,)),
        "listed by place": Slots("e", rows=True, time=timed(YEAR), order=Order(role), limit=Limit(9), shown=(attribute,)),
        "of a number": Slots(None, ("rows",), grain="month", time=timed(YEAR), filters=(Filter("number", Interval(Decimal(50))),)),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("role", "zone"),
    [("utc", "Europe/Amsterdam"), ("sec", "Europe/Amsterdam"), ("york", "Asia/Shanghai")],
)
def test_as_if_business_time_stood_there(role: str, zone: str, small: Build) -> None:
    layer = layer_of(zone)
    warehouses = small(layer, data(zone))
    plain = shapes("local")
    for name, slots in shapes(role).items():
        found = everywhere(warehouses, layer, slots).rows
        wanted = run(warehouses["duckdb"], layer, plain[name], CLOCK).rows
        if slots.rows:  # in an hour that comes twice, by the moment; a reading cannot tell
            found, wanted = tuple(sorted(found)), tuple(sorted(wanted))
        assert found == wanted, name
        assert found or zone == "Asia/Shanghai", name


def test_snapshots(small: Build) -> None:
    """The last moment of each month of business time, and the newest day."""
    zone = "Europe/Amsterdam"
    layer = layer_of(zone)
    warehouses = small(layer, data(zone))
    newest = date(2026, 11, 19)
    for grain in (None, "month", "day"):
        for comparison in (None, Comparison("yoy")):
            found = [
                everywhere(
                    warehouses,
                    layer,
                    Slots("state", ("held",), grain=grain, time=span(date(2026, 1, 1), date(2026, 10, 26), role),  # type: ignore[arg-type]
                          comparison=comparison),
                ).rows
                for role in ("utc", "local")
            ]  # fmt: skip
            assert found[0] == found[1]
            assert found[0]
    for role in ("utc", "ms"):
        time = TimeSlot("", (Range(newest, newest + timedelta(1)),), "newest", "day", role=role)
        held = everywhere(warehouses, layer, Slots("state", ("held",), time=time)).rows
        wanted = max(
            number for number, at in enumerate(moments(), 1) if by(zone, at).date() == newest
        )
        assert held == ((wanted,),)


def test_a_date_has_no_hours(small: Build) -> None:
    layer = layer_of("Asia/Shanghai")
    warehouses = small(layer, data("Asia/Shanghai"))
    day = Slots(None, ("total",), time=span(date(2026, 1, 1), date(2027, 1, 1), "day"))
    plain = Slots(None, ("total",), time=span(date(2026, 1, 1), date(2027, 1, 1), "utc"))
    assert everywhere(warehouses, layer, day) == everywhere(warehouses, layer, plain)
    for slots in (
        Slots(None, ("total",), time=TimeSlot("", AUTUMN, "between", "hour", role="day")),
        Slots(None, ("total",), filters=(Filter("is_day", During(AUTUMN)),)),
    ):
        with pytest.raises(QuestionError, match="no-hours"):
            run(warehouses["duckdb"], layer, slots)


def test_moments_before_1970_and_parts_of_a_second(small: Build) -> None:
    """A count may be negative; a fraction of a second stays."""
    layer = loads(HAND.format(zone="Asia/Kolkata", column="type: epoch, unit: milliseconds"))
    made = small(
        layer,
        [
            'CREATE TABLE e("at" BIGINT, cost INT); INSERT INTO e VALUES (-1500, 1), (-1, 2), (999, 4)'
        ],
    )
    listed = everywhere(made, layer, Slots("e", rows=True)).rows
    assert [row[0] for row in listed] == [
        datetime(1970, 1, 1, 5, 29, 58, 500000),
        datetime(1970, 1, 1, 5, 29, 59, 999000),
        datetime(1970, 1, 1, 5, 30, 0, 999000),
    ]
    hour = Range(datetime(1970, 1, 1, 5, 29), datetime(1970, 1, 1, 5, 30))
    slots = Slots(None, ("total",), time=TimeSlot("", (hour,), "between", "hour"))
    assert everywhere(made, layer, slots).rows == ((3,),)


@pytest.mark.parametrize("dialect", ["mysql", "trino", "spark", "bigquery", "snowflake"])
def test_what_no_test_can_run_has_no_epoch(dialect: str) -> None:
    from nl2sql.compiler import Question, build

    layer = layer_of("Asia/Shanghai")
    by_count = Slots(
        None, ("total",), grain="month", time=span(date(2026, 1, 1), date(2027, 1, 1), "sec")
    )
    with pytest.raises(QuestionError, match="not-in-dialect"):
        build(Question(by_count, layer, CLOCK), dialect)
    total = Slots(None, ("total",), time=span(date(2026, 1, 1), date(2027, 1, 1), "sec"))
    assert "1767196800" in build(Question(total, layer, CLOCK), dialect).sql


JOINED = """
wenshu: 1
layer: joined
calendar: {timezone: Asia/Shanghai}
tables:
  bill:
    key: id
    columns: {id: integer, made: {type: epoch, unit: seconds}, shop: integer}
    joins: {shop: {table: shop, on: {shop: id}}}
    has_many: {late: {table: line, join: bill, where: "at >= bill.made"}}
  shop: {key: id, columns: {id: integer, opened: {type: timestamp, zone: UTC}}}
  line:
    key: id
    columns: {id: integer, bill: integer, at: {type: timestamp, zone: UTC}, amount: integer}
    joins: {bill: {table: bill, on: {bill: id}}}
objects:
  bill:
    table: bill
    time: {column: made}
    rollups: {late_amount: {sum: amount, of: late}}
    attributes: {opened: {expr: shop.opened}, number: {expr: id}, made_: {expr: made}}
    list: [number, made_, opened]
    metrics:
      bills: {count: rows}
      late_sum: {sum: late_amount}
      lines: {sum: amount, from: line}
      young: {count: rows, where: "made < shop.opened"}
"""
JOINED_DATA = """
CREATE TABLE shop(id INT, opened TIMESTAMP);
INSERT INTO shop VALUES (1, '2025-12-31 15:30'), (2, '2025-12-31 16:30');
CREATE TABLE bill(id INT, made INT, shop INT);
INSERT INTO bill VALUES (10, 1767196800, 1), (11, 1767196799, 2), (12, NULL, 1);
CREATE TABLE line(id INT, bill INT, "at" TIMESTAMP, amount INT);
INSERT INTO line VALUES (1, 10, '2025-12-31 16:00', 1), (2, 10, '2025-12-31 15:59:59', 2),
  (3, 11, '2026-01-05', 4), (4, 12, '2026-01-05', 8);
"""


def test_moments_across_joins(small: Build) -> None:
    """Bill 10 was made at the midnight with which 2026 begins in Shanghai, bill 11 a second before."""
    layer = loads(JOINED)
    made = small(layer, [JOINED_DATA])
    year = Slots(
        None,
        ("bills", "late_sum", "lines", "young"),
        grain="year",
        time=span(date(2025, 1, 1), date(2027, 1, 1)),
    )
    assert everywhere(made, layer, year).rows == (
        (date(2025, 1, 1), 1, 4, 4, 1),
        (date(2026, 1, 1), 1, 1, 3, 0),
    )
    opened = Filter("opened", During((Range(date(2026, 1, 1), None),)))
    listed = Slots("bill", rows=True, filters=(opened,))
    assert everywhere(made, layer, listed).rows == (
        (11, datetime(2025, 12, 31, 23, 59, 59), datetime(2026, 1, 1, 0, 30)),
    )


def test_a_list_of_snapshots(small: Build) -> None:
    layer = layer_of("Asia/Shanghai")
    warehouses = small(layer, data("Asia/Shanghai"))
    month = span(date(2026, 10, 1), date(2026, 11, 1))
    found = everywhere(warehouses, layer, Slots("state", rows=True, time=month)).rows
    last = max(at for at in moments() if by("Asia/Shanghai", at) < datetime(2026, 11, 1))
    assert [row[1] for row in found] in (
        [by("Asia/Shanghai", last)],
        [by("Asia/Shanghai", last) + timedelta(milliseconds=1)],
    )
