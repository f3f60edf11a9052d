"""What could be asked next: a dimension not used yet, a comparison, a trend, one of the rows.

Each is a text to say that is known to be read as what it means, of what the topic has and the user saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import islice

from dialogue.answer import Answered
from dialogue.decided import decided
from dialogue.scene import Scene
from dialogue.state import Shown
from dialogue.turn import Choice
from dialogue.words import say
from nl2sql.definition import own_condition
from nl2sql.edits import Edit
from nl2sql.reading import Reading
from nl2sql.slots import Among, Comparison, Filter, Slots

DIMENSIONS = 2
TREND_DAYS = 62


def suggestions(scene: Scene, slots: Slots, answered: Answered, lang: str) -> tuple[Choice, ...]:
    """A few next questions, each of which would be answered."""
    if slots.rows or not slots.metrics or not answered.rows:
        return ()
    found = [
        *islice(drilled(scene, slots, lang), DIMENSIONS),
        *row(scene, slots, answered.shown, lang),
        *compared(scene, slots, lang),
        *trend(scene, slots, lang),
    ]
    return tuple(found)


def drilled(scene: Scene, slots: Slots, lang: str) -> Iterator[Choice]:
    """Dimensions that all metrics have: first those within what is shown or pinned, then the others."""
    layer = scene.world.layer
    owners = {layer.metrics[name].object for name in slots.metrics}
    shared = [
        name
        for name in layer.objects[slots.object or ""].dimensions
        if all(name in layer.objects[owner].dimensions for owner in owners)
    ]
    told = {item.field for name in slots.metrics for item in own_condition(scene.world.layer, name)}
    used = {*slots.dimensions, *told}
    open_ = [name for name in shared if name not in used]
    inner = {
        name for name in open_ if (parent := layer.dimensions[name].within) and slots.fixed(parent)
    }
    for name in sorted(open_, key=lambda item: item not in inner):
        parent = layer.dimensions[name].within
        label = scene.world.field_label(name, lang)
        text = say(lang, "suggest.dimension", dimension=label)
        edit = Edit("dimensions", "set", (name,))
        fits = (parent is None or name in inner) and not decided(scene, slots, name)
        if fits and read_as(scene, text, edit):
            yield Choice(f"dimensions:{name}", text)


def row(scene: Scene, slots: Slots, shown: Shown, lang: str) -> Iterator[Choice]:
    """The first row of several, alone; a name that says which it is by itself."""
    if len(shown.fields) != 1 or len(shown.rows) < 2 or slots.share:
        return
    field, value = shown.fields[0], shown.rows[0][0]
    if value is None or slots.filter(field) is not None:
        return
    text = say(lang, "suggest.only", value=scene.world.label(field, value, lang))
    if read_as(scene, text, Edit("filters", "set", Filter(field, Among((value,)))), keep=False):
        yield Choice(f"filters:{field}", text)


def compared(scene: Scene, slots: Slots, lang: str) -> Iterator[Choice]:
    """The same period a year before, where there is one."""
    time = slots.time
    if slots.comparison is not None or time is None or slots.beside or len(time.ranges) != 1:
        return
    start, end = time.ranges[0].start, time.ranges[0].end
    windowed = any(scene.world.layer.windowed(name) for name in slots.metrics)
    if start is None or end is None or windowed or slots.limit is not None:
        return
    text = say(lang, "suggest.comparison")
    if read_as(scene, text, Edit("comparison", "set", Comparison("yoy"))):
        yield Choice("comparison:yoy", text)


def trend(scene: Scene, slots: Slots, lang: str) -> Iterator[Choice]:
    """Month by month, of a longer period."""
    time = slots.time
    if slots.grain is not None or slots.beside or time is None or len(time.ranges) != 1:
        return
    start, end = time.ranges[0].start, time.ranges[0].end
    if not isinstance(start, date) or not isinstance(end, date) or slots.limit is not None:
        return
    if (end - start).days < TREND_DAYS or slots.having or slots.comparison is not None:
        return
    text = say(lang, "suggest.trend")
    if read_as(scene, text, Edit("grain", "set", "month")):
        yield Choice("grain:month", text)


def read_as(scene: Scene, text: str, edit: Edit, *, keep: bool = True) -> bool:
    """Whether a text is read as one edit and nothing else; kept, since the layer's words stay the same."""
    known = scene.world.readable
    if text in known:
        return known[text]
    reading = scene.world.reader.read(text, scene.seen)
    fits = means(reading, edit)
    if keep:
        known[text] = fits
    return fits


def means(reading: Reading, edit: Edit) -> bool:
    """Whether a reading is one edit alone."""
    if reading.unread or reading.references or reading.ambiguities or reading.intent != "query":
        return False
    said = [(item.slot, item.op, item.value, item.others) for item in reading.edits]
    return said == [(edit.slot, edit.op, edit.value, ())]
