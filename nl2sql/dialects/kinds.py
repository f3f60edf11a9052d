"""What the columns and expressions of a statement are: their type and, of decimals, their scale.

Types follow DuckDB, the engine the others must agree with: a quotient is a float, a sum of decimals
is a decimal. Read from the tree and the layer alone; used where a dialect needs to know (`sqlite.py`,
`postgres.py`), and by a warehouse to give its cells DuckDB's Python types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from semantic_layer.format import ColumnType
from semantic_layer.model import Layer

Type = ColumnType | Literal["null", "unknown"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type; of a decimal with the digits after its point, None when they are not known."""

    type: Type
    scale: int | None = None

    @property
    def exact(self) -> bool:
        """Whether it is a number with digits after its point, held exactly."""
        return self.type == "decimal" and self.scale != 0


UNKNOWN = Kind("unknown")
NULL = Kind("null")
INTEGER = Kind("integer", 0)
FLOAT = Kind("float")
BOOLEAN = Kind("boolean")
TEXT = Kind("text")
DATE = Kind("date")
TIMESTAMP = Kind("timestamp")

Columns = Mapping[str, Mapping[str, Kind]]

_TRUTHS = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.And,
    exp.Or, exp.Not, exp.In, exp.Is, exp.Between, exp.Exists, exp.Boolean,
)  # fmt: skip
_WHOLE = (
    exp.Count,
    exp.DateDiff,
    exp.Extract,
    exp.Length,
    exp.StrPosition,
    exp.Rank,
    exp.RowNumber,
)
_SAME = (
    exp.Paren,
    exp.Alias,
    exp.Neg,
    exp.Abs,
    exp.Sum,
    exp.Min,
    exp.Max,
    exp.Nullif,
    exp.Subquery,
)


def columns_of(layer: Layer) -> Columns:
    """The kind of every column of every stored table."""
    found: dict[str, dict[str, Kind]] = {}
    for table in layer.tables.values():
        here = found.setdefault(table.source, {})
        for name, kind in table.columns.items():
            whole = kind in ("integer", "epoch")  # an epoch is stored as a whole number
            here[name] = INTEGER if whole else Kind(kind, table.scales.get(name))
    return found


