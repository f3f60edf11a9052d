"""From the files of a layer to the resolved `Layer`: references, joins, expressions, word clashes.

Everything wrong is collected, each with its place, so that one run shows all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from zoneinfo import ZoneInfo

from semantic_layer import expression, model, paths
from semantic_layer.errors import Issue, did_you_mean
from semantic_layer.expression import Expression, ExpressionError, Ref
from semantic_layer.format import (
    ColumnType,
    LayerFile,
    MetricSpec,
    ObjectFile,
    ObjectSpec,
    WordsSpec,
)
from semantic_layer.text import fold
from semantic_layer.yamldoc import Document, Loc

Source = tuple[Document, Loc]


@dataclass
class Parts:
    """The files of a layer, each with its document, and the issues found so far."""

    heads: list[tuple[Document, LayerFile]] = field(default_factory=list)
    objects: list[tuple[Document, ObjectFile]] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    cut: set[tuple[str, Loc]] = field(default_factory=set)

    def whole(self, source: Source) -> bool:
        """Whether nothing was left out of a part."""
        return (source[0].file, source[1]) not in self.cut

    def missing(
        self, source: Source, code: str, message: str, name: str, known: Iterable[str]
    ) -> None:
        """Report a name that is not there, unless something of that name was refused before."""
        if name not in self.broken:
            self.report(source, code, message, did_you_mean(name, known))

    def report(
        self, source: Source, code: str, message: str, hint: str = "", severity: str = "error"
    ) -> None:
        document, loc = source
        self.issues.append(Issue(code, message, document.place(loc), hint, severity))


def build(parts: Parts, digest: str, text: str) -> model.Layer | None:
    """Resolve a layer. Returns None when an error was reported in `parts.issues`."""
    builder = _Builder(parts)
    layer = builder.layer(digest, text)
    return None if any(issue.severity == "error" for issue in parts.issues) else layer


class _Builder:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.tables: dict[str, model.Table] = {}
        self.dimensions: dict[str, model.Dimension] = {}
        self.metrics: dict[str, model.Metric] = {}
        self.metric_sources: dict[str, Source] = {}
        self.declared_joins: dict[str, set[str]] = {}

    # -- tables ------------------------------------------------------------------------------

    def build_tables(self) -> None:
        specs = [
            (name, spec, (document, ("tables", name)))
            for document, head in self.parts.heads
            for name, spec in head.tables.items()
        ]
        known = {name: spec for name, spec, _ in specs}
        for name, spec, source in specs:
            for index, column in enumerate(spec.key):
                self.column_known(
                    known[name].columns, column, name, (source[0], (*source[1], "key", index))
                )
            joins: dict[str, model.Join] = {}
            for join_name, join in spec.joins.items():
                at = (source[0], (*source[1], "joins", join_name))
                if not self.parts.whole(at):
                    self.parts.broken.add(join_name)
                    continue
                if join.table not in known:
                    self.parts.missing(
                        at, "unknown-table", f"there is no table `{join.table}`", join.table, known
                    )
                    self.parts.broken.add(join_name)
                    continue
                target = known[join.table]
                if join.on is None and not target.key:
                    self.parts.report(
                        at,
                        "join-without-key",
                        f"join `{join_name}`: `{join.table}` has no key and the join no `on`",
                        f"give `{join.table}` a key, or write `on: {{column here: column there}}`",
                    )
                    self.parts.broken.add(join_name)
                    continue
                pairs = tuple((join.on or {column: column for column in target.key}).items())
                ok = all(
                    self.column_known(spec.columns, here, name, at)
                    and self.column_known(target.columns, there, join.table, at)
                    for here, there in pairs
                )
                if ok:
                    joins[join_name] = model.Join(join_name, name, join.table, pairs)
                else:
                    self.parts.broken.add(join_name)
            if name in self.tables:
                self.parts.report(source, "duplicate-table", f"two tables are named `{name}`")
                continue
            self.declared_joins[name] = set(spec.joins)
            self.tables[name] = model.Table(
                name,
                spec.source or name,
                tuple(spec.key),
                MappingProxyType(dict(spec.columns)),
                MappingProxyType(joins),
                {},
            )
        for name, spec, source in specs:
            many: dict[str, model.HasMany] = {}
            for many_name, item in spec.has_many.items():
                at = (source[0], (*source[1], "has_many", many_name))
                if item.table not in self.tables:
                    self.parts.missing(
                        at, "unknown-table", f"there is no table `{item.table}`", item.table, known
                    )
                    self.parts.broken.add(many_name)
                    continue
                back = self.tables[item.table].joins.get(item.join)
                if back is None or back.to != name:
                    self.parts.missing(
                        at,
                        "unknown-join",
                        f"`{item.table}` has no join `{item.join}` that leads to `{name}`",
                        item.join,
                        self.tables[item.table].joins,
                    )
                    self.parts.broken.add(many_name)
                    continue
                where = self.expression(item.where, item.table, (at[0], (*at[1], "where")), {})
                many[many_name] = model.HasMany(many_name, name, item.table, back, where)
            table = self.tables[name]
            self.tables[name] = model.Table(
                table.name,
                table.source,
                table.key,
                table.columns,
                table.joins,
                MappingProxyType(many),
            )

    def column_known(
        self, columns: Mapping[str, ColumnType], column: str, table: str, at: Source
    ) -> bool:
        if column in columns:
            return True
        self.parts.missing(
            at, "unknown-column", f"`{table}` has no column `{column}`", column, columns
        )
        return False

    # -- expressions -------------------------------------------------------------------------

    def expression(
        self, text: str | None, table: str, at: Source, rollups: Mapping[str, object]
    ) -> Expression | None:
        """Parse an expression on rows of `table`, reporting what it names that is not there."""
        if text is None:
            return None
        try:
            parsed = expression.parse(text)
        except ExpressionError as error:
            self.parts.report(at, "bad-expression", f"`{text}`: {error}")
            return None
        good = True
        for ref in parsed.refs:
            good &= self.ref_known(ref, table, at, rollups)
        return parsed if good else None

    def ref_known(self, ref: Ref, table: str, at: Source, rollups: Mapping[str, object]) -> bool:
        if table not in self.tables:
            return False
        for step in ref.path:
            join = self.tables[table].joins.get(step)
            if join is None:
                self.parts.missing(
                    at,
                    "unknown-join",
                    f"`{table}` has no join `{step}`",
                    step,
                    self.tables[table].joins,
                )
                return False
            table = join.to
        if not ref.path and ref.name in rollups:
            return True
        return self.column_known(self.tables[table].columns, ref.name, table, at)

    def type_of(self, parsed: Expression, table: str) -> ColumnType:
        if len(parsed.refs) == 1 and parsed.tree.key == "column":
            ref = parsed.refs[0]
            for step in ref.path:
                table = self.tables[table].joins[step].to
            return self.tables[table].columns.get(ref.name, "decimal")
        return "decimal"

    # -- dimensions --------------------------------------------------------------------------

    def build_dimensions(self) -> None:
        specs = [
            (name, spec, (document, ("dimensions", name)))
            for document, head in self.parts.heads
            for name, spec in head.dimensions.items()
        ]
        known = {name for name, _, _ in specs}
        for name, spec, (document, loc) in specs:
            at = (document, (*loc, "column"))
            if name in self.dimensions:
                self.parts.report(
                    (document, loc), "duplicate-dimension", f"two dimensions are named `{name}`"
                )
                continue
            table, _, column = spec.column.rpartition(".")
            if table not in self.tables:
                self.parts.missing(
                    at, "unknown-table", f"there is no table `{table}`", table, self.tables
                )
                continue
            if not self.column_known(self.tables[table].columns, column, table, at):
                continue
            if spec.label and not self.column_known(
                self.tables[table].columns, spec.label, table, (document, (*loc, "label"))
            ):
                continue
            if spec.within and spec.within not in known:
                self.parts.missing(
                    (document, (*loc, "within")),
                    "unknown-dimension",
                    f"there is no dimension `{spec.within}`",
                    spec.within,
                    known,
                )
                continue
            self.dimensions[name] = model.Dimension(
                name,
                _words(spec.words),
                model.Text(spec.description.zh, spec.description.en),
                table,
                column,
                self.tables[table].columns[column],
                spec.label,
                spec.within,
                None
                if spec.enum is None
                else MappingProxyType({k: tuple(v) for k, v in spec.enum.items()}),
                MappingProxyType({k: tuple(v) for k, v in spec.values.items()}),
                None
                if spec.pattern is None
                else model.Pattern(spec.pattern.stored, tuple(spec.pattern.spoken)),
                spec.indexed,
            )
        self.parts.broken |= known - set(self.dimensions)
        for name in [name for name, spec, _ in specs if self.in_itself(name)]:
            document, loc = next(source for other, _, source in specs if other == name)
            self.parts.report(
                (document, (*loc, "within")), "dimension-circle", f"`{name}` lives within itself"
            )
            del self.dimensions[name]
            self.parts.broken.add(name)

    def in_itself(self, name: str) -> bool:
        seen: set[str] = set()
        here: str | None = name
        while here in self.dimensions:
            if here in seen:
                return here == name
            seen.add(here)
            here = self.dimensions[here].within
        return False

    # -- objects -----------------------------------------------------------------------------

    def build_object(self, name: str, spec: ObjectSpec, source: Source) -> model.Object | None:
        document, loc = source
        if spec.table not in self.tables:
            self.parts.missing(
                (document, (*loc, "table")),
                "unknown-table",
                f"there is no table `{spec.table}`",
                spec.table,
                self.tables,
            )
            self.parts.broken.update(spec.metrics)
            return None
        measured, scope = spec.table, None
        if spec.measured_on is not None:
            many = self.tables[spec.table].has_many.get(spec.measured_on)
            if many is None:
                self.parts.missing(
                    (document, (*loc, "measured_on")),
                    "unknown-join",
                    f"`{spec.table}` has no has_many `{spec.measured_on}`",
                    spec.measured_on,
                    self.tables[spec.table].has_many,
                )
                self.parts.broken.update(spec.metrics)
                return None
            measured, scope = many.to, many.where
        rollups = self.build_rollups(spec, measured, source)
        time = self.build_time(spec, measured, source)
        attributes = {
            key: model.Attribute(
                key,
                name,
                _words(item.words),
                parsed,
                item.unit,
                self.type_of(parsed, spec.table),
                item.main,
            )
            for key, item in spec.attributes.items()
            if (
                parsed := self.expression(
                    item.expr, spec.table, (document, (*loc, "attributes", key, "expr")), rollups
                )
            )
        }
        self.parts.broken |= set(spec.attributes) - set(attributes)
        metrics = [
            metric
            for key, item in spec.metrics.items()
            if (
                metric := self.build_metric(
                    key, item, name, measured, rollups, (document, (*loc, "metrics", key))
                )
            )
        ]
        self.parts.broken |= set(spec.metrics) - {metric.id for metric in metrics}
        tables = {spec.table, measured} | {
            metric.table for metric in metrics if metric.kind != "formula"
        }
        back: dict[str, tuple[str, ...]] = {measured: ()}
        for table in tables - {measured}:
            ways = paths.shortest(self.tables, table, measured)
            if ways:
                back[table] = ways[0]
        routes = self.build_routes(spec, tables, source)
        for index, item_name in enumerate(spec.listed):
            if item_name not in spec.dimensions and item_name not in spec.attributes:
                self.parts.missing(
                    (document, (*loc, "list", index)),
                    "unknown-field",
                    f"`{item_name}` is neither a dimension nor an attribute of `{name}`",
                    item_name,
                    [*spec.dimensions, *spec.attributes],
                )
        ordered = sorted(metrics, key=lambda metric: not metric.default)
        return model.Object(
            name,
            _words(spec.words),
            _words(spec.measure_words),
            model.Text(spec.description.zh, spec.description.en),
            spec.table,
            measured,
            scope,
            time,
            tuple(key for key in spec.dimensions if key in self.dimensions),
            MappingProxyType(routes),
            MappingProxyType(back),
            MappingProxyType(attributes),
            MappingProxyType(rollups),
            tuple(spec.listed),
            tuple(metric.id for metric in ordered),
        )

    def build_routes(
        self, spec: ObjectSpec, tables: set[str], source: Source
    ) -> dict[tuple[str, str], model.Route]:
        document, loc = source
        routes: dict[tuple[str, str], model.Route] = {}
        for key, item in spec.dimensions.items():
            at = (document, (*loc, "dimensions", key))
            dimension = self.dimensions.get(key)
            if dimension is None:
                self.parts.missing(
                    at, "unknown-dimension", f"there is no dimension `{key}`", key, self.dimensions
                )
                continue
            if item.column is not None:
                self.own_column(item.column, spec.table, dimension, tables, routes, at)
                continue
            for table in sorted(tables):
                if item.via is not None and table == spec.table:
                    route = self.declared_route(item.via, table, dimension, at)
                    if route is not None:
                        routes[table, key] = route
                    continue
                ways = paths.shortest(self.tables, table, dimension.table)
                if len(ways) > 1:
                    self.parts.report(
                        at,
                        "ambiguous-join",
                        f"`{key}` is reached from `{table}` in {len(ways)} ways",
                        "name one: via: " + " or ".join(".".join(way) for way in ways),
                    )
                elif ways:
                    routes[table, key] = model.Route(ways[0])
                elif table == spec.table and not self.near_broken(table):
                    self.parts.report(
                        at,
                        "unreachable-dimension",
                        f"no join leads from `{table}` to `{dimension.table}`",
                        "add the join, or name the way with `via`",
                    )
        return routes

    def own_column(
        self,
        column: str,
        owner: str,
        dimension: model.Dimension,
        tables: set[str],
        routes: dict[tuple[str, str], model.Route],
        at: Source,
    ) -> None:
        """A dimension whose values stand in a column of the object's own table."""
        columns = self.tables[owner].columns
        if not self.column_known(columns, column, owner, (at[0], (*at[1], "column"))):
            return
        if dimension.label is not None or columns[column] != dimension.type:
            reason = "a label" if dimension.label is not None else f"the type {dimension.type}"
            self.parts.report(
                (at[0], (*at[1], "column")),
                "bad-column",
                f"`{column}` cannot stand for `{dimension.id}`, which has {reason}",
                "add a join to its table",
            )
            return
        for table in tables:
            ways = paths.shortest(self.tables, table, owner)
            if len(ways) == 1:
                routes[table, dimension.id] = model.Route(ways[0], None, column)

    def near_broken(self, table: str) -> bool:
        """Whether a join that was refused starts at a table, or at one it leads to."""
        seen: set[str] = set()
        stack = [table]
        while stack:
            here = stack.pop()
            if here in seen:
                continue
            seen.add(here)
            if self.declared_joins[here] - set(self.tables[here].joins):
                return True
            stack += [join.to for join in self.tables[here].joins.values()]
        return False

    def declared_route(
        self, via: str, table: str, dimension: model.Dimension, at: Source
    ) -> model.Route | None:
        steps = via.split(".")
        here, many = table, self.tables[table].has_many.get(steps[0])
        if many is not None:
            here, steps = many.to, steps[1:]
        for step in steps:
            join = self.tables[here].joins.get(step)
            if join is None:
                self.parts.missing(
                    at,
                    "unknown-join",
                    f"`{here}` has no join `{step}`",
                    step,
                    [*self.tables[here].joins, *self.tables[here].has_many],
                )
                return None
            here = join.to
        if here != dimension.table:
            self.parts.report(
                at,
                "unreachable-dimension",
                f"`{via}` leads to `{here}`, not to `{dimension.table}`",
            )
            return None
        return model.Route(tuple(steps), many)

    def build_rollups(
        self, spec: ObjectSpec, measured: str, source: Source
    ) -> dict[str, model.Rollup]:
        document, loc = source
        rollups: dict[str, model.Rollup] = {}
        for key, item in spec.rollups.items():
            at = (document, (*loc, "rollups", key))
            many = self.tables[measured].has_many.get(item.of)
            if many is None:
                self.parts.missing(
                    at,
                    "unknown-join",
                    f"`{measured}` has no has_many `{item.of}`",
                    item.of,
                    self.tables[measured].has_many,
                )
                continue
            given = [
                (kind, text)
                for kind, text in (
                    ("sum", item.sum),
                    ("count", item.count),
                    ("min", item.min),
                    ("max", item.max),
                )
                if text is not None
            ]
            if len(given) != 1:
                if self.parts.whole(at):
                    self.parts.report(
                        at, "bad-rollup", "a rollup is exactly one of sum, count, min, max"
                    )
                continue
            kind, text = given[0]
            parsed = None if kind == "count" else self.expression(text, many.to, at, {})
            if kind == "count" or parsed is not None:
                rollups[key] = model.Rollup(key, many, kind, parsed)  # type: ignore[arg-type]
        self.parts.broken |= set(spec.rollups) - set(rollups)
        return rollups

    def build_time(self, spec: ObjectSpec, measured: str, source: Source) -> model.TimeAxis:
        document, loc = source
        time = spec.time
        roles: dict[str, model.Role] = {}
        specified = dict(time.roles)
        if time.column is not None and time.column not in specified:
            self.column_known(
                self.tables[measured].columns,
                time.column,
                measured,
                (document, (*loc, "time", "column")),
            )
            roles[time.column] = model.Role(time.column, model.Words(), time.column, time.looks)
        for key, role in specified.items():
            column = role.column or key
            if self.column_known(
                self.tables[measured].columns,
                column,
                measured,
                (document, (*loc, "time", "roles", key)),
            ):
                roles[key] = model.Role(key, _words(role.words), column, role.looks)
        return model.TimeAxis(time.column, MappingProxyType(roles), time.snapshot, time.unasked)

    def build_metric(
        self,
        name: str,
        spec: MetricSpec,
        owner: str,
        measured: str,
        rollups: Mapping[str, model.Rollup],
        source: Source,
    ) -> model.Metric | None:
        document, loc = source
        if name in self.metrics:
            first, first_loc = self.metric_sources[name]
            self.parts.report(
                source,
                "duplicate-metric",
                f"two metrics are named `{name}`",
                f"the other is at {first.place(first_loc)}",
            )
            return None
        self.metric_sources[name] = source
        kinds: dict[model.Aggregate, str | None] = {
            "count": spec.count,
            "count_distinct": spec.count_distinct,
            "sum": spec.sum,
            "average": spec.average,
            "min": spec.min,
            "max": spec.max,
            "median": spec.median,
            "formula": spec.formula,
        }
        given = [(kind, text) for kind, text in kinds.items() if text is not None]
        if len(given) != 1:
            if self.parts.whole(source):
                self.parts.report(
                    source,
                    "bad-metric",
                    f"metric `{name}` must say exactly one of {', '.join(kinds)}",
                )
            return None
        kind, text = given[0]
        table = spec.from_ or measured
        if table not in self.tables:
            self.parts.missing(
                (document, (*loc, "from")),
                "unknown-table",
                f"there is no table `{table}`",
                table,
                self.tables,
            )
            return None
        usable = rollups if table == measured else {}
        parsed: Expression | None = None
        parts: tuple[str, ...] = ()
        if kind == "formula":
            try:
                parsed = expression.parse(text)
            except ExpressionError as error:
                self.parts.report(
                    (document, (*loc, "formula")), "bad-expression", f"`{text}`: {error}"
                )
                return None
            parts = tuple(ref.name for ref in parsed.refs)
        elif kind != "count":
            parsed = self.expression(text, table, (document, (*loc, kind)), usable)
            if parsed is None:
                return None
        where = self.expression(spec.where, table, (document, (*loc, "where")), usable)
        if spec.where is not None and where is None:
            return None
        if spec.once_per is not None:
            self.column_known(
                self.tables[table].columns, spec.once_per, table, (document, (*loc, "once_per"))
            )
        if spec.time is not None:
            self.column_known(
                self.tables[measured].columns,
                spec.time.column,
                measured,
                (document, (*loc, "time", "column")),
            )
        metric = model.Metric(
            name,
            owner,
            _words(spec.words),
            model.Text(spec.description.zh, spec.description.en),
            kind,
            parsed,
            where,
            spec.once_per,
            table,
            parts,
            spec.time.column if spec.time else None,
            spec.time.unasked if spec.time else None,
            spec.unit,
            spec.percent,
            spec.default,
            spec.hidden,
        )
        self.metrics[name] = metric
        return metric

    # -- the whole ---------------------------------------------------------------------------

    def layer(self, digest: str, text: str) -> model.Layer:
        self.build_tables()
        self.build_dimensions()
        sources: list[tuple[str, ObjectSpec, Source]] = [
            (item.object, item, (document, ())) for document, item in self.parts.objects
        ]
        sources += [
            (name, spec, (document, ("objects", name)))
            for document, head in self.parts.heads
            for name, spec in head.objects.items()
        ]
        objects: dict[str, model.Object] = {}
        for name, spec, source in sources:
            if name in objects:
                self.parts.report(source, "duplicate-object", f"two objects are named `{name}`")
                continue
            built = self.build_object(name, spec, source)
            if built is not None:
                objects[name] = built
        self.check_formulas()
        head = next(
            (item for _, item in self.parts.heads if item.layer), LayerFile.model_validate({})
        )
        hierarchies, policies, topics = self.build_rest()
        check_words(self.parts, sources)
        return model.Layer(
            head.layer or "",
            model.Text(head.title.zh, head.title.en),
            head.currency,
            model.LayerCalendar(
                0 if head.calendar.week_starts == "monday" else 6,
                head.calendar.fiscal_year_starts,
                head.calendar.timezone,
            ),
            self.data_from(),
            self.frozen_today(),
            MappingProxyType(self.tables),
            MappingProxyType(self.dimensions),
            MappingProxyType(hierarchies),
            policies,
            MappingProxyType(topics),
            MappingProxyType(objects),
            MappingProxyType(self.metrics),
            digest,
            text,
        )

    def frozen_today(self) -> date | None:
        """The today of frozen data, if a head says it."""
        for document, head in self.parts.heads:
            if head.layer and head.clock:
                try:
                    return date.fromisoformat(head.clock)
                except ValueError:
                    self.parts.report(
                        (document, ("clock",)),
                        "bad-value",
                        f"`clock`: `{head.clock}` is no date",
                        "such as 2024-01-31",
                    )
        return None

    def data_from(self) -> date | None:
        """The first day there are data for, if a head says it."""
        for document, head in self.parts.heads:
            if not _zone_known(head.calendar.timezone):
                self.parts.report(
                    (document, ("calendar", "timezone")),
                    "bad-value",
                    f"`timezone`: there is no time zone `{head.calendar.timezone}`",
                    "such as Asia/Shanghai",
                )
            if head.layer and head.data_from:
                try:
                    return date.fromisoformat(head.data_from)
                except ValueError:
                    self.parts.report(
                        (document, ("data_from",)),
                        "bad-value",
                        f"`data_from`: `{head.data_from}` is no date",
                        "such as 2024-01-31",
                    )
        return None

    def check_formulas(self) -> None:
        for name, metric in self.metrics.items():
            document, loc = self.metric_sources[name]
            for part in metric.parts:
                if part not in self.metrics:
                    self.parts.missing(
                        (document, (*loc, "formula")),
                        "unknown-metric",
                        f"there is no metric `{part}`",
                        part,
                        self.metrics,
                    )
            if self.in_circle(name, ()):
                self.parts.report(
                    (document, (*loc, "formula")), "formula-circle", f"`{name}` is made of itself"
                )

    def in_circle(self, name: str, above: tuple[str, ...]) -> bool:
        if name in above:
            return name == above[0]
        metric = self.metrics.get(name)
        return metric is not None and any(
            self.in_circle(part, (*above, name)) for part in metric.parts
        )

    def build_rest(
        self,
    ) -> tuple[dict[str, tuple[str, ...]], tuple[model.Policy, ...], dict[str, model.Topic]]:
        hierarchies: dict[str, tuple[str, ...]] = {}
        policies: list[model.Policy] = []
        topics: dict[str, model.Topic] = {}
        for document, head in self.parts.heads:
            for name, levels in head.hierarchies.items():
                for index, level in enumerate(levels):
                    self.known(
                        (document, ("hierarchies", name, index)),
                        "dimension",
                        level,
                        self.dimensions,
                    )
                hierarchies[name] = tuple(levels)
            for index, policy in enumerate(head.policies):
                self.known(
                    (document, ("policies", index, "dimension")),
                    "dimension",
                    policy.dimension,
                    self.dimensions,
                )
                policies.append(model.Policy(policy.attribute, policy.dimension))
            for name, topic in head.topics.items():
                for index, metric in enumerate(topic.metrics):
                    self.known(
                        (document, ("topics", name, "metrics", index)),
                        "metric",
                        metric,
                        self.metrics,
                    )
                topics[name] = model.Topic(name, _words(topic.words), tuple(topic.metrics))
        return hierarchies, tuple(policies), topics

    def known(self, at: Source, kind: str, name: str, there: Mapping[str, object]) -> None:
        if name not in there:
            self.parts.missing(at, f"unknown-{kind}", f"there is no {kind} `{name}`", name, there)


