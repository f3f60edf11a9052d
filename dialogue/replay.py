"""Replay: a recorded turn taken again, and the causes of whatever is not as it was.

A cause is named because varying it alone changes something, not because a version or a hash is another:

- reader, compiler: today's software, with all else as it was (the layer by its text, clock, stored values);
- data, engine: the recorded statement, run today;
- values: today's stored values in the place of those that the turn was bound to;
- definition, policy: today's layer without, or with nothing but, its policies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from dialogue import answer, codec, differences, heard
from dialogue.differences import Difference, ReadTable
from dialogue.engine import Moment, take
from dialogue.record import Asker, Record, Step, origin, steps
from dialogue.session import failed
from dialogue.state import State
from dialogue.turn import Request
from dialogue.world import World, statements
from nl2sql.errors import WarehouseError
from nl2sql.reading import RuleReader
from nl2sql.remembering import Remembering
from nl2sql.slots import Slots
from semantic_layer.errors import LayerError
from semantic_layer.load import restore
from semantic_layer.model import Layer
from semantic_layer.protocols import Rows, Warehouse
from semantic_layer.values import build_index

Cause: TypeAlias = Literal[
    "definition", "data", "values", "policy", "engine", "reader", "compiler", "erased"
]
Versions: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause, and how it shows."""

    cause: Cause
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """Something that is another than it was, whether or not it changed this turn."""

    name: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a recorded turn: the same, or the causes of what is not."""

    turn_id: str
    session_id: str
    seq: int
    question: str
    findings: tuple[Finding, ...] = ()
    changed: tuple[Changed, ...] = ()

    @property
    def same(self) -> bool:
        """Whether everything comes out as it was."""
        return not self.findings

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The causes, each once."""
        return tuple(dict.fromkeys(item.cause for item in self.findings))

    @property
    def same_statement(self) -> bool:
        """Whether today's software comes to the same slots and SQL, byte for byte."""
        return not {"reader", "compiler", "erased"} & {*self.causes}


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole record, with nothing erased that taking it again needs."""

    request: Request
    asker: Asker
    before: State
    steps: tuple[Step, ...]
    moment: Moment
    tables: tuple[bytes, ...]


def plainly(error: Exception) -> str:
    """What was raised, as it says itself."""
    return str(error)


@dataclass
class Replayer:
    """Takes recorded turns again, in today's world. `text` gives a layer's text by its hash, `words` those of what
    was raised: for whoever may read them."""

    world: World
    versions: Versions
    text: Callable[[str], str | None]
    read_table: ReadTable
    words: Callable[[Exception], str] = plainly
    warehouse: Warehouse = field(init=False)
    _worlds: dict[str, World] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.warehouse = Remembering(self.world.warehouse)
        self.world = replace(
            self.world, warehouse=self.warehouse, _extents={}, compiled=statements()
        )
        self._worlds[self.world.layer.hash] = self.world

    def verdict(self, record: Record) -> Verdict:
        """The verdict on a turn that has an outcome."""
        question = record.request.question if record.request is not None else ""
        verdict = Verdict(
            record.turn_id, record.session_id, record.seq, question, (), self._changed(record)
        )
        was = whole(record)
        if was is None:
            return replace(verdict, findings=(_erased(record.erased),))
        try:
            then = self._under(record.origin.semantic_hash)
        except LayerError as error:
            digest = record.origin.semantic_hash
            refused = Difference("layer", digest, "today's format refuses it", (self.words(error),))
            return replace(verdict, findings=(Finding("reader", (refused,)),))
        if then is None:
            return replace(verdict, findings=(_erased(("layer",)),))
        return replace(verdict, findings=self._findings(was, then, record))

    def _findings(self, was: Whole, then: World, record: Record) -> tuple[Finding, ...]:
        found = list(self._rows(was, record))
        bound = [step.heard for step in was.steps if step.heard is not None]
        values = heard.pinned(bound)
        spans = heard.extents(bound)
        pinned = World(then.layer, then.reader.over(values), values, self.warehouse, spans)
        pinned.known_sole.update(heard.soles(then.layer, bound))
        base = taken(pinned, was)
        moved = bool(found) and len(was.steps) > 1  # what came after other rows is not the reader's
        found += _found("reader", () if moved else _read(was.steps, base))
        found += _found("compiler", self._compiled(pinned, was, base))
        found += _found("values", differences.told(base, taken(then, was)))
        if then is not self.world:
            soles = heard.soles(self.world.layer, bound)
            found += self._by_layer(was, then, pinned, soles, base, found)
        return tuple(found)

    def _rows(self, was: Whole, record: Record) -> list[Finding]:
        """The recorded statements, run today."""
        shown: list[Difference] = []
        kept = iter(was.tables)
        for step in was.steps:
            if step.outcome != "answer":
                continue
            table = next(kept, None)
            try:
                rows = self.warehouse.run(step.sql)
            except WarehouseError as error:
                failing = f"the statement fails: {self.words(error)}"
                shown.append(Difference("rows", f"{step.rows} rows", failing))
                continue
            if answer.digest(rows.rows) != step.digest:
                shown.append(
                    differences.rows(step, self.read_table(table) if table else None, rows)
                )
        if not shown:
            return []
        other_data = record.origin.data_version != self.warehouse.data_version
        other_engine = record.origin.engine != self.warehouse.engine
        causes: list[Cause] = ["data"] if other_data else []
        if (
            other_engine or not other_data
        ):  # the same data, another engine or the same: it is the engine
            causes.append("engine")
        return [Finding(cause, tuple(shown)) for cause in causes]

    def _compiled(
        self, pinned: World, was: Whole, base: tuple[Step, ...]
    ) -> tuple[Difference, ...]:
        """The recorded slots, compiled by today's compiler under the layer and the policies of then."""
        found: list[Difference] = []
        policy = pinned.policy(was.asker.user) if was.asker.policy is None else was.asker.policy
        for index, step in enumerate(was.steps):
            if not step.sql:
                continue
            if not step.slots:  # an explanation shows the statement of the state's slots
                again = base[index].sql if index < len(base) else ""
            else:
                slots = codec.loads(step.slots, Slots)
                try:
                    again = answer.prepare(pinned, slots, was.moment.clock, policy).sql
                except Exception as error:  # whatever it raises, it is not what it gave then
                    again = f"{type(error).__name__}: {self.words(error)}"
            if again != step.sql:
                found.append(differences.sql(step.sql, again))
        return tuple(found)

    def _by_layer(
        self,
        was: Whole,
        then: World,
        pinned: World,
        soles: dict[tuple[str, str], bool],
        base: tuple[Step, ...],
        found: Sequence[Finding],
    ) -> list[Finding]:
        """Today's layer: what its definitions change alone, what its policies change alone."""
        now = self.world
        defined = replace(
            pinned,
            layer=replace(now.layer, policies=then.layer.policies),
            reader=now.reader.over(pinned.values),
            known_sole=soles,
        )
        ruled = replace(pinned, layer=replace(then.layer, policies=now.layer.policies))
        by_definition, by_policy = taken(defined, was), taken(ruled, was)
        causes = _found("definition", self._effects(base, by_definition))
        if then.layer.policies != now.layer.policies:
            causes += _found("policy", self._effects(base, by_policy))
        if not causes and not any(item.cause == "values" for item in found):
            both = taken(now, was)  # only with today's values: the definition's doing all the same
            causes = _found("definition", self._effects(base, both))
        return causes

    def _effects(self, base: tuple[Step, ...], now: tuple[Step, ...]) -> tuple[Difference, ...]:
        """How a layer shows: in slots, SQL and words, and then in numbers."""
        found = list(differences.told(base, now))
        for was, is_now in zip(base, now, strict=False):
            if found and was.sql and is_now.sql and was.digest != is_now.digest:
                found.append(
                    differences.rows(
                        was, self.warehouse.run(was.sql), self.warehouse.run(is_now.sql)
                    )
                )
        return tuple(found)

    def _under(self, digest: str) -> World | None:
        """Today's data and values under the layer of a hash; None where its text is not there.

        Raises `LayerError` where today's format refuses it.
        """
        if digest not in self._worlds:
            text = self.text(digest)
            if text is None:
                return None
            self._worlds[digest] = over(restore(text), self.warehouse)
        return self._worlds[digest]

    def _changed(self, record: Record) -> tuple[Changed, ...]:
        was = record.origin
        now = origin(self.world, Moment(was.clock, was.now), self.versions)
        pairs = [
            ("definition", was.semantic_hash, now.semantic_hash),
            ("data", was.data_version, now.data_version),
            ("engine", was.engine, now.engine),
        ]
        before, after = dict(was.versions), dict(now.versions)
        pairs += [
            (name, before.get(name, "–"), after.get(name, "–"))
            for name in dict.fromkeys((*before, *after))
        ]
        return tuple(Changed(*pair) for pair in pairs if pair[1] != pair[2])


