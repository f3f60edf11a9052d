"""A layer, resolved: every reference checked, every path found. Frozen; made by `load.py` alone."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Literal

from sqlglot.expressions import Div

from semantic_layer.expression import Expression
from semantic_layer.format import ColumnType, EpochUnit, Unasked

Lang = Literal["zh", "en"]
Aggregate = Literal[
    "count",
    "count_distinct",
    "sum",
    "average",
    "min",
    "max",
    "median",
    "percentile",
    "formula",
    "window",
]
WindowKind = Literal["cumulative", "rolling", "to_date", "running"]
WindowUnit = Literal["day", "week", "month", "quarter", "half", "year"]


@dataclass(frozen=True, slots=True)
class Words:
    """What a thing is called, by language; the first is its label."""

    zh: tuple[str, ...] = ()
    en: tuple[str, ...] = ()

    def label(self, lang: Lang, fallback: str) -> str:
        """The word shown to people."""
        words = self.zh or self.en if lang == "zh" else self.en or self.zh
        return words[0] if words else fallback

    def all(self) -> tuple[str, ...]:
        """Every word, of every language."""
        return self.zh + self.en


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the languages of the service."""

    zh: str = ""
    en: str = ""

    def in_(self, lang: Lang) -> str:
        """The text in `lang`, else in the other language."""
        return (self.zh or self.en) if lang == "zh" else (self.en or self.zh)


@dataclass(frozen=True, slots=True)
class Join:
    """A way from `table` to exactly one row of `to`; `pairs` are (column here, column there)."""

    name: str
    table: str
    to: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HasMany:
    """From `table` to many rows of `to`, the reverse of that table's join `back`."""

    name: str
    table: str
    to: str
    back: Join
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Moment:
    """How a column keeps moments that do not stand there in business time: by the clock of `zone`, or
    as a whole number of `unit` since 1970 began in UTC."""

    zone: str = "UTC"
    unit: EpochUnit | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A physical table. `scales` has the digits after the point of the decimals that say them,
    `moments` the columns whose times do not stand there in business time."""

    name: str
    source: str
    key: tuple[str, ...]
    columns: Mapping[str, ColumnType]
    joins: Mapping[str, Join]
    has_many: Mapping[str, HasMany]
    scales: Mapping[str, int] = field(default_factory=dict)
    moments: Mapping[str, Moment] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Values that carry a number, such as 1号楼."""

    stored: str
    spoken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """By what results are grouped and filtered. `enum` and `aliases` map stored values to their words."""

    id: str
    words: Words
    description: Text
    table: str
    column: str
    type: ColumnType
    label: str | None
    within: str | None
    enum: Mapping[str, tuple[str, ...]] | None
    aliases: Mapping[str, tuple[str, ...]]
    pattern: Pattern | None
    indexed: bool

    @property
    def spoken_for(self) -> bool:
        """Whether its values are words of the layer itself, or numbers that anyone can count to."""
        return self.enum is not None or self.pattern is not None


@dataclass(frozen=True, slots=True)
class Route:
    """How a table reaches a dimension: through `many` first (if any), then many-to-one `steps`.

    `column` is set where the values stand in the object's own column instead of the dimension's.
    """

    steps: tuple[str, ...]
    many: HasMany | None = None
    column: str | None = None

    def of(self, dimension: Dimension) -> Dimension:
        """The dimension as it stands at the end of this way."""
        return dimension if self.column is None else replace(dimension, column=self.column)


@dataclass(frozen=True, slots=True)
class Role:
    """A date of an object: a column of its table."""

    id: str
    words: Words
    column: str
    looks: Literal["back", "ahead"]


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """The dates of an object; `default` is the role meant when none is named.

    `per` are the keys of snapshots that are not all taken on one day: each has a last row of its own.
    """

    default: str | None
    roles: Mapping[str, Role]
    snapshot: bool
    unasked: Unasked
    per: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """A value of single rows."""

    id: str
    object: str
    words: Words
    expr: Expression
    unit: str | None
    type: ColumnType
    main: bool


