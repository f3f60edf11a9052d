"""What a statement says: for each measure its table, conditions and groups; then the outer parts."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from nl2sql.errors import ReadBackError
from nl2sql.readback.render import render


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


class Reader:
    """Reads one statement; columns are named by the table and the joins that lead to them."""

    def __init__(self, tree: exp.Select) -> None:
        self.tree = tree
        self.ctes: dict[str, exp.Expression] = {item.alias: item.this for item in tree.find_all(exp.CTE)}

    def said(self) -> Said:
        """Everything the statement says."""
        tree, ctes = self.tree, self.ctes
        passes: set[Passed] = set()
        stacked: list[str] = []
        combined: set[tuple[str, str]] = set()
        ranks: set[str] = set()
        having: set[str] = set()
        body = tree
        if source(tree) == "ranked":
            ranks |= {render(item, plain) for item in parts(tree.args.get("where"))}
            ranked = select_of(ctes, "ranked")
            ranks |= {self.window(item) for item in ranked.find_all(exp.Window)}
            if source(ranked) != "grouped":
                raise ReadBackError("ranks are not taken over the groups")
            ranks.add("over groups")
            body = select_of(ctes, "grouped")
        if source(body) == "combined":
            having |= {render(item, plain) for item in parts(body.args.get("where"))}
            inner = select_of(ctes, "combined")
            combined = {(item.alias_or_name, render(item, plain)) for item in inner.expressions}
            combined |= {("group", render(item, plain)) for item in groups(inner)}
            for branch in branches(inner):
                name = source(branch)
                stacked.append(name)
                passes.add(self.passed(select_of(ctes, name), branch))
            outputs = tuple((item.alias_or_name, render(item, plain)) for item in body.expressions)
        else:
            passes.add(self.passed(body))
            having |= {render(item, self.resolver(body)) for item in parts(body.args.get("having"))}
            outputs = tuple((item.alias_or_name, "") for item in body.expressions)
        if body is not tree:
            kept = tuple(item.alias_or_name for item in tree.expressions)
            outputs = tuple(item for item in outputs if item[0] in kept)
            ranks.add(f"shows {kept}")
        own = self.resolver(body) if body is tree and source(body) != "combined" else plain
        order = tuple(
            render(item, lambda node: own(node) if node.table else node.name)
            for item in (tree.args["order"].expressions if tree.args.get("order") else ())
        )
        limit = tree.args["limit"].expression.name if tree.args.get("limit") else ""
        return Said(
            frozenset(passes), tuple(sorted(stacked)), frozenset(combined), outputs, frozenset(having),
            frozenset(ranks), order, limit,
        )

    def window(self, node: exp.Window) -> str:
        """A ranking: within what, and by what."""
        within = sorted(item.name for item in node.args.get("partition_by") or ())
        order = [render(item, plain) for item in node.args["order"].expressions]
        return f"{node.this.sql().upper()} within {within} by {order}"

    def passed(self, select: exp.Select, branch: exp.Select | None = None) -> Passed:
        """One pass; where it reads distinct rows first, both steps are told."""
        inner = select.args["from_"].this if "from_" in select.args else select.args["from"].this
        resolve = self.resolver(select)
        columns = {(item.alias_or_name, render(item, resolve)) for item in select.expressions}
        if isinstance(inner, exp.Subquery):
            below = self.passed(inner.this)
            mark = "distinct " if inner.this.args.get("distinct") else ""
            columns |= {(f"{mark}{name}", text) for name, text in below.columns}
            found = Passed(below.table, below.where, frozenset(render(item, resolve) for item in groups(select)), frozenset(columns))
        else:
            found = Passed(
                source(select),
                frozenset(self.condition(item, select) for item in parts(select.args.get("where"))),
                frozenset(render(item, resolve) for item in groups(select)),
                frozenset(columns),
            )
        if branch is not None:
            taken = {item.name for item in branch.expressions if isinstance(item, exp.Column)}
            found = Passed(found.table, found.where, found.groups, frozenset(
                item for item in found.columns if item[0] in taken or item[0].startswith("distinct ")
            ))
        return found

    def condition(self, node: exp.Expression, select: exp.Select) -> str:
        """A predicate; EXISTS and snapshot subqueries are read in full."""
        resolve = self.resolver(select)
        if isinstance(node, exp.Paren):
            return self.condition(node.this, select)
        if isinstance(node, exp.Not):
            return f"not {self.condition(node.this, select)}"
        if isinstance(node, exp.Exists):
            return f"exists {self.related(node.this, resolve)}"
        if isinstance(node, exp.Or) and node.find(exp.Select):
            return f"({' or '.join(sorted(self.condition(part, select) for part in node.flatten()))})"
        inner = node.find(exp.Select)
        if inner is not None:
            sign = "=" if isinstance(node, exp.EQ) else "in"
            last = ", ".join(render(item, self.resolver(inner)) for item in inner.expressions)
            where = sorted(render(item, self.resolver(inner)) for item in parts(inner.args.get("where")))
            by = [render(item, self.resolver(inner)) for item in groups(inner)]
            return f"{render(node.this, resolve)} {sign} last {last} of {source(inner)} where {where} by {by}"
        return render(node, resolve)

    def related(self, select: exp.Select, outer: object) -> str:
        """A related row: its table and conditions, the tie to the outer row among them."""
        own = self.resolver(select)
        aliases = self.aliases(select)

        def resolve(column: exp.Column) -> str:
            return own(column) if column.table in aliases else f"outer.{outer(column)}"  # type: ignore[operator]

        where = sorted(render(item, resolve) for item in parts(select.args.get("where")))
        return f"{source(select)} where {where}"

    def aliases(self, select: exp.Select) -> dict[str, str]:
        """Alias → the table and joins that it stands for."""
        origin = select.args.get("from_") or select.args["from"]
        base = origin.this
        found = {base.alias_or_name: base.name if isinstance(base, exp.Table) else base.alias}
        for join in select.args.get("joins") or ():
            right = join.this
            if join.side != "LEFT":
                raise ReadBackError(f"{join.sql()} may lose rows")
            pairs = []
            left = ""
            for item in join.args["on"].flatten() if isinstance(join.args["on"], exp.And) else [join.args["on"]]:
                here = item.expression
                left = found.get(here.table, "")
                pairs.append(f"{here.name}={item.this.name}")
            name = self.joined(right)
            found[right.alias_or_name] = f"{left}>{name}[{','.join(pairs)}]"
        return found

    def joined(self, right: exp.Expression) -> str:
        """What is joined: a table, a rollup of many rows, or the distinct keys of a many side."""
        if isinstance(right, exp.Subquery):
            passed = self.passed(right.this)
            mark = "distinct" if right.this.args.get("distinct") else "rows"
            return f"{mark} {passed.table} {sorted(passed.columns)} where {sorted(passed.where)}"
        assert isinstance(right, exp.Table)
        if right.name in self.ctes:
            passed = self.passed(select_of(self.ctes, right.name))
            return f"rollup {passed.table} by {sorted(passed.groups)} where {sorted(passed.where)}"
        return right.name

    def resolver(self, select: exp.Select) -> Resolver:
        """How columns are named within a SELECT."""
        return Resolver(self, self.aliases(select))


class Resolver:
    """Names columns by the way that leads to them; a rollup's column by what it gathers."""

    def __init__(self, reader: Reader, aliases: dict[str, str]) -> None:
        self.reader, self.aliases = reader, aliases

    def __call__(self, column: exp.Column) -> str:
        way = self.aliases.get(column.table)
        if way is None:
            return f"?{column.table}.{column.name}"
        if column.table in self.reader.ctes:
            inner = select_of(self.reader.ctes, column.table)
            resolve = self.reader.resolver(inner)
            value = next((render(item, resolve) for item in inner.expressions if item.alias_or_name == column.name), "?")
            return f"{way}.{value}"
        return f"{way}.{column.name}"