def _zone_known(name: str) -> bool:
    for zone in (
        name,
        "UTC",
    ):  # without a time zone database nothing is known, and nothing is wrong
        try:
            return ZoneInfo(zone).key == name
        except (KeyError, ValueError, OSError):
            continue
    return True


def _words(spec: WordsSpec) -> model.Words:
    return model.Words(tuple(spec.zh), tuple(spec.en))


def check_words(parts: Parts, objects: list[tuple[str, ObjectSpec, Source]]) -> None:
    """A word claimed twice within one kind and scope is an error; across kinds it is a warning,
    and an ambiguity when it is asked."""
    claims: dict[tuple[str, str], tuple[str, Source]] = {}
    across: dict[str, tuple[str, str]] = {}

    def claim(kind: str, scope: str, owner: str, spec: WordsSpec, source: Source) -> None:
        document, loc = source
        for lang, words in (("zh", spec.zh), ("en", spec.en)):
            for index, word in enumerate(words):
                say(kind, scope, owner, word, (document, (*loc, lang, index)))

    def say(kind: str, scope: str, owner: str, word: str, at: Source) -> None:
        folded = fold(word)
        first = claims.setdefault((f"{kind} {scope}", folded), (owner, at))
        if first[0] != owner:
            where = first[1][0].place(first[1][1])
            parts.report(
                at, "word-clash", f"`{word}` already means {kind} `{first[0]}`", f"see {where}"
            )
            return
        other = across.setdefault(folded, (kind, owner))
        if other != (kind, owner) and other[0] != kind:
            parts.report(
                at,
                "word-shared",
                f"`{word}` is {kind} `{owner}` here and {other[0]} `{other[1]}` elsewhere",
                "it will be asked about where both fit",
                "warning",
            )

    for document, head in parts.heads:
        for name, dimension in head.dimensions.items():
            claim("dimension", "", name, dimension.words, (document, ("dimensions", name, "words")))
            for field_name, values in (
                ("enum", dimension.enum or {}),
                ("values", dimension.values),
            ):
                for value, words in values.items():
                    for index, word in enumerate(words):
                        say(
                            "value",
                            name,
                            value,
                            word,
                            (document, ("dimensions", name, field_name, value, index)),
                        )
        for name, topic in head.topics.items():
            claim("topic", "", name, topic.words, (document, ("topics", name, "words")))
    for name, spec, (document, loc) in objects:
        claim("object", "", name, spec.words, (document, (*loc, "words")))
        for key, metric in spec.metrics.items():
            claim("metric", "", key, metric.words, (document, (*loc, "metrics", key, "words")))
        for key, attribute in spec.attributes.items():
            claim(
                "attribute",
                name,
                key,
                attribute.words,
                (document, (*loc, "attributes", key, "words")),
            )
