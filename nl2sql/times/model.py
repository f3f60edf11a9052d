"""What a time can be: expressions (unresolved), ranges (resolved) and what the scanner finds.

Expressions hold only strings, integers, dates, tuples and other expressions, so they serialise and
can be resolved again under another clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

Grain: TypeAlias = Literal[
    "hour", "day", "week", "month", "quarter", "half", "year", "fiscal_quarter", "fiscal_year"
]
Look: TypeAlias = Literal["back", "ahead"]
Kind: TypeAlias = Literal["period", "rolling", "to_date", "open", "between", "list"]
PartUnit: TypeAlias = Literal[
    "half", "quarter", "month", "half_month", "week", "day", "tenday", "weekday", "weekend"
]
Pick: TypeAlias = Literal["look", "last", "this", "next"]
Side: TypeAlias = Literal["start", "end"]
Direction: TypeAlias = Literal["back", "ahead", "look"]


@dataclass(frozen=True, slots=True)
class Calendar:
    """How years and weeks are cut, and whose holidays are meant (`CN`, or `none`)."""

    week_start: int = 0
    fiscal_start: int = 1
    holidays: Literal["CN", "none"] = "CN"


@dataclass(frozen=True, slots=True)
class Range:
    """Half-open `[start, end)`; `None` is an open end, datetimes only where an hour was said."""

    start: date | datetime | None
    end: date | datetime | None


# ---- expressions: one period


@dataclass(frozen=True, slots=True)
class Relative:
    """The calendar period `offset` away from the running one: 本月, 上上周, 去年, yesterday."""

    grain: Grain
    offset: int
    fiscal: bool = False


@dataclass(frozen=True, slots=True)
class Year:
    """A numbered year; a fiscal one starts in the calendar's `fiscal_start` month of that year."""

    number: int
    fiscal: bool = False


@dataclass(frozen=True, slots=True)
class OnDay:
    """A date written out in full, or the period of `grain` that holds it (week of Aug 3)."""

    day: date
    grain: Grain = "day"


@dataclass(frozen=True, slots=True)
class Part:
    """A numbered part of a larger period: 8月, Q3, 下半年, 15号, 周五, 中旬, 第35周.

    Without `of` the latest (or next) one is meant, `pick` narrows that (last Friday).
    """

    unit: PartUnit
    index: int
    of: TimeExpr | None = None
    pick: Pick = "look"


@dataclass(frozen=True, slots=True)
class Edge:
    """The first or last day of a period: 月底, 去年年底, end of August."""

    side: Side
    of: TimeExpr


@dataclass(frozen=True, slots=True)
class Some:
    """The first or last `count` units within a period: 前三季度, 前8个月, 8月前10天."""

    side: Side
    count: int
    grain: Grain
    of: TimeExpr


@dataclass(frozen=True, slots=True)
class Nth:
    """The unit number `index` within a period: 本季度第二个月, the third month of Q2."""

    index: int
    grain: Grain
    of: TimeExpr


@dataclass(frozen=True, slots=True)
class NthWeekday:
    """A weekday (0 Monday) counted within a period, from its end if `index` is below 0: the last
    Friday of August. A fifth one that is not there has no range."""

    index: int
    weekday: int
    of: TimeExpr


@dataclass(frozen=True, slots=True)
class Around:
    """The period of `grain` that holds the start of another expression (week of Aug 3)."""

    grain: Grain
    of: TimeExpr


@dataclass(frozen=True, slots=True)
class Festival:
    """A public holiday by its code (`national_day`), of a year or the latest (next) one; `alone` is its
    own day (中秋节当天), without the days off around it."""

    code: str
    of: TimeExpr | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Hours:
    """Minutes of a day, `[start, end)`: 今天10点到12点 is 600 to 720. `named`: by a word, 今天上午."""

    start: int
    end: int
    of: TimeExpr
    named: bool = False


# ---- expressions: spans


@dataclass(frozen=True, slots=True)
class Rolling:
    """`count` units up to today (today included), or from today on; `look` follows the field.

    `half` a month more is 15 days: 近两个半月.
    """

    count: int
    grain: Grain
    direction: Direction = "back"
    half: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """`count` complete units before (or after) the running one: last 2 complete quarters."""

    count: int
    grain: Grain
    side: Literal["before", "after"] = "before"


@dataclass(frozen=True, slots=True)
class Ago:
    """The moment `count` units ago (negative: from now): 三天前, 半年前, 两个月后."""

    count: int
    grain: Grain


@dataclass(frozen=True, slots=True)
class SameDay:
    """Today's day, `offset` units away: 去年今天, this day last month."""

    offset: int
    grain: Grain


@dataclass(frozen=True, slots=True)
class Since:
    """From the start of a period to today, today included: 年初至今, MTD, 6月以来."""

    of: TimeExpr


@dataclass(frozen=True, slots=True)
class Starting:
    """From a period on (8月起, from June on): to today for fields that look back, else open."""

    of: TimeExpr


@dataclass(frozen=True, slots=True)
class Before:
    """Before a period; `inclusive` up to its end (截至8月底, until August)."""

    of: TimeExpr
    inclusive: bool = False


@dataclass(frozen=True, slots=True)
class After:
    """After a period: 2027年之后, after Aug 15."""

    of: TimeExpr


@dataclass(frozen=True, slots=True)
class Between:
    """From the start of one period to the end of another, both included."""

    first: TimeExpr
    last: TimeExpr


@dataclass(frozen=True, slots=True)
class Several:
    """Several periods side by side: 8月和9月, this quarter vs last quarter."""

    items: tuple[TimeExpr, ...]


TimeExpr: TypeAlias = (
    Relative
    | Year
    | OnDay
    | Part
    | Edge
    | Some
    | Nth
    | NthWeekday
    | Around
    | Festival
    | Hours
    | Rolling
    | Run
    | Ago
    | SameDay
    | Since
    | Starting
    | Before
    | After
    | Between
    | Several
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """Absolute ranges of an expression, with the unit it was named in.

    `unit` is the calendar unit a to-date span runs in (MTD: month), `ahead` marks spans that
    start today. `notes` are codes: `holiday_not_announced`, `week_of_month`,
    `part_of_day`.
    """

    ranges: tuple[Range, ...]
    grain: Grain
    kind: Kind
    rolling: tuple[int, Grain] | None = None
    notes: tuple[str, ...] = ()
    unit: Grain | None = None
    ahead: bool = False


# ---- what the scanner finds


@dataclass(frozen=True, slots=True)
class TimeMatch:
    """A time, at `text[start:end]`."""

    start: int
    end: int
    expr: TimeExpr


@dataclass(frozen=True, slots=True)
class GrainMatch:
    """A unit to show by: 每月, 按周, daily."""

    start: int
    end: int
    grain: Grain


@dataclass(frozen=True, slots=True)
class CompareMatch:
    """A comparison: `yoy` with last year, `pop` with the period before; `full` for 全月. `unit` where the
    period before was named by one: 比上月."""

    start: int
    end: int
    kind: Literal["yoy", "pop"]
    full: bool = False
    unit: Grain | None = None


@dataclass(frozen=True, slots=True)
class NoCompareMatch:
    """The end of a comparison: 不用对比."""

    start: int
    end: int


Match: TypeAlias = TimeMatch | GrainMatch | CompareMatch | NoCompareMatch
