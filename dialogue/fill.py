"""Filling and overriding: what a turn says wins, what it leaves out is filled from the state (RULES.md §3).

Pure functions of (state, reading, world): no clock is read and nothing is run here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from dialogue import hierarchy, refer
from dialogue.errors import Ask, Refuse
from dialogue.state import Option, Provenance, State
from dialogue.switch import bare, current_objects, detect
from dialogue.turn import Assumption, Switch
from dialogue.world import World
from nl2sql.edits import Edit, TimeMention
from nl2sql.reading import Reading
from nl2sql.slots import Among, Comparison, Contains, Filter, Having, Limit, Members, Missing, Order, Slots, TimeSlot
from nl2sql.times import Look, Range, add, bucket, resolve
from semantic_layer.model import Object

_LISTED = 7


@dataclass(frozen=True, slots=True)
class Filled:
    """The slots of a turn, before they are compiled."""

    slots: Slots
    switch: Switch | None
    said: tuple[tuple[str, Edit], ...]
    assumptions: tuple[Assumption, ...]


@dataclass
class Filling:
    """One turn's slots while they are filled."""

    world: World
    state: State
    reading: Reading
    clock: datetime
    policy: tuple[Filter, ...]
    chosen: tuple[Edit, ...] = ()
    slots: Slots = field(default_factory=Slots)
    said: list[tuple[str, Edit]] = field(default_factory=list)
    assumptions: list[Assumption] = field(default_factory=list)
    switch: Switch | None = None
    crossed: bool = False

    # -- the whole ---------------------------------------------------------------------------

    def run(self) -> Filled:
        """Fill the slots. Raises `Ask` or `Refuse` when they cannot be."""
        reading = self.reading
        before = self.state.slots or Slots()
        self.switch = detect(self.world, self.state, reading)
        self.slots = Slots() if self.switch is not None else before
        if self.switch is None and "besides" in reading.cues and bare(reading):
            self.reading = reading = replace(reading, edits=tuple(replace(edit, op="add") for edit in reading.edits))
        edits = self.by_order(reading.edits)
        self.subject(edits)
        self.references()
        self.dimensions(edits)
        self.filters(edits)
        self.numbers(edits)
        self.time(edits)
        self.order(edits)
        self.totals(edits)
        self.side_by_side(edits)
        self.ambiguous()
        self.places()
        self.defaults()
        return Filled(self.slots, self.switch, tuple(self.said), tuple(self.assumptions))

    def by_order(self, edits: Iterable[Edit]) -> list[Edit]:
        """Filters of a hierarchy from the top: 张江1号楼 sets the park first."""
        rank: dict[str, int] = {}
        for levels in self.world.layer.hierarchies.values():
            rank |= {name: index for index, name in enumerate(levels)}

        def key(edit: Edit) -> int:
            return rank.get(edit.value.field, -1) if isinstance(edit.value, Filter) else -1

        return sorted(edits, key=key)

    def set(self, key: str, edit: Edit, **values: object) -> None:
        self.slots = replace(self.slots, **values)  # type: ignore[arg-type]
        self.said.append((key, edit))

    @property
    def object(self) -> Object | None:
        """The object the turn is about, as far as it is known."""
        return self.world.layer.objects.get(self.slots.object or "")

    def objects(self) -> tuple[Object, ...]:
        """The objects of all metrics asked for."""
        names = dict.fromkeys(self.world.layer.metrics[name].object for name in self.slots.metrics)
        if not names and self.slots.object:
            names = {self.slots.object: None}
        return tuple(self.world.layer.objects[name] for name in names)

    # -- what is asked about -----------------------------------------------------------------

    def subject(self, edits: list[Edit]) -> None:
        layer = self.world.layer
        for edit in edits:
            if edit.slot == "metrics" and isinstance(edit.value, tuple):
                names = edit.value
                if edit.op == "set":
                    if "measured" in self.reading.cues and self.keeps_count(names):
                        continue
                    self.set("metrics", edit, metrics=names, rows=False, object=layer.metrics[names[0]].object)
                elif edit.op == "add":
                    if not self.slots.metrics:
                        self.set("metrics", edit, metrics=names, rows=False, object=layer.metrics[names[0]].object)
                    else:
                        self.set("metrics", edit, metrics=tuple(dict.fromkeys((*self.slots.metrics, *names))))
                elif edit.op == "remove":
                    left = tuple(name for name in self.slots.metrics if name not in names)
                    if not left:
                        raise Refuse("nothing-left", {"metric": self.names(names)})
                    having = tuple(item for item in self.slots.having if item.metric not in names)
                    by = self.slots.order.by if self.slots.order else None
                    order = None if by in names else self.slots.order
                    self.set("metrics", edit, metrics=left, having=having, order=order)
                    self.set("object", edit, object=layer.metrics[left[0]].object)
            elif edit.slot == "rows":
                self.listing(edit)
            elif edit.slot == "object" and not self.slots.metrics:
                if not (self.slots.rows and self.slots.object == edit.value):
                    self.object_only(edit)
        if self.slots.rows and self.reading.cues & {"how_many", "count"} and not any(edit.slot == "rows" for edit in edits):
            metric = self.object.default_metric if self.object else None
            if metric is not None:
                self.set("metrics", Edit("metrics", "set", (metric,)), metrics=(metric,), rows=False)

    def listing(self, edit: Edit) -> None:
        """The object's rows; a metric's own condition stays as a filter (空置房源数 → the vacant rooms)."""
        name = str(edit.value) or self.slots.object
        if name is None:
            raise self.which_metric(self.plausible(), "")
        filters = self.slots.filters if self.slots.object == name else ()
        for metric in self.slots.metrics if self.slots.object == name else ():
            for item in self.own_condition(metric):
                if all(other.field != item.field for other in filters):
                    filters = (*filters, item)
        self.set(
            "rows", edit, rows=True, metrics=(), dimensions=(), grain=None, having=(), comparison=None,
            object=name, filters=filters, limit=None, order=None,
        )

    def own_condition(self, name: str) -> tuple[Filter, ...]:
        """A metric's own condition, where it is one value of a dimension."""
        metric = self.world.layer.metrics[name]
        if metric.where is None or len(metric.where.refs) != 1:
            return ()
        tree, ref = metric.where.tree, metric.where.refs[0]
        if tree.key != "eq" or tree.expression.key != "literal":
            return ()
        found = self.world.layer.objects[metric.object]
        return tuple(
            Filter(item, Among((tree.expression.name,)))
            for item in found.dimensions
            if self.world.layer.dimensions[item].column == ref.name and self.world.layer.dimensions[item].enum is not None
        )[:1]

    def keeps_count(self, names: tuple[str, ...]) -> bool:
        """有几个 after a metric keeps that metric; after a list it counts the rows."""
        if self.slots.rows and self.slots.object is not None:
            return self.world.layer.metrics[names[0]].object != self.slots.object
        return bool(self.slots.metrics)

    def object_only(self, edit: Edit) -> None:
        """An object without a metric: its count where that is what its name means, else a question."""
        found = self.world.layer.objects[str(edit.value)]
        metric = found.default_metric
        if metric is not None and self.world.layer.metrics[metric].default and "topic_word" not in self.reading.cues and not self.amounts(found):
            self.set("metrics", edit, metrics=(metric,), object=found.id, rows=False)
            self.assume("metrics", metric)
        else:
            self.set("object", edit, object=found.id)
            raise self.which_metric(tuple(name for name in found.metrics if not self.world.layer.metrics[name].hidden), found.id)

    def amounts(self, found: Object) -> bool:
        """Whether an object is mostly about amounts, so that its bare name does not mean a count."""
        units = [self.world.layer.metrics[name].unit for name in found.metrics]
        return sum(unit == self.world.layer.currency or unit == "CNY" for unit in units) * 2 > len(units)

    def names(self, metrics: Iterable[str]) -> str:
        return "、".join(self.world.field_label(name, self.reading.lang) for name in metrics)

    def assume(self, slot: str, value: str, *others: str) -> None:
        self.assumptions.append(Assumption(slot, value, others))

    # -- references --------------------------------------------------------------------------

    def references(self) -> None:
        for reference in self.reading.references:
            found = refer.resolve(self.world, self.state, reference)
            cross = self.switch is not None and self.switch.rule == "object"
            self.crossed = self.crossed or cross
            edit = Edit("filters", "set", None, reference.span, 1.0, "reference")
            if not cross:
                self.slots = replace(self.slots, limit=None, order=None, having=())
                dims = found.dimensions if found.several else ()
                if found.filters or found.several:
                    self.slots = replace(self.slots, dimensions=dims or (self.slots.dimensions if found.several else ()))
            elif found.several and "total" not in self.reading.cues:
                self.slots = replace(self.slots, dimensions=found.dimensions)
            for item in found.filters:
                if isinstance(item.test, Among | Missing):
                    self.slots, _ = hierarchy.place(self.world, self.slots, item)
                else:
                    self.slots = self.slots.without_filter(*item.test.fields if isinstance(item.test, Members) else ())
                    self.slots = self.slots.with_filter(item)
                self.said.append((f"filters.{item.field}", edit))

    # -- dimensions --------------------------------------------------------------------------

    def dimensions(self, edits: list[Edit]) -> None:
        limited = any(edit.slot == "limit" for edit in edits)
        for edit in edits:
            if edit.slot == "dimensions" and isinstance(edit.value, tuple):
                if edit.op == "set":
                    values: dict[str, object] = {"dimensions": edit.value}
                    if not limited:
                        values |= {"limit": None, "order": None}
                    if self.spread(edit):
                        values |= {"having": ()}
                    if self.beside(edit):
                        values["dimensions"] = tuple(dict.fromkeys((*self.slots.dimensions, *edit.value)))
                    self.set("dimensions", edit, **values)
                elif edit.op == "add":
                    self.set("dimensions", edit, dimensions=tuple(dict.fromkeys((*self.slots.dimensions, *edit.value))))
                elif edit.op == "remove":
                    self.set("dimensions", edit, dimensions=tuple(name for name in self.slots.dimensions if name not in edit.value))
            elif edit.slot == "grain":
                self.set("grain", edit, grain=edit.value)
        if self.slots.rows and (self.slots.dimensions or self.slots.grain):
            self.slots = replace(self.slots, rows=False)

    def beside(self, edit: Edit) -> bool:
        """An attribute asked of members (它们的行业) is shown beside them."""
        several = any(item.kind == "set" for item in self.reading.references)
        return several and not any(item.slot == "metrics" for item in self.reading.edits) and edit.note == "bare"

    def spread(self, edit: Edit) -> bool:
        """Grouping anew what a condition on groups has kept: the groups become members (分布在哪些行业)."""
        shown = self.state.shown
        before = self.slots
        if self.switch is not None or not before.having or shown is None or not shown.fields or self.reading.references:
            return False
        if any(item.slot == "having" for item in self.reading.edits) or edit.value == before.dimensions:
            return False
        item = refer.members(self.world, shown, shown.fields[-1])
        self.slots = self.slots.with_filter(item)
        self.said.append((f"filters.{item.field}", edit))
        return True

    # -- filters -----------------------------------------------------------------------------

    def filters(self, edits: list[Edit]) -> None:
        for edit in edits:
            if edit.slot != "filters":
                continue
            if edit.op == "clear":
                name = str(edit.value)
                found = hierarchy.levels_of(self.world, name)
                below = found[1][found[1].index(name) :] if found else (name,)
                if self.slots.rows and not any(self.slots.filter(item) for item in below):
                    continue
                self.slots = self.slots.without_filter(*below)
                self.said.append((f"filters.{name}", edit))
            elif isinstance(edit.value, Filter):
                self.one_filter(edit, self.fitting(edit))

    def fitting(self, edit: Edit) -> Filter:
        """The meaning of a value that fits what is asked about; several that fit are asked about."""
        options = [item for item in (edit.value, *edit.others) if isinstance(item, Filter)]
        objects = self.objects()
        if objects:
            fit = [item for item in options if all(item.field in found.dimensions or item.field in found.attributes for found in objects)]
            if not fit:
                self.unreachable(options[0].field, objects[0])
            options = fit
        if len(options) > 1:
            held = [item for item in options if self.slots.filter(item.field) is not None]
            inner = [item for item in options if self.parents_pinned(item)]
            placed = [item for item in options if hierarchy.levels_of(self.world, item.field)]
            if len(held) == 1:
                return held[0]
            if len(inner) == 1:
                return inner[0]
            if len(placed) == 1:
                return placed[0]
            choices = tuple(
                Option(item.field, f"{self.world.field_label(item.field, self.reading.lang)}：{self.value_label(item)}", (replace(edit, value=item, others=()),))
                for item in options
            )
            raise Ask("value", f"value:{edit.span}", choices, {"word": self.reading.text[edit.span[0] : edit.span[1]]})
        return options[0]

    def parents_pinned(self, item: Filter) -> bool:
        parents = self.world.layer.path(item.field)[:-1]
        own = {edit.value.field for edit in self.reading.edits if isinstance(edit.value, Filter) and not edit.others}
        return bool(parents) and all(self.slots.pinned(parent) is not None for parent in parents[-1:]) and (
            parents[-1] in own or self.slots.filter(parents[-1]) is not None
        )

    def value_label(self, item: Filter) -> str:
        if isinstance(item.test, Among):
            return "、".join(self.world.label(item.field, value, self.reading.lang) for value in item.test.values)
        return item.field

    def unreachable(self, name: str, found: Object) -> None:
        offers = tuple((item, self.world.field_label(item, self.reading.lang)) for item in found.dimensions)
        raise Refuse(
            "unreachable",
            {"field": self.world.field_label(name, self.reading.lang), "object": found.words.label(self.tongue, found.id)},
            offers,
        )

    @property
    def tongue(self) -> str:  # narrowed where used
        return self.reading.lang

    def one_filter(self, edit: Edit, item: Filter) -> None:
        key = f"filters.{item.field}"
        before = self.slots.filter(item.field)
        test = item.test
        if isinstance(test, Among):
            test = self.permitted(item.field, test)
            item = Filter(item.field, test)
        if edit.op == "add" and isinstance(test, Among) and before is not None and isinstance(before.test, Among):
            if before.test.negated:
                left = tuple(value for value in before.test.values if value not in test.values)
                self.slots = self.slots.with_filter(Filter(item.field, Among(left, True))) if left else self.slots.without_filter(item.field)
            else:
                merged = Among(tuple(dict.fromkeys((*before.test.values, *test.values))))
                self.slots = self.slots.with_filter(Filter(item.field, merged))
        elif edit.op == "remove" and isinstance(test, Among):
            self.slots = self.removed(item.field, test, before)
        elif isinstance(test, Among) and test.negated and before is not None and isinstance(before.test, Among) and not before.test.negated and set(test.values) < set(before.test.values):
            left = tuple(value for value in before.test.values if value not in test.values)
            self.slots = self.slots.with_filter(Filter(item.field, Among(left)))
        else:
            self.slots, dropped = hierarchy.place(self.world, self.slots, item)
            for name in dropped:
                self.said.append((f"filters.{name}", edit))
        if isinstance(test, Missing) and not test.negated and item.field in self.slots.dimensions:
            left_dims = tuple(name for name in self.slots.dimensions if name != item.field)
            self.slots = replace(self.slots, dimensions=left_dims)
        self.said.append((key, edit))

    def removed(self, name: str, test: Among, before: Filter | None) -> Slots:
        if before is not None and isinstance(before.test, Among):
            if before.test.negated:
                more = Among(tuple(dict.fromkeys((*before.test.values, *test.values))), True)
                return self.slots.with_filter(Filter(name, more))
            left = tuple(value for value in before.test.values if value not in test.values)
            return self.slots.with_filter(Filter(name, Among(left))) if left else self.slots.without_filter(name)
        return self.slots.with_filter(Filter(name, Among(test.values, True)))

    def permitted(self, name: str, test: Among) -> Among:
        """Values that policy hides are as unknown as values that do not exist."""
        for item in self.policy:
            if item.field == name and isinstance(item.test, Among) and not test.negated:
                kept = tuple(value for value in test.values if value in item.test.values)
                if not kept:
                    raise Refuse("not-permitted", {"value": "、".join(self.world.label(name, value, self.reading.lang) for value in test.values)})
                return Among(kept)
        return test

    # -- conditions on metrics ---------------------------------------------------------------

    def numbers(self, edits: list[Edit]) -> None:
        for edit in edits:
            if edit.slot != "having" or not isinstance(edit.value, Having):
                continue
            value = edit.value
            if not value.metric:
                value = self.bare_bound(edit, value)
            kept = tuple(item for item in self.slots.having if item.metric != value.metric)
            self.set(f"having.{value.metric}", edit, having=(*kept, value))
        if self.slots.having and not self.slots.dimensions and not self.slots.grain:
            shown = self.state.shown
            if shown is not None and shown.fields and self.switch is None:
                self.slots = replace(self.slots, dimensions=(shown.fields[-1],))

    def bare_bound(self, edit: Edit, value: Having) -> Having:
        """超过三个的呢: the same condition as before, with another number."""
        if self.slots.having:
            name = self.slots.having[-1].metric
        elif len(self.slots.metrics) == 1 and self.slots.dimensions:
            name = self.slots.metrics[0]
        else:
            raise Ask("condition", "bound", (), {"word": self.reading.text[edit.span[0] : edit.span[1]]})
        metric = self.world.layer.metrics[name]
        test = value.test
        if metric.percent and edit.note == "bare":
            test = replace(
                test,
                low=test.low / 100 if test.low is not None and abs(test.low) > 1 else test.low,
                high=test.high / 100 if test.high is not None and abs(test.high) > 1 else test.high,
            )
        return Having(name, test)

    # -- time --------------------------------------------------------------------------------

    def role(self) -> str | None:
        """The date that a period is about: said, the metric's own, or the object's."""
        found = self.object
        if found is None:
            return None
        if self.slots.time is not None and self.slots.time.role is not None:
            return self.slots.time.role
        for name in self.slots.metrics:
            for leaf in self.world.layer.leaves(name):
                if leaf.time is not None:
                    return leaf.time
        return found.time.default

    def look(self, role: str | None) -> Look:
        found = self.object
        if found is None or role is None or role not in found.time.roles:
            return "back"
        return found.time.roles[role].looks

    def time(self, edits: list[Edit]) -> None:
        role = next((str(edit.value) for edit in edits if edit.slot == "role" and edit.note == self.slots.object), None)
        if role is None and self.slots.time is not None:
            role = self.slots.time.role
        mentions = [edit for edit in edits if edit.slot == "time" and isinstance(edit.value, TimeMention)]
        if mentions:
            if role is None and any(edit.slot == "role" for edit in edits):
                edit = next(edit for edit in edits if edit.slot == "role")
                if self.object is None:
                    self.slots = replace(self.slots, object=edit.note)
                    role = str(edit.value)
            where = role or self.role()
            ranges: list[Range] = []
            first = mentions[0]
            assert isinstance(first.value, TimeMention)
            resolved = resolve(first.value.expr, self.clock, self.world.calendar, self.look(where))
            for edit in mentions:
                assert isinstance(edit.value, TimeMention)
                ranges += resolve(edit.value.expr, self.clock, self.world.calendar, self.look(where)).ranges
            words = "、".join(edit.value.words for edit in mentions if isinstance(edit.value, TimeMention))
            kind = "list" if len(ranges) > 1 else resolved.kind
            slot = TimeSlot(words, tuple(dict.fromkeys(ranges)), kind, resolved.grain, resolved.rolling, role)
            self.set("time", first, time=slot)
            if len(slot.ranges) > 1 and self.slots.grain is None and "total" not in self.reading.cues and not self.slots.rows:
                self.slots = replace(self.slots, grain=slot.grain)
        elif role is not None and any(edit.slot == "role" for edit in edits):
            edit = next(edit for edit in edits if edit.slot == "role")
            if self.slots.time is not None:
                self.set("time", edit, time=replace(self.slots.time, role=role))
            elif role != (self.object.time.default if self.object else None):
                raise Ask("time", f"role:{role}", (), {"role": role})
        for edit in edits:
            if edit.slot == "comparison":
                value = edit.value if isinstance(edit.value, Comparison) else None
                self.set("comparison", edit, comparison=value)

    # -- order -------------------------------------------------------------------------------

    def order(self, edits: list[Edit]) -> None:
        for edit in edits:
            if edit.slot == "limit" and isinstance(edit.value, Limit):
                if edit.note == "uncounted" and self.slots.limit is not None and self.bare_rank(edits):
                    continue
                self.set("limit", edit, limit=edit.value)
            elif edit.slot == "order" and isinstance(edit.value, Order):
                value = edit.value
                if edit.note == "undirected" and self.slots.order is not None and self.bare_rank(edits):
                    value = self.slots.order
                if value.by is not None and value.by in self.world.layer.metrics and value.by not in self.slots.metrics:
                    if len(self.slots.metrics) == 0:
                        self.slots = replace(self.slots, metrics=(value.by,))
                self.set("order", edit, order=value)
        if self.slots.limit is not None and self.slots.order is None:
            self.slots = replace(self.slots, order=Order())
        by = self.slots.order.by if self.slots.order else None
        if by is not None and by in self.world.layer.metrics and by not in self.slots.metrics:
            assert self.slots.order is not None
            self.slots = replace(self.slots, order=replace(self.slots.order, by=None))

    def bare_rank(self, edits: list[Edit]) -> bool:
        return not any(edit.slot == "metrics" for edit in edits) and self.switch is None

    def totals(self, edits: list[Edit]) -> None:
        """合计, 总的: the dimensions are cleared; after a ranking it covers just the rows shown."""
        if "total" not in self.reading.cues or any(edit.slot in ("dimensions", "grain") and edit.op == "set" for edit in edits):
            return
        if self.slots.rows or self.switch is not None and not self.crossed:
            return
        edit = Edit("dimensions", "clear", None)
        shown = self.state.shown
        cut = (self.slots.limit is not None or self.slots.having) and not any(item.slot in ("limit", "having") for item in edits)
        if cut and shown is not None and shown.fields and not self.reading.references:
            item = refer.members(self.world, shown, shown.fields[-1])
            self.slots = self.slots.with_filter(item)
            self.said.append((f"filters.{item.field}", edit))
        if cut or self.slots.dimensions or self.slots.grain:
            keep = any(item.slot in ("limit", "having") for item in edits)
            self.set("dimensions", edit, dimensions=(), grain=None)
            if not keep:
                self.slots = replace(self.slots, limit=None, order=None, having=())

    def side_by_side(self, edits: list[Edit]) -> None:
        """X和Y named side by side, without a dimension: a row each; 合计 gives one number."""
        if "total" in self.reading.cues or self.slots.rows or any(edit.slot == "dimensions" for edit in edits):
            return
        if self.slots.dimensions or not self.slots.metrics:
            return
        for edit in edits:
            if edit.slot == "filters" and edit.op == "set" and edit.note == "several":
                for item in (edit.value, *edit.others):
                    if isinstance(item, Filter) and self.slots.filter(item.field) is not None and not getattr(item.test, "negated", True):
                        self.slots = replace(self.slots, dimensions=(*self.slots.dimensions, item.field))
                        break

    # -- what is still open ------------------------------------------------------------------

    def ambiguous(self) -> None:
        """One question a turn, on the most decisive slot first: metric, then value."""
        for about in ("metric", "value"):
            for item in self.reading.ambiguities:
                if item.about != about or self.settled(item.word if about == "metric" else "", item.span):
                    continue
                if about == "metric" and self.slots.metrics and self.switch is None and any(key == "metrics" for key, _ in self.said):
                    continue
                if about == "metric":
                    raise self.which_metric(tuple(choice.id for choice in item.choices), item.word)
                options = tuple(
                    Option(choice.id, self.value_label(choice.edits[0].value) if isinstance(choice.edits[0].value, Filter) else choice.id, choice.edits)
                    for choice in item.choices
                )
                options = self.visible(options)
                if len(options) == 1:
                    for edit in options[0].edits:
                        if isinstance(edit.value, Filter):
                            self.one_filter(edit, edit.value)
                    continue
                raise Ask("value", f"value:{item.word}", options[:_LISTED], {"word": item.word}, max(0, len(options) - _LISTED))
        if not self.slots.metrics and not self.slots.rows:
            raise self.which_metric(self.plausible(), "")
        if not self.slots.object:
            first = self.world.layer.metrics[self.slots.metrics[0]].object
            self.slots = replace(self.slots, object=first)

    def settled(self, word: str, span: tuple[int, int]) -> bool:
        """Whether a chosen edit already answers an ambiguity."""
        return any(edit.span == span for edit in self.chosen)

    def visible(self, options: tuple[Option, ...]) -> tuple[Option, ...]:
        """The candidates that occur in rows the user may see, where that can be told."""
        return options

    def which_metric(self, names: tuple[str, ...], subject: str) -> Ask:
        lang = self.reading.lang
        options = tuple(
            Option(name, self.world.field_label(name, lang), (Edit("metrics", "set", (name,)),), self.world.layer.metrics[name].description.in_(lang))
            for name in names
        )
        return Ask("metric", subject, options[:_LISTED], {}, max(0, len(options) - _LISTED))

    def plausible(self) -> tuple[str, ...]:
        """Metrics that the named values and dimensions could be asked of."""
        fields = {item.field for item in self.slots.filters} | set(self.slots.dimensions)
        found: list[str] = []
        for item in self.world.layer.objects.values():
            if self.slots.object and item.id != self.slots.object:
                continue
            if fields <= {*item.dimensions, *item.attributes}:
                shown = [name for name in item.metrics if not self.world.layer.metrics[name].hidden]
                found += shown if self.slots.object or len(fields) > 1 else shown[:2]
        if not found:
            raise Refuse("nothing-fits", {})
        return tuple(found)

    def places(self) -> None:
        """A value that several parents have is asked about; one parent is taken (RULES.md §6)."""
        for item in self.slots.filters:
            if not isinstance(item.test, Among) or item.test.negated or item.field not in self.world.layer.dimensions:
                continue
            for parent in self.world.layer.path(item.field)[:-1]:
                self.parent(item, parent)
            found = hierarchy.levels_of(self.world, item.field)
            if found is not None and not hierarchy.candidates(self.world, self.slots, item.field, item.field, self.policy):
                if self.world.values.places(found[0]):
                    raise Refuse("unknown-value", {"value": self.value_label(item), "field": self.world.field_label(item.field, self.reading.lang)})

    def parent(self, item: Filter, parent: str) -> None:
        if hierarchy.positive(self.slots, parent) is not None or parent in self.slots.dimensions:
            return
        if any(isinstance(other.test, Members) and parent in other.test.fields for other in self.slots.filters):
            return
        found = hierarchy.candidates(self.world, self.slots, item.field, parent, self.policy)
        if len(found) == 1:
            self.slots = self.slots.with_filter(Filter(parent, Among(found)))
            self.said.append((f"filters.{parent}", Edit("filters", "set", Filter(parent, Among(found)), (0, 0), 1.0, "only")))
        elif len(found) > 1:
            options = tuple(
                Option(value, self.world.label(parent, value, self.reading.lang), (Edit("filters", "set", Filter(parent, Among((value,)))),))
                for value in found
            )
            raise Ask(
                "value", f"parent:{item.field}", options[:_LISTED],
                {"word": self.value_label(item), "parent": self.world.field_label(parent, self.reading.lang)},
                max(0, len(options) - _LISTED),
            )

    # -- defaults ----------------------------------------------------------------------------

    def defaults(self) -> None:
        if self.slots.limit is not None and not self.slots.dimensions and not self.slots.grain and not self.slots.rows:
            raise self.which_dimension()
        self.trend()
        if self.slots.time is None:
            self.default_time()
        self.check_time()

    def which_dimension(self) -> Ask:
        found = self.object
        assert found is not None
        options = tuple(
            Option(name, self.world.field_label(name, self.reading.lang), (Edit("dimensions", "set", (name,)),))
            for name in found.dimensions
        )
        return Ask("dimension", "limit", options[:_LISTED], {}, max(0, len(options) - _LISTED))

    def trend(self) -> None:
        """走势 without a span: twelve buckets by month, the running one among them."""
        if "trend" not in self.reading.cues:
            return
        said = any(edit.slot == "time" for edit in self.reading.edits)
        time = self.slots.time
        if said and time is not None:
            start, end = time.ranges[0].start, time.ranges[0].end
            if start is not None and end is not None and (end - start).days <= 31:
                self.slots = replace(self.slots, grain="day")
            return
        if time is not None and time.kind != "newest" and time.words:
            start, end = time.ranges[0].start, time.ranges[0].end
            if start is None or end is None or (end - start).days > 62:
                return
        this = bucket(self.clock.date(), "month", self.world.calendar)
        span = Range(add(this, -11, "month"), add(this, 1, "month"))
        role = time.role if time is not None else None
        self.slots = replace(self.slots, time=TimeSlot("", (span,), "rolling", "month", (12, "month"), role))
        self.assume("time", f"{span.start}..{span.end}")

    def default_time(self) -> None:
        found = self.object
        if found is None:
            return
        unasked, column = found.time.unasked, found.time.default
        for name in self.slots.metrics:
            for leaf in self.world.layer.leaves(name):
                unasked = leaf.unasked or unasked
        if unasked == "ask":
            raise Ask("time", "time", (), {})
        if column is None or unasked == "all":
            return
        today = self.clock.date()
        if unasked == "newest":
            last = self.world.extent(found, column, self.clock).last
            if last is not None:
                self.slots = replace(self.slots, time=TimeSlot("", (Range(last, add(last, 1, "day")),), "newest", "day"))
                self.assume("time", last.isoformat())
        else:
            start = date(today.year, 1, 1)
            span = Range(start, add(today, 1, "day"))
            self.slots = replace(self.slots, time=TimeSlot("", (span,), "to_date", "day"))
            self.assume("time", f"{span.start}..{today}")

    def check_time(self) -> None:
        """A period wholly in the future, or wholly before the data, is declined, not answered with 0."""
        time, found = self.slots.time, self.object
        if time is None or found is None or time.kind == "newest":
            return
        role = self.role()
        column = found.time.roles[role].column if role and role in found.time.roles else role
        if column is None:
            return
        tomorrow = add(self.clock.date(), 1, "day")
        if self.look(role) == "back" and all(item.start is not None and _day(item.start) >= tomorrow for item in time.ranges):
            raise Refuse("future", {"time": time.words})
        extent = self.world.extent(found, column, self.clock)
        first = extent.first
        if first is not None and all(item.end is not None and _day(item.end) <= first for item in time.ranges):
            raise Refuse("before-data", {"time": time.words, "first": first.isoformat()})