class Kinds:
    """The kinds within one statement; `of` remembers what it found until the tree is changed."""

    def __init__(self, tree: exp.Expr, columns: Columns) -> None:
        self.columns = columns
        clause = tree.args.get("with_")
        self.parts: dict[str, exp.Query] = (
            {} if clause is None else {item.alias: item.this for item in clause.expressions}
        )
        self.shown: dict[int, dict[str, Kind]] = {}

    def outputs(self, query: exp.Expr) -> dict[str, Kind]:
        """The columns of a query by name, in order."""
        if id(query) not in self.shown:
            self.shown[id(query)] = self._outputs(query)
        return self.shown[id(query)]

    def _outputs(self, query: exp.Expr) -> dict[str, Kind]:
        if isinstance(query, exp.Union):
            left, right = self.outputs(query.this), self.outputs(query.expression)
            pairs = zip(left.items(), right.values(), strict=False)
            return {name: common((kind, other)) for (name, kind), other in pairs}
        found: dict[str, Kind] = {}
        for item in query.selects if isinstance(query, exp.Select) else ():
            if isinstance(item, exp.Star):
                for shown in self.sources(query).values():
                    found |= shown
            else:
                found[item.alias_or_name] = self.of(item)
        return found

    def sources(self, select: exp.Expr) -> dict[str, Mapping[str, Kind]]:
        """What a SELECT reads, by alias."""
        origin = select.args.get("from_")
        read = [] if origin is None else [origin.this]
        read += [join.this for join in select.args.get("joins") or ()]
        found: dict[str, Mapping[str, Kind]] = {}
        for item in read:
            if isinstance(item, exp.Subquery):
                found[item.alias] = self.outputs(item.this)
            elif isinstance(item, exp.Table) and not item.db and item.name in self.parts:
                found[item.alias_or_name] = self.outputs(self.parts[item.name])
            elif isinstance(item, exp.Table):
                name = ".".join(part.name for part in item.parts)
                found[item.alias_or_name] = self.columns.get(name, {})
        return found

    def column(self, node: exp.Column) -> Kind:
        """The kind of a column: of its table, or of whatever has one of its name."""
        select = node.find_ancestor(exp.Select)
        while select is not None:
            sources = self.sources(select)
            if node.table:
                if node.table in sources:
                    return sources[node.table].get(node.name, UNKNOWN)
            else:
                for item in select.selects:
                    if isinstance(item, exp.Alias) and item.alias == node.name:
                        if node.find_ancestor(exp.Order, exp.Select) is not select:
                            return self.of(item.this)
                for shown in sources.values():
                    if node.name in shown:
                        return shown[node.name]
            select = select.find_ancestor(exp.Select)
        return UNKNOWN

    def of(self, node: exp.Expr | None) -> Kind:
        """The kind of an expression."""
        if node is None or isinstance(node, exp.Null):
            return NULL
        if isinstance(node, exp.Column):
            return self.column(node)
        if isinstance(node, exp.Literal):
            return _literal(node)
        if isinstance(node, _TRUTHS):
            return BOOLEAN
        if isinstance(node, _WHOLE):
            return INTEGER
        if isinstance(node, exp.Window):
            return INTEGER if isinstance(node.this, exp.Anonymous) else self.of(node.this)
        if isinstance(node, exp.Avg):
            return FLOAT
        if isinstance(node, exp.Median | exp.PercentileCont):
            return FLOAT
        if isinstance(node, exp.Round):
            return self._rounded(node)
        if isinstance(node, _SAME):
            return self.of(node.this)
        if isinstance(node, exp.Cast):
            return _cast(node, self.of(node.this))
        if isinstance(node, exp.DateTrunc | exp.TimestampTrunc | exp.UnixToTime):
            return TIMESTAMP
        if isinstance(node, exp.Select | exp.Union):
            return next(iter(self.outputs(node).values()), UNKNOWN)
        return self._made(node)

    def _made(self, node: exp.Expr) -> Kind:
        """The kind of what is made of several values."""
        if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
            return common(self.of(item) for item in (node.this, *node.expressions))
        if isinstance(node, exp.Case):
            options = [item.args["true"] for item in node.args["ifs"]]
            return common(self.of(item) for item in (*options, node.args.get("default")))
        if isinstance(node, exp.If):
            return common((self.of(node.args["true"]), self.of(node.args.get("false"))))
        if isinstance(node, exp.Div):
            return FLOAT
        if isinstance(node, exp.Mul):
            left, right = self.of(node.this), self.of(node.expression)
            both = common((left, right))
            if both.type != "decimal" or left.scale is None or right.scale is None:
                return both
            return Kind("decimal", left.scale + right.scale)
        if isinstance(node, exp.Add | exp.Sub):
            if isinstance(node.expression, exp.Interval):
                return TIMESTAMP
            return common((self.of(node.this), self.of(node.expression)))
        return UNKNOWN

    def _rounded(self, node: exp.Round) -> Kind:
        inner, digits = self.of(node.this), node.args.get("decimals")
        if inner.type != "decimal":
            return inner
        if digits is None:
            return Kind("decimal", 0)
        wanted = int(digits.name) if isinstance(digits, exp.Literal) else inner.scale
        if inner.scale is None or wanted is None:
            return inner
        return Kind("decimal", min(inner.scale, max(wanted, 0)))


def common(kinds: Iterable[Kind]) -> Kind:
    """The kind that holds several: NULL fits everything, a float wins over exact numbers."""
    known = [kind for kind in kinds if kind != NULL]
    types = {kind.type for kind in known}
    if not known:
        return NULL
    if len(types) == 1 and types != {"decimal"}:
        return known[0]
    if types <= {"integer", "decimal"}:
        scales = [kind.scale for kind in known]
        known_scales = [scale for scale in scales if scale is not None]
        return Kind("decimal", max(known_scales) if len(known_scales) == len(scales) else None)
    if types <= {"integer", "decimal", "float"}:
        return FLOAT
    return TIMESTAMP if types == {"date", "timestamp"} else UNKNOWN


def _literal(node: exp.Literal) -> Kind:
    if node.is_string:
        return TEXT
    whole, _, digits = node.name.partition(".")
    if not whole.isdigit() or (digits and not digits.isdigit()):
        return FLOAT
    return Kind("decimal", len(digits)) if digits else INTEGER


def _cast(node: exp.Cast, inner: Kind) -> Kind:
    kind = node.to.this
    if kind == exp.DType.DATE:
        return DATE
    if kind in (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ):
        return TIMESTAMP
    if kind in (exp.DType.DOUBLE, exp.DType.FLOAT):
        return FLOAT
    if kind in (exp.DType.INT, exp.DType.BIGINT):
        return INTEGER
    return inner