def plain(column: exp.Column) -> str:
    """A column of an inner result, by its name."""
    return column.name


def source(select: exp.Select) -> str:
    """The name of what a SELECT reads."""
    origin = select.args.get("from_") or select.args.get("from")
    if origin is None:
        raise ReadBackError("a SELECT reads nothing")
    return str(origin.this.name if isinstance(origin.this, exp.Table) else origin.this.alias)


def parts(clause: exp.Expression | None) -> list[exp.Expression]:
    """The conjuncts of a WHERE or HAVING."""
    if clause is None:
        return []
    inner = clause.this
    return list(inner.flatten()) if isinstance(inner, exp.And) else [inner]


def groups(select: exp.Select) -> list[exp.Expression]:
    """The GROUP BY expressions."""
    group = select.args.get("group")
    return list(group.expressions) if group is not None else []


def select_of(ctes: dict[str, exp.Expression], name: str) -> exp.Select:
    """The SELECT of a CTE."""
    found = ctes.get(name)
    if not isinstance(found, exp.Select):
        raise ReadBackError(f"there is no part `{name}`")
    return found


def branches(select: exp.Select) -> list[exp.Select]:
    """The SELECTs under a UNION ALL."""
    origin = select.args.get("from_") or select.args["from"]
    stack, found = [origin.this.this], []
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Union):
            if node.args.get("distinct"):
                raise ReadBackError("UNION drops equal groups")
            stack += [node.this, node.expression]
        elif isinstance(node, exp.Select):
            found.append(node)
    return found
