"""First questions to ask of any layer, made of its own labels and of periods that have data.

Each is read back before it is offered: it must come to just the slots that it is meant for, and compile under
the caller's policy.
"""

from __future__ import annotations

from calendar import month_name
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial

from dialogue import answer
from dialogue.errors import Ask, Refuse
from dialogue.hearing import hear, questions
from dialogue.scene import Moment, Scene
from dialogue.settling import settle
from dialogue.state import EMPTY
from dialogue.turn import Request
from dialogue.words import say
from dialogue.world import World
from nl2sql.definition import own_condition
from nl2sql.errors import GuardError, QuestionError, ReadBackError, WarehouseError
from nl2sql.slots import Among, Comparison, Limit, Slots, TimeSlot
from nl2sql.times import Range, UnknownTimeError, add
from semantic_layer.model import Metric, Object
from semantic_layer.protocols import User

MOST = 6
RANKS = 5
LATE = timedelta(days=62)  # rows that ended so long before the newest ones are old
LOOKED = 20_000  # stored values that are looked at for how many there are
_KEPT = 500  # lists of openers that a world remembers


@dataclass(frozen=True, slots=True)
class Opener:
    """A text, and what it must be read as: slots, or the metric that it asks the meaning of."""

    text: str
    slots: Slots | None = None
    defines: str = ""


def openers(world: World, user: User, clock: datetime, lang: str) -> tuple[str, ...]:
    """Up to six questions that this user would get an answer to: a number, a split, ranks, months, a year
    before, a definition or a list, each of another object as far as there are. The same every time, and
    kept for the day; none where the warehouse cannot be asked."""
    key = (world.policy(user), clock.date(), lang)
    if key not in world.openers:
        if len(world.openers) >= _KEPT:
            world.openers.clear()
        try:
            world.openers[key] = tuple(_chosen(world.watched(), user, clock, lang))
        except WarehouseError:
            return ()
    return world.openers[key]


def _chosen(world: World, user: User, clock: datetime, lang: str) -> Iterator[str]:
    made = _Making(world, user, clock, lang, world.values.base.sizes(LOOKED))
    left, count = made.objects(), 0
    for kind in made.kinds:
        for found in left:
            text = next((item.text for item in kind(found) if made.reads(item)), None)
            if text is not None:
                yield text
                count += 1
                left = [*(item for item in left if item is not found), found]
                break
        if count == MOST:
            return


