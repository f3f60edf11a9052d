"""The outer parts that a statement must have: its columns, shares, ranks, the others, and its order."""

from __future__ import annotations

from sqlglot import exp

from nl2sql.readback.dates import Dates
from nl2sql.readback.render import render
from nl2sql.readback.rows import (
    both,
    bounds,
    null_by_zero,
    tested,
)
from semantic_layer.model import Layer, Metric


class Outer(Dates):
    """A question, and what is made of its groups."""

    def keys(self) -> tuple[str, ...]:
        found = ["bucket"] if self.slots.grain else []
        for name in self.slots.dimensions:
            for part in self.layer.path(name):
                if part == name or not self.slots.fixed(part):
                    found.append(part)
                    if self.layer.dimensions[part].label:
                        found.append(f"{part}__label")
        return tuple(dict.fromkeys(found))

    def outputs(self, leaf: dict[str, str]) -> tuple[tuple[str, str], ...]:
        found: list[tuple[str, str]] = []
        over = "__running" if self.slots.running and self.slots.grain else ""
        for name in self.asked.needed:
            current = self.formula(self.layer.metrics[name], leaf, over)
            found.append((name, current))
            if len(self.marks) > 1:
                base = self.formula(self.layer.metrics[name], leaf, f"{over}__base")
                base = f"nullif({base}, 0)"
                found.append((f"{name}__base", base))
                found.append((f"{name}__diff", f"({current} - {base})"))
                found.append((f"{name}__change", f"(({current} / {base}) - 1)"))
        return tuple(found)

    def formula(self, metric: Metric, leaf: dict[str, str], mark: str) -> str:
        if metric.window is not None:
            part = self.layer.metrics[metric.parts[0]]
            return self.formula(part, leaf, f"__{metric.window.name}{mark}")
        if metric.kind != "formula":
            return leaf[metric.id + mark]
        assert metric.expr is not None
        tree = exp.Paren(this=metric.expr.tree.copy())
        null_by_zero(tree)
        return render(
            tree.this, lambda node: self.formula(self.layer.metrics[node.name], leaf, mark)
        )

    def ranked_by(self) -> str:
        order = self.slots.order
        return order.by if order and order.by else (*self.slots.metrics, *self.asked.needed)[0]

    def ranked_terms(self) -> list[str]:
        by, down = self.ranked_by(), self.direction()
        return [term.removesuffix("asc") + down for term in natural(self.layer, by)]

    def direction(self) -> str:
        return "desc" if self.slots.order is None or self.slots.order.descending else "asc"

    def within(self, keys: tuple[str, ...]) -> list[str]:
        said = self.slots.limit.per if self.slots.limit else ()
        per = {
            part
            for name in said
            for part in ((name,) if name == "bucket" else self.layer.path(name))
        }
        return [alias for alias in keys if alias in per]

    def ranks(self, keys: tuple[str, ...]) -> frozenset[str]:
        limit, share = self.slots.limit, self.slots.share
        if limit is None and not share:
            return frozenset()
        found = {"over groups"}
        totals = ["total_"] if self.slots.totals else []
        if share:
            within = ["bucket"] if self.slots.grain and self.slots.dimensions else []
            for name in self.slots.metrics:
                total = f"sum({name}) within {sorted((*within, *totals))}"
                found.add(f"{name}__share: {name} of {total}")
        placed: list[str] = []
        if limit is not None:
            missing = [
                name
                for name in (self.slots.dimensions if share or limit.others else ())
                if name not in limit.per and self.slots.keeps_missing(name)
            ]
            placed = [f"(rank_ <= {limit.last})"]
            placed += [f"(rank_ >= {limit.first})"] if limit.first > 1 else []
            placed += [f"not {name} is null" for name in missing]
            within = sorted((*self.within(keys), *(f"{name} is null" for name in missing)))
            found.add(f"rank_: RANK() within {within} by {self.ranked_terms()}")
        if limit is not None and limit.others:
            found |= self.parted(keys, both(placed))
        else:
            found |= set(placed)
        for item in self.slots.picking:
            found |= set(tested(item.field, item.test, self.layer.dimensions[item.field].type))
        if share:
            found |= {part for item in self.slots.having for part in bounds(item.metric, item.test)}
        names = [*keys, *totals, *(["others_"] if limit is not None and limit.others else [])]
        for name in self.asked.needed:
            names += [
                name,
                *(
                    [f"{name}__base", f"{name}__diff", f"{name}__change"]
                    if len(self.marks) > 1
                    else []
                ),
                *([f"{name}__share"] if share and name in self.slots.metrics else []),
            ]
        found.add(f"shows {tuple(names)}")
        return frozenset(found)

    def parted(self, keys: tuple[str, ...], placed: str) -> set[str]:
        """The groups with a place, and the rest of each partition as one more row."""
        per = self.within(keys)
        found = {"others_": f"case({placed}: 0; else 1)"}
        for alias in keys:
            stays = alias.removesuffix("__label") in per
            found[alias] = alias if stays else f"case({placed}: {alias}; else null)"
        said = {f"parted {name}: {text}" for name, text in found.items()}
        said |= {f"parted by {text}" for text in found.values()}
        names = [
            *self.asked.needed,
            *(f"{name}__share" for name in self.slots.metrics if self.slots.share),
        ]
        return said | {f"parted {name}: sum({name})" for name in names}

    def order(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        if not keys:
            return ()
        terms: list[str] = ["total_ asc"] if self.slots.totals else []
        for alias in self.within(keys):
            terms += natural(self.layer, alias)
        if self.slots.limit is not None and self.slots.limit.others:
            terms.append("others_ asc")
        if self.slots.order is not None or self.slots.limit is not None:
            terms += self.ranked_terms()
        said = {term.rpartition(" ")[0] for term in terms}
        for alias in keys:
            if not alias.endswith("__label"):
                terms += [
                    term
                    for term in natural(self.layer, alias)
                    if term.rpartition(" ")[0] not in said
                ]
        return tuple(terms)


def natural(layer: Layer, alias: str) -> list[str]:
    """Numbered texts by length first."""
    dimension = layer.dimensions.get(alias)
    numbered = dimension is not None and dimension.pattern is not None and dimension.type == "text"
    return [f"length({alias}) asc", f"{alias} asc"] if numbered else [f"{alias} asc"]