def _day(moment: date | datetime) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def provenance(before: State, after: Slots, filled: Filled, turn: int) -> tuple[Provenance, ...]:
    """Where each slot value of a turn came from."""
    said = dict(filled.said)
    carried = {item.key: item for item in before.provenance}
    found: list[Provenance] = []
    for key in keys(after):
        edit = said.get(key)
        if edit is not None:
            source = {"reference": "reference", "clarified": "clarified", "edited": "edited", "only": "default"}.get(edit.note, "said")
            found.append(Provenance(key, source, turn, edit.span))  # type: ignore[arg-type]
        elif key in carried and filled.switch is None:
            old = carried[key]
            found.append(Provenance(key, "default" if old.source == "default" else "carried", old.turn, old.span, old.words))
        else:
            found.append(Provenance(key, "default", turn))
    return tuple(found)


def keys(slots: Slots) -> tuple[str, ...]:
    """The slot keys that have a value."""
    found: list[str] = []
    for name in ("object", "metrics", "dimensions", "grain", "time", "comparison", "order", "limit", "rows"):
        if getattr(slots, name):
            found.append(name)
    found += [f"filters.{item.field}" for item in slots.filters]
    found += [f"having.{item.metric}" for item in slots.having]
    return tuple(found)


def value_at(slots: Slots, key: str) -> object:
    """The value of a slot key."""
    name, _, rest = key.partition(".")
    if name == "filters":
        return slots.filter(rest)
    if name == "having":
        return next((item for item in slots.having if item.metric == rest), None)
    return getattr(slots, name)


__all__ = ["Contains", "Filled", "Filling", "current_objects", "keys", "provenance", "value_at"]