@dataclass(frozen=True, slots=True)
class _Making:
    """What questions are made of, for one user on one day."""

    world: World
    user: User
    clock: datetime
    lang: str
    sizes: Counter[str]

    @property
    def kinds(self) -> tuple[Callable[[Object], Iterator[Opener]], ...]:
        """The kinds of questions, those to be shown first."""
        first = (self.number, self.split, self.ranked, self.monthly, self.compared)
        return (*first, self.defined, self.listed)

    def objects(self) -> list[Object]:
        """The objects that the user may ask about, those with most metrics first."""
        layer, policy = self.world.layer, self.world.policy(self.user)
        seen = [
            found
            for found in layer.objects.values()
            if all(item.field in found.dimensions for item in policy)
        ]
        return sorted(seen, key=lambda found: -len(self.metrics(found)))

    def metrics(self, found: Object) -> list[Metric]:
        """Metrics, those that people would look at first: described, sums of money, sums, counts."""
        layer = self.world.layer
        known = [layer.metrics[name] for name in found.metrics if not layer.metrics[name].hidden]
        return sorted(
            known,
            key=lambda metric: (
                not metric.description.in_("zh"),
                not metric.additive or metric.window is not None,
                metric.unit != layer.currency,
                metric.kind != "sum",
                not metric.default,
            ),
        )

    def dimensions(self, found: Object, metric: Metric) -> Iterator[str]:
        """Dimensions that leave something to tell apart: that neither definition nor policy pins."""
        pinned = {item.field for item in own_condition(self.world.layer, metric.id)}
        for item in self.world.policy(self.user):
            if isinstance(item.test, Among) and len(item.test.values) < 2:
                pinned |= set(self.world.layer.path(item.field))
        return (name for name in found.dimensions if name not in pinned)

    def few(self, name: str) -> bool:
        """Whether a dimension has few values by the way it is declared: listed, named, or with others within."""
        dimensions = self.world.layer.dimensions
        found = dimensions[name]
        if found.within:
            return False
        inner = any(other.within == name for other in dimensions.values())
        return len(found.enum or ()) > 1 or bool(found.aliases) or inner

    def many(self, found: Object, metric: Metric) -> list[str]:
        """Dimensions with names worth ranking, those with most values first; not those being counted."""
        layer, sizes = self.world.layer, self.sizes
        counted = metric.expr.text if metric.kind == "count_distinct" and metric.expr else ""
        names = [
            name
            for name in self.dimensions(found, metric)
            if sizes[name] > RANKS and layer.dimensions[name].column != counted
        ]
        return sorted(names, key=lambda name: -sizes[name])

    def month(self, found: Object) -> tuple[str, TimeSlot] | None:
        """The last whole month that has rows, in words and as the slot."""
        known = self._current(found)
        if known is None:
            return None
        first, last = known
        start = add(self.clock.date().replace(day=1), -1, "month")
        while start >= first.replace(day=1) and last < start:
            start = add(start, -1, "month")
        if start < first:
            return None
        words = say(self.lang, "opener.last-month")
        if start != add(self.clock.date().replace(day=1), -1, "month"):
            month = month_name[start.month] if self.lang == "en" else start.month
            words = say(self.lang, "opener.month", year=start.year, month=month)
        return words, _period(words, start, add(start, 1, "month"))

    def year(self, found: Object) -> tuple[str, TimeSlot] | None:
        """The year of the last rows, or the one before where it has only begun."""
        known = self._current(found)
        if known is None:
            return None
        first, last = known
        year = last.year if last.month > 3 else last.year - 1
        if date(year, 9, 1) < first:
            return None
        key = "opener.this-year" if year == self.clock.year else "opener.year"
        words = say(self.lang, key, year=year)
        return words, _period(words, date(year, 1, 1), date(year + 1, 1, 1))

    def _current(self, found: Object) -> tuple[date, date] | None:
        """From when to when an object has rows, unless they ended long before those of the others."""
        known = self._extent(found)
        others = (self._extent(other) for other in self.world.layer.objects.values())
        newest = max((other[1] for other in others if other), default=None)
        if known is None or newest is None or newest - known[1] > LATE:
            return None
        return known

    def _extent(self, found: Object) -> tuple[date, date] | None:
        if found.time.default is None:
            return None
        role = found.time.roles[found.time.default]
        known = self.world.extent(found, role.column, self.clock)
        if known.first is None or known.last is None:
            return None
        return known.first, min(known.last, self.clock.date())

    def number(self, found: Object) -> Iterator[Opener]:
        """One number of the last month."""
        for metric in self.metrics(found):
            yield from self._dated(found, metric, "number", Slots(metrics=(metric.id,)))

    def split(self, found: Object) -> Iterator[Opener]:
        """A number for each of a few; of snapshots, the newest one."""
        for metric in self.metrics(found):
            for name in self.dimensions(found, metric):
                if self.few(name):
                    slots = Slots(metrics=(metric.id,), dimensions=(name,))
                    yield from self._dated(found, metric, "split", slots)

    def ranked(self, found: Object) -> Iterator[Opener]:
        """The first five of many."""
        for metric in self.metrics(found):
            for name in self.many(found, metric):
                slots = Slots(metrics=(metric.id,), dimensions=(name,), limit=Limit(RANKS))
                yield from self._dated(found, metric, "ranked", slots)

    def monthly(self, found: Object) -> Iterator[Opener]:
        """A year, month by month."""
        year = None if found.time.snapshot else self.year(found)
        if year is None:
            return
        words, time = year
        for metric in self.metrics(found):
            slots = Slots(metrics=(metric.id,), grain="month", time=time)
            yield Opener(self._say("monthly", metric, time=words), slots)

    def compared(self, found: Object) -> Iterator[Opener]:
        """The last month beside that of the year before."""
        known, month = self._current(found), self.month(found)
        start = month[1].ranges[0].start if month else None
        if known is None or start is None or add(start, -1, "year") < known[0]:
            return
        for metric in self.metrics(found):
            slots = Slots(metrics=(metric.id,), comparison=Comparison("yoy"))
            yield from self._dated(found, metric, "compared", slots)

    def defined(self, found: Object) -> Iterator[Opener]:
        """What a rate means."""
        for metric in self.metrics(found):
            if metric.kind == "formula" and metric.percent and metric.description.in_("zh"):
                label = self.world.field_label(metric.id, self.lang)
                text = say(self.lang, "face.explain-metric", metric=label)
                yield Opener(_upper(text), defines=metric.id)

    def listed(self, found: Object) -> Iterator[Opener]:
        """The rows of the last month."""
        month = None if found.time.snapshot else self.month(found)
        if month is not None and found.listed:
            label = self.world.field_label(found.id, self.lang)
            text = say(self.lang, "opener.listed", object=label, time=month[0])
            yield Opener(_upper(text), Slots(object=found.id, rows=True, time=month[1]))

    def _dated(self, found: Object, metric: Metric, kind: str, slots: Slots) -> Iterator[Opener]:
        """A question of the last month, of snapshots of the newest."""
        name = slots.dimensions[0] if slots.dimensions else ""
        if found.time.default is None or (found.time.snapshot and self._extent(found)):
            if slots.comparison is None:
                yield Opener(self._say(kind, metric, name), slots)
        elif not found.time.snapshot and (month := self.month(found)) is not None:
            text = self._say(kind, metric, name, time=month[0])
            yield Opener(text, replace(slots, time=month[1]))

    def _say(self, kind: str, metric: Metric, dimension: str = "", time: str = "") -> str:
        label = partial(self.world.field_label, lang=self.lang)
        shown = label(dimension) if dimension else ""
        if dimension and self.lang == "en" and kind == "ranked":  # top 5 tenants
            known = self.world.layer.dimensions[dimension].words.en
            shown = next((word for word in known if word in (shown + "s", shown + "es")), shown)
        text = say(self.lang, f"opener.{kind}", metric=label(metric.id), dimension=shown, time=time)
        return _upper(" ".join(text.split()))

    def reads(self, opener: Opener) -> bool:
        """Whether a text, asked first in a session, comes to what it is meant for."""
        moment = Moment(self.clock, self.clock)
        scene = Scene(self.world, EMPTY, Request(opener.text), self.user, moment)
        if len(questions(scene)) != 1:
            return False
        meant = hear(scene)
        reading = meant.reading
        if reading.unread or reading.taken or reading.ambiguities or reading.references:
            return False
        if opener.slots is None:
            return reading.intent == "explain_metric" and reading.mentioned == (opener.defines,)
        if reading.intent != "query":
            return False
        try:
            slots = settle(scene, meant)[0].slots
            answer.prepare(self.world, slots, self.clock, scene.policy)
        except (Ask, Refuse, QuestionError, UnknownTimeError, ReadBackError, GuardError):
            return False
        return self._same(slots, opener.slots)

    def _same(self, got: Slots, wanted: Slots) -> bool:
        """Whether slots are the wanted ones; what a dimension lies within may stand beside it."""
        above = {name for item in wanted.dimensions for name in self.world.layer.path(item)}
        if not set(wanted.dimensions) <= set(got.dimensions) <= above | set(wanted.dimensions):
            return False
        if wanted.time and (got.time is None or got.time.ranges != wanted.time.ranges):
            return False
        if (got.limit and got.limit.last) != (wanted.limit and wanted.limit.last):
            return False
        plain = not (got.filters or got.having or got.beside or got.counted)
        alike = all(
            getattr(got, name) == getattr(wanted, name)
            for name in ("metrics", "grain", "comparison", "rows")
        )
        return plain and alike and wanted.object in (None, got.object)


def _period(words: str, start: date, end: date) -> TimeSlot:
    return TimeSlot(words, (Range(start, end),), "period")


def _upper(text: str) -> str:
    """With a capital first letter, which reading does not mind."""
    return text[:1].upper() + text[1:]