@dataclass(frozen=True, slots=True)
class Rollup:
    """A value of one row gathered from its many rows `of`; 0 where there are none."""

    id: str
    of: HasMany
    kind: Literal["sum", "count", "min", "max"]
    expr: Expression | None


@dataclass(frozen=True, slots=True)
class Window:
    """Which rows a period's number is made of, beyond its own: all before its end (cumulative), the
    last `count` units before its end (rolling), those since its `unit` began (to_date), or those since
    what was asked began (running, which no layer says but a question does)."""

    kind: WindowKind
    count: int = 1
    unit: WindowUnit = "day"

    @property
    def name(self) -> str:
        """What it is called in SQL.

        >>> Window("rolling", 7).name, Window("to_date", 1, "year").name
        ('rolling_7_day', 'year_to_date')
        """
        if self.kind == "rolling":
            return f"rolling_{self.count}_{self.unit}"
        return f"{self.unit}_to_date" if self.kind == "to_date" else self.kind


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that can be asked for. A formula has `parts`, the metrics in it; a metric over a
    `window` has one, of which it is made; any other has `table`, whose rows it aggregates.

    `at` says which percentile, `weight` what each row of an average counts for, `take` which snapshot
    of a period, `adds` whether groups add up where the layer says so. A sum of a rollup that can be
    summed straight over the many rows has it in `gathered` (see `Layer.leaves`).
    """

    id: str
    object: str
    words: Words
    description: Text
    kind: Aggregate
    expr: Expression | None
    where: Expression | None
    once_per: str | None
    table: str
    parts: tuple[str, ...]
    time: str | None
    unasked: Unasked | None
    unit: str | None
    percent: bool
    default: bool
    hidden: bool
    at: Decimal | None = None
    weight: Expression | None = None
    take: Literal["first", "last"] = "last"
    window: Window | None = None
    adds: bool | None = None
    better: Literal["higher", "lower"] = "higher"
    gathered: Rollup | None = None

    @property
    def additive(self) -> bool:
        """Whether the rows of its groups add up to those of its total (see `Layer.additive`)."""
        return self.kind in ("count", "sum") and self.once_per is None

    @property
    def zero(self) -> bool:
        """Whether it is 0 in a group whose facts give it nothing: counts and sums are, unless what is
        summed is a quotient, which has no value where it is divided by zero."""
        if self.gathered is not None:
            return True
        quotient = self.expr is not None and self.expr.tree.find(Div) is not None
        return self.additive and not quotient


@dataclass(frozen=True, slots=True)
class Object:
    """A thing one asks about. `table` holds its rows; metrics are measured on `measured`, within `scope`."""

    id: str
    words: Words
    measure_words: Words
    description: Text
    table: str
    measured: str
    scope: Expression | None
    time: TimeAxis
    dimensions: tuple[str, ...]
    routes: Mapping[tuple[str, str], Route]
    back: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, Attribute]
    rollups: Mapping[str, Rollup]
    listed: tuple[str, ...]
    metrics: tuple[str, ...]

    def route(self, table: str, dimension: str) -> Route | None:
        """How rows of `table` reach a dimension, None when they do not."""
        return self.routes.get((table, dimension))

    @property
    def default_metric(self) -> str | None:
        """The metric meant by a bare 有多少."""
        return self.metrics[0] if self.metrics else None


@dataclass(frozen=True, slots=True)
class Policy:
    """Rows a user may see: those whose dimension is among the user's attribute."""

    attribute: str
    dimension: str


