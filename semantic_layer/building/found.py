"""What has been resolved so far, and looking a name up in it: a column, a join, an expression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from semantic_layer import expression, model
from semantic_layer.building.moments import check_use
from semantic_layer.building.parts import Parts, Source
from semantic_layer.expression import Expression, ExpressionError, Ref
from semantic_layer.format import ColumnType, WordsSpec


@dataclass
class Found:
    """The tables, dimensions and metrics found so far; a name that is not there is reported."""

    parts: Parts
    tables: dict[str, model.Table] = field(default_factory=dict)
    dimensions: dict[str, model.Dimension] = field(default_factory=dict)
    metrics: dict[str, model.Metric] = field(default_factory=dict)
    metric_sources: dict[str, Source] = field(default_factory=dict)
    declared_joins: dict[str, set[str]] = field(default_factory=dict)

    def column_known(
        self, columns: Mapping[str, object], column: str, table: str, at: Source
    ) -> bool:
        """Whether a table has a column; reported when it has not."""
        if column in columns:
            return True
        self.parts.missing(
            at, "unknown-column", f"`{table}` has no column `{column}`", column, columns
        )
        return False

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
        return parsed if good and check_use(self, parsed, table, at) else None

    def ref_known(self, ref: Ref, table: str, at: Source, rollups: Mapping[str, object]) -> bool:
        """Whether a reference leads to a column or a rollup; reported when it does not."""
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
        """The type of an expression: that of its column when it is one column, else decimal."""
        if len(parsed.refs) == 1 and parsed.tree.key == "column":
            ref = parsed.refs[0]
            for step in ref.path:
                table = self.tables[table].joins[step].to
            kind = self.tables[table].columns.get(ref.name, "decimal")
            return "timestamp" if kind == "epoch" else kind
        return "decimal"

    def known(self, at: Source, kind: str, name: str, there: Mapping[str, object]) -> None:
        """Report a dimension or metric that is not there."""
        if name not in there:
            self.parts.missing(at, f"unknown-{kind}", f"there is no {kind} `{name}`", name, there)


def words_of(spec: WordsSpec) -> model.Words:
    """The words of a thing, resolved."""
    return model.Words(tuple(spec.zh), tuple(spec.en))