def over(layer: Layer, warehouse: Warehouse) -> World:
    """A layer over a warehouse, ready to be asked."""
    values = build_index(layer, warehouse)
    return World(layer, RuleReader(layer, values), values, warehouse)


def taken(world: World, was: Whole) -> tuple[Step, ...]:
    """A turn in some world; what it raises is how it ends, as in a session."""
    try:
        return steps(take(world, was.before, was.request, was.asker.user, was.moment).turn)
    except Exception as error:
        return steps(failed(world, was.before, was.request, was.moment, error).turn)


def whole(record: Record) -> Whole | None:
    """What taking a turn again needs; None where some of it was erased."""
    request, asker, before, found = record.request, record.asker, record.before, record.steps
    if request is None or asker is None or before is None or found is None:
        return None
    moment = Moment(record.origin.clock, record.origin.now)
    kept = sum(step.outcome == "answer" for step in found) == len(record.tables)
    return Whole(request, asker, before, found, moment, record.tables if kept else ())


def _read(then: tuple[Step, ...], now: tuple[Step, ...]) -> tuple[Difference, ...]:
    """What was read otherwise: the statement of the same slots is the compiler's."""
    return tuple(
        item
        for item in differences.told(then, now)
        if item.what != "sql" or [step.slots for step in then] != [step.slots for step in now]
    )


def _found(cause: Cause, shown: Sequence[Difference]) -> list[Finding]:
    return [Finding(cause, tuple(shown))] if shown else []


def _erased(parts: tuple[str, ...]) -> Finding:
    return Finding("erased", tuple(Difference(part, "recorded", "erased") for part in parts))


__all__ = ["Cause", "Changed", "Difference", "Finding", "Replayer", "Rows", "Verdict"]