@dataclass(frozen=True, slots=True)
class Topic:
    """Words that name a subject but no single metric."""

    id: str
    words: Words
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What the document of a `title` (`file`, from the layer's folder) says under a `heading` of some metrics.

    `lang` is the language it is for, None for every one; `effective` the day from which it holds.
    """

    title: str
    file: str
    heading: str
    text: str
    metrics: tuple[str, ...]
    lang: Lang | None = None
    effective: date | None = None


@dataclass(frozen=True, slots=True)
class LayerCalendar:
    """How periods are cut."""

    week_start: int
    fiscal_start: int
    timezone: str


@dataclass(frozen=True, slots=True)
class Layer:
    """A whole semantic layer. `hash` is a digest of its meaning; every turn records it.

    `spoken` are its own words that do something in a question, by what they do (`spoken.py`).
    """

    name: str
    title: Text
    currency: str
    calendar: LayerCalendar
    data_from: date | None
    clock: date | None
    tables: Mapping[str, Table]
    dimensions: Mapping[str, Dimension]
    hierarchies: Mapping[str, tuple[str, ...]]
    policies: tuple[Policy, ...]
    topics: Mapping[str, Topic]
    objects: Mapping[str, Object]
    metrics: Mapping[str, Metric]
    spoken: Mapping[str, tuple[str, ...]]
    passages: tuple[Passage, ...]
    hash: str
    text: str
    _chains: dict[str, tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def object_of(self, metric: str) -> Object:
        """The object a metric belongs to."""
        return self.objects[self.metrics[metric].object]

    def chains(self) -> Mapping[str, tuple[str, ...]]:
        """The hierarchies, and for a dimension that lives within others outside of them, its own path."""
        if not self._chains:  # asked for many times a turn, and always the same
            declared = dict(self.hierarchies)
            for name, dimension in self.dimensions.items():
                path = self.path(name)
                if dimension.within and not any(
                    set(path) <= set(levels) for levels in declared.values()
                ):
                    declared[name] = path
            self._chains.update(declared)
        return self._chains

    def path(self, dimension: str) -> tuple[str, ...]:
        """A dimension with the dimensions it lives within, outermost first.

        A value of `building_no` is only told apart by its park: the path is (park_id, building_no).
        """
        parents: list[str] = []
        here: str | None = dimension
        while here is not None:
            parents.insert(0, here)
            here = self.dimensions[here].within
        return tuple(parents)

    def leaves(self, metric: str, by_row: Container[str] = ()) -> Iterator[Metric]:
        """The metrics that are aggregated from rows, under a metric (itself, or its formula's).

        Under a window they carry it, and its name after theirs. What is gathered from many rows is
        aggregated from these; of an object in `by_row`, from what each of its rows has gathered.
        """
        found = self.metrics[metric]
        if found.kind == "window":
            assert found.window is not None
            for leaf in self.leaves(found.parts[0], by_row):
                yield replace(leaf, id=f"{leaf.id}__{found.window.name}", window=found.window)
            return
        if found.gathered is not None:
            if found.object in by_row:
                yield replace(found, gathered=None)
            else:
                yield replace(found, table=found.gathered.of.to, expr=found.gathered.expr)
            return
        if found.kind != "formula":
            yield found
            return
        for part in found.parts:
            yield from self.leaves(part, by_row)

    def gathers(self, name: str, attribute: str) -> bool:
        """Whether an attribute of an object is gathered from many rows, in full or in part."""
        found = self.objects[name]
        own = self.tables[found.measured].columns
        return any(
            not ref.path and ref.name in found.rollups and ref.name not in own
            for ref in found.attributes[attribute].expr.refs
        )

    def additive(self, metric: str) -> bool:
        """Whether a metric's groups add up to its total: counts and sums do, and what is made of such
        by + and −; rates, distinct counts and averages do not, unless the layer says `additive`."""
        found = self.metrics[metric]
        if found.adds is not None:
            return found.adds
        if found.kind == "window":
            return self.additive(found.parts[0])
        if found.kind != "formula" or found.expr is None:
            return found.additive
        return found.expr.linear and all(self.additive(part) for part in found.parts)

    def windowed(self, metric: str) -> bool:
        """Whether a metric, or a part of it, is over a window."""
        return any(leaf.window is not None for leaf in self.leaves(metric))

    def follow(self, table: str, steps: tuple[str, ...]) -> str:
        """The table that a path of joins leads to."""
        for step in steps:
            table = self.tables[table].joins[step].to
        return table
