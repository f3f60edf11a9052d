"""What a statement says: for each measure its table, conditions and groups; then the outer parts."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from sqlglot import exp

from nl2sql.errors import ReadBackError
from nl2sql.readback.clauses import (
    branches,
    columns,
    groups,
    named,
    only,
    parted,
    parts,
    plain,
    select_of,
    source,
)
from nl2sql.readback.early import MEASURES, Folded, aggregate_of, as_measured, told_apart, unfold
from nl2sql.readback.render import Resolve, render


@dataclass(frozen=True, slots=True)
class Passed:
    """One pass over a table: FROM it, under these conditions, at these groups, giving these measures."""

    table: str
    where: frozenset[str]
    groups: frozenset[str]
    columns: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Said:
    """A whole statement: its passes by name, how they are combined, and what the outer SELECTs add."""

    passes: frozenset[Passed]
    stacked: tuple[str, ...]
    combined: frozenset[tuple[str, str]]
    outputs: tuple[tuple[str, str], ...]
    having: frozenset[str]
    ranks: frozenset[str]
    order: tuple[str, ...]
    limit: str


ROWS = frozenset(
    {"kind", "expressions", "from_", "joins", "where"}
)  # what a SELECT of rows may have
GROUPS = ROWS | {"group"}
OUTER = frozenset({"kind", "expressions", "from_"})  # what one over another result may have


class Reader:
    """Reads one statement; columns are named by the table and the joins that lead to them.

    Every clause of every SELECT is either read or refused: what is not understood is never passed over.
    """

    def __init__(self, tree: exp.Select) -> None:
        self.tree = tree
        self.ctes: dict[str, exp.Query] = {}
        self.resolvers: dict[int, Resolver] = {}
        self.groups: dict[int, Folded] = {}
        clause = tree.args.get("with_")
        if clause is not None:
            only(clause, {"expressions"})
            for item in clause.expressions:
                only(item, {"this", "alias"})
                only(item.args["alias"], {"this"})
                if item.alias in self.ctes:
                    raise ReadBackError(f"two parts are named `{item.alias}`")
                self.ctes[item.alias] = item.this

    def said(self) -> Said:
        """Everything the statement says."""
        tree, ctes = self.tree, self.ctes
        passes: set[Passed] = set()
        stacked: list[str] = []
        combined: set[tuple[str, str]] = set()
        ranks: set[str] = set()
        having: set[str] = set()
        body = tree
        over = select_of(ctes, "parted") if source(tree) == "parted" else tree
        if over is not tree:
            only(tree, OUTER | {"with_", "order"})
            only(over, OUTER | {"group"})
            ranks |= {f"parted {parted(item)}" for item in over.expressions}
            ranks |= {f"parted by {render(item, plain)}" for item in groups(over)}
        if source(over) == "ranked":
            if over is tree:
                only(tree, OUTER | {"with_", "where", "order"})
            ranked = select_of(ctes, "ranked")
            only(ranked, OUTER)
            if source(ranked) != "grouped" or not isinstance(ranked.expressions[0], exp.Star):
                raise ReadBackError("ranks are not taken over the groups")
            only(ranked.expressions[0], frozenset())
            body = select_of(ctes, "grouped")
            ranks |= {self.seen(item) for item in ranked.expressions[1:]} | {"over groups"}
        elif source(tree) == "listed":
            only(tree, OUTER | {"with_", "where", "order"})
            body = select_of(ctes, "listed")
            resolve = self.resolver(body)
            ranks = {
                self.window(item, resolve)
                for item in body.expressions
                if isinstance(item.this, exp.Window)
            }
        if body is not tree:
            ranks |= {render(item, plain) for item in parts(tree.args.get("where"))}
        ends = {"with_", "order", "limit"} if body is tree else set[str]()
        over_groups = source(body) in ctes
        if over_groups:
            only(body, OUTER | {"where"} | ends)
            having |= {render(item, plain) for item in parts(body.args.get("where"))}
            outputs = tuple((item.alias_or_name, render(item, plain)) for item in body.expressions)
        if source(body) == "combined":
            inner = select_of(ctes, "combined")
            only(inner, OUTER | {"group"})
            combined = {(item.alias_or_name, render(item, plain)) for item in inner.expressions}
            combined |= {("group", render(item, plain)) for item in groups(inner)}
            names: set[tuple[str, ...]] = set()
            for branch in branches(inner):
                stacked.append(source(branch))
                names.add(tuple(item.alias_or_name for item in branch.expressions))
                passes.add(self.stacked(branch))
            if len(names) != 1:
                raise ReadBackError(
                    "the stacked parts do not have the same columns in the same order"
                )
        elif over_groups:
            stacked.append(source(body))
            passes.add(self.passed(select_of(ctes, source(body))))
        else:
            passes.add(self.passed(body, ends | {"having"}))
            having |= {render(item, self.resolver(body)) for item in parts(body.args.get("having"))}
            outputs = tuple((item.alias_or_name, "") for item in columns(body))
        if body is not tree:
            kept = tuple(named(item) for item in tree.expressions)
            outputs = tuple(item for item in outputs if item[0] in kept)
            ranks.add(f"shows {kept}")
        own = self.resolver(body) if body is tree and not over_groups else plain
        order = tuple(
            render(item, lambda node: own(node) if node.table else node.name)
            for item in (tree.args["order"].expressions if tree.args.get("order") else ())
        )
        limit = ""
        if tree.args.get("limit") is not None:
            only(tree.args["limit"], {"expression"})
            limit = render(tree.args["limit"].expression, plain)
        return Said(
            frozenset(passes),
            tuple(sorted(stacked)),
            frozenset(combined),
            outputs,
            frozenset(having),
            frozenset(ranks),
            order,
            limit,
        )

    def seen(self, item: exp.Expr) -> str:
        """What is seen of all groups beside one: its rank, or its share of them."""
        if isinstance(item.this, exp.Window):
            return self.window(item, plain)
        node = item.this
        whole = node.expression.this if isinstance(node, exp.Div) else None
        if not isinstance(item, exp.Alias) or not isinstance(whole, exp.Window):
            raise ReadBackError(f"{item.sql()} is neither a rank nor a share")
        only(whole, {"this", "partition_by", "over"})
        within = sorted(render(part, plain) for part in whole.args.get("partition_by") or ())
        by_zero = isinstance(node.expression, exp.Nullif) and node.expression.expression.name == "0"
        if not by_zero or not isinstance(whole.this, exp.Sum):
            raise ReadBackError(f"{item.sql()} is no share")
        total = f"{render(whole.this, plain)} within {within}"
        return f"{item.alias}: {render(node.this, plain)} of {total}"

    def window(self, item: exp.Expr, resolve: Resolve) -> str:
        """A ranking: its name, within what, and by what."""
        node = item.this
        if not isinstance(item, exp.Alias) or not isinstance(node, exp.Window):
            raise ReadBackError(f"{item.sql()} is no rank")
        only(node, {"this", "partition_by", "order", "over"})
        within = sorted(render(part, resolve) for part in node.args.get("partition_by") or ())
        order = [render(term, resolve) for term in node.args["order"].expressions]
        return f"{item.alias}: {node.this.sql().upper()} within {within} by {order}"

    def passed(self, select: exp.Select, more: Set[str] = frozenset()) -> Passed:
        """One pass; where it reads distinct rows first, both steps are told."""
        inner = select.args["from_"].this
        resolve = self.resolver(select)
        if resolve.folded is not None:
            only(select, GROUPS | more)
            below = self.passed(inner.this)
            found = {(item.alias_or_name, render(item, resolve)) for item in columns(select)}
            told = [item for item in columns(select) if not resolve.folded.measured(item)]
            shown = told if resolve.folded.told else groups(select)
            by = frozenset(render(item.unalias(), resolve) for item in shown)
            kept = (self.condition(item, select) for item in parts(select.args.get("where")))
            return Passed(below.table, below.where | frozenset(kept), by, frozenset(found))
        found = {(item.alias_or_name, render(item, resolve)) for item in columns(select)}
        by = frozenset(render(item, resolve) for item in groups(select))
        if isinstance(inner, exp.Subquery):
            only(select, OUTER | {"group"} | more)
            below = self.passed(inner.this, {"distinct"})
            if not inner.this.args.get("distinct") or below.groups:
                raise ReadBackError("the inner rows are not distinct")
            found |= {(f"distinct {name}", text) for name, text in below.columns}
            return Passed(below.table, below.where, by, frozenset(found))
        only(select, GROUPS | more)
        where = frozenset(self.condition(item, select) for item in parts(select.args.get("where")))
        if self.lists_buckets(inner):
            if where or select.args.get("joins"):
                raise ReadBackError("a list of buckets is limited or joined")
            return Passed("buckets", frozenset(), by, frozenset(found))
        return Passed(self.table(inner), where | self.within(select), by, frozenset(found))

    def lists_buckets(self, node: exp.Expr) -> bool:
        """Whether a table is a part that lists buckets: rows that are read from nothing."""
        query = self.ctes.get(node.name) if isinstance(node, exp.Table) else None
        while isinstance(query, exp.Union):
            query = query.this
        return isinstance(query, exp.Select) and query.args.get("from_") is None

    def buckets(self, name: str) -> str:
        """The buckets that a part lists, row by row."""
        rows: list[str] = []
        stack: list[exp.Expr] = [self.ctes[name]]
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Union) and not node.args.get("distinct"):
                only(node, {"this", "expression"})
                stack += [node.expression, node.this]
                continue
            if not isinstance(node, exp.Select):
                raise ReadBackError(f"`{name}` lists something else than buckets")
            only(node, {"kind", "expressions"})
            rows.append(
                ", ".join(f"{item.alias} {render(item.this, plain)}" for item in node.expressions)
            )
        return f"buckets[{'; '.join(rows)}]"

    def within(self, select: exp.Select) -> frozenset[str]:
        """The buckets that rows are read by: each row once for every bucket whose days hold its date."""
        found: list[str] = []
        for join in select.args.get("joins") or ():
            if not self.lists_buckets(join.this):
                continue
            only(join, {"this", "on"})
            only(join.this, {"this"})
            ends = parts(join)
            forms = [(type(end), end.expression.sql()) for end in ends]
            name = join.this.name
            if forms != [(exp.GTE, f"{name}.start_"), (exp.LT, f"{name}.end_")]:
                raise ReadBackError(f"{join.sql()} does not read by buckets")
            if ends[0].this != ends[1].this:
                raise ReadBackError(f"{join.sql()} reads two dates")
            value = render(ends[0].this, self.resolver(select))
            found.append(f"{value} within {self.buckets(name)}")
        return frozenset(found)

    def stacked(self, branch: exp.Select) -> Passed:
        """The pass that a branch of the UNION ALL reads, and what it takes of it."""
        only(branch, OUTER)
        whole = self.passed(select_of(self.ctes, source(branch)))
        taken: set[str] = set()
        marks: set[tuple[str, str]] = set()
        for item in branch.expressions:
            if isinstance(item, exp.Alias) and isinstance(item.this, exp.Literal):
                marks.add((item.alias, render(item.this, plain)))
            elif not (isinstance(item, exp.Alias) and isinstance(item.this, exp.Null)):
                taken.add(named(item))
        kept = frozenset(
            item for item in whole.columns if item[0] in taken or item[0].startswith("distinct ")
        )
        if taken - {name for name, _ in kept}:
            raise ReadBackError(f"`{source(branch)}` does not have all of {sorted(taken)}")
        return Passed(whole.table, whole.where, whole.groups, kept | marks)

    def condition(self, node: exp.Expr, select: exp.Select) -> str:
        """A predicate; EXISTS and snapshot subqueries are read in full."""
        resolve = self.resolver(select)
        if isinstance(node, exp.Paren):
            return self.condition(node.this, select)
        if isinstance(node, exp.Not) and isinstance(node.this, exp.Exists | exp.Not | exp.Paren):
            return f"not {self.condition(node.this, select)}"
        if isinstance(node, exp.Exists):
            return f"exists {self.related(node.this, resolve)}"
        query = node.expression if isinstance(node, exp.EQ) else node.args.get("query")
        if not isinstance(query, exp.Subquery) or not isinstance(node, exp.EQ | exp.In):
            return render(node, resolve)
        inner = query.this
        only(inner, OUTER | {"where", "group"})
        below = self.resolver(inner)
        last = ", ".join(render(item, below) for item in inner.expressions)
        where = sorted(render(item, below) for item in parts(inner.args.get("where")))
        by = [render(item, below) for item in groups(inner)]
        sign = "=" if isinstance(node, exp.EQ) else "in"
        table = self.table(inner.args["from_"].this)
        sides = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        value = ", ".join(render(side, resolve) for side in sides)
        return f"{value} {sign} last {last} of {table} where {where} by {by}"

    def related(self, select: exp.Select, outer: Resolve) -> str:
        """A related row: its table and conditions, the tie to the outer row among them."""
        only(select, ROWS)
        if [item.sql() for item in select.expressions] != ["1"]:
            raise ReadBackError("EXISTS of something else than rows")
        own = self.resolver(select)

        def resolve(column: exp.Column) -> str:
            return own(column) if column.table in own.aliases else f"outer.{outer(column)}"

        where = sorted({render(item, resolve) for item in parts(select.args.get("where"))})
        return f"{self.table(select.args['from_'].this)} where {where}"

    def table(self, node: exp.Expr) -> str:
        """The name of a table of the warehouse."""
        if not isinstance(node, exp.Table) or node.name in self.ctes:
            raise ReadBackError(f"{node.sql()} is no table of the warehouse")
        only(node, {"this", "db", "alias"})
        return ".".join(part.name for part in node.parts)

    def aliases(self, select: exp.Select) -> dict[str, str]:
        """Alias → the table and joins that it stands for."""
        base = select.args["from_"].this
        found: dict[str, str] = {}
        folded = self.folded(select)
        if folded is not None:
            found |= {folded.alias: folded.alias, MEASURES: MEASURES}
        elif isinstance(base, exp.Subquery):
            only(base, {"this", "alias"})
            found[base.alias] = base.alias
        elif self.lists_buckets(base):
            only(base, {"this"})
            found[base.name] = self.buckets(base.name)
        else:
            found[base.alias_or_name] = base.name if base.name in self.ctes else self.table(base)
        joins = select.args.get("joins")
        if not joins:
            return found
        below = {id(node) for node in base.walk()}
        named = [node.table for node in select.find_all(exp.Column) if id(node) not in below]
        for join in joins:
            if self.lists_buckets(join.this):
                found[join.this.name] = self.buckets(join.this.name)
                continue
            only(join, {"this", "side", "on"})
            right, on = join.this, parts(join)
            if join.side != "LEFT" or right.alias_or_name in found:
                raise ReadBackError(f"{join.sql()} may lose rows or repeats a name")
            pairs, left = [], on[0].expression.table
            ways: set[str] = set()
            for item in on:
                here, there = item.expression, item.this
                sides = (
                    isinstance(item, exp.EQ)
                    and isinstance(here, exp.Column)
                    and isinstance(there, exp.Column)
                )
                if (
                    not sides
                    or here.table != left
                    or left not in found
                    or there.table != right.alias_or_name
                ):
                    raise ReadBackError(f"{join.sql()} is no join by keys")
                way, name = found[left], here.name
                if folded is not None and left == folded.alias:
                    way, name = folded.side(here.name)
                ways.add(way)
                pairs.append(f"{name}={there.name}")
            if named.count(right.alias_or_name) == len(on):
                raise ReadBackError(f"{join.sql()} serves nothing")
            keys = [item.this.name for item in on]
            if len(ways) != 1:
                raise ReadBackError(f"{join.sql()} joins two tables at once")
            found[right.alias_or_name] = (
                f"{ways.pop()}>{self.joined(right, keys)}[{','.join(pairs)}]"
            )
        return found

    def folded(self, select: exp.Select) -> Folded | None:
        """The early groups that a SELECT reads, if it reads such; what was measured stands in its place."""
        base = select.args["from_"].this
        if not isinstance(base, exp.Subquery) or base.this.args.get("distinct"):
            return None
        if id(select) not in self.groups:
            only(base, {"this", "alias"})
            inner = base.this
            below, resolve = self.passed(inner), self.resolver(inner)
            measures = {
                item.alias_or_name: made
                for item in inner.expressions
                if (made := aggregate_of(item)) is not None
            }
            texts = {item.alias_or_name: render(item, resolve) for item in inner.expressions}
            keys = {name: text for name, text in texts.items() if name not in measures}
            if not keys or set(keys.values()) != below.groups or len(texts) != len(inner.selects):
                raise ReadBackError("the early groups are not what they are grouped by")
            plain = frozenset(
                item.alias_or_name
                for item in inner.expressions
                if isinstance(item.unalias(), exp.Column)
            )
            told = not groups(select) and told_apart(select, base.alias, keys.keys())
            once = unfold(select, base.alias, measures)
            if told:
                as_measured(select, base.alias, measures.keys())
            self.groups[id(select)] = Folded(
                base.alias, keys, once, plain, {name: texts[name] for name in measures}, told
            )
        return self.groups[id(select)]

    def joined(self, right: exp.Expr, keys: list[str]) -> str:
        """What is joined: a table, a rollup of many rows, or the distinct keys of a many side."""
        if isinstance(right, exp.Subquery):
            only(right, {"this", "alias"})
            passed = self.passed(right.this, {"distinct"})
            if not right.this.args.get("distinct") or passed.groups:
                raise ReadBackError("the many side is not distinct")
            return f"distinct {passed.table} {sorted(passed.columns)} where {sorted(passed.where)}"
        if isinstance(right, exp.Table) and right.name in self.ctes:
            only(right, {"this"})
            passed = self.passed(select_of(self.ctes, right.name))
            by = sorted(text for name, text in passed.columns if name in keys)
            if set(by) != passed.groups or len(by) != len(keys):
                raise ReadBackError(f"`{right.name}` is not joined by what it is grouped by")
            return f"rollup {passed.table} by {by} where {sorted(passed.where)}"
        return self.table(right)

    def resolver(self, select: exp.Select) -> Resolver:
        """How columns are named within a SELECT."""
        if id(select) not in self.resolvers:
            aliases = self.aliases(select)
            self.resolvers[id(select)] = Resolver(self, aliases, self.folded(select))
        return self.resolvers[id(select)]


class Resolver:
    """Names columns by the way that leads to them; a rollup's column by what it gathers."""

    def __init__(
        self, reader: Reader, aliases: dict[str, str], folded: Folded | None = None
    ) -> None:
        self.reader, self.aliases, self.folded = reader, aliases, folded

    def __call__(self, column: exp.Column) -> str:
        way = self.aliases.get(column.table)
        if way is None:
            raise ReadBackError(f"{column.sql()} belongs to no table here")
        if self.folded is not None and column.table in (self.folded.alias, MEASURES):
            if column.table == MEASURES:
                if column.name in self.folded.once:
                    return self.folded.each(render(self.folded.once[column.name], self))
                return self.folded.measures[column.name]
            return self.folded.key(column.name)
        if column.table in self.reader.ctes and not way.startswith("buckets["):
            inner = select_of(self.reader.ctes, column.table)
            resolve = self.reader.resolver(inner)
            for item in inner.expressions:
                if item.alias_or_name == column.name:
                    return f"{way}.{render(item, resolve)}"
            raise ReadBackError(f"`{column.table}` has no column `{column.name}`")
        return f"{way}.{column.name}"
