"""The reply to a pending question: a click, a number, a label or part of one, all of them, any of them.

Anything else is a new question, which drops the pending one (RULES.md §6).
"""

from __future__ import annotations

import re
from dataclasses import replace

from dialogue.pointing import LAST, pointed
from dialogue.state import Option, Pending
from dialogue.words import LANGUAGES, say
from nl2sql.edits import EVERY, Edit
from nl2sql.reading import Reading
from nl2sql.reading.wordlist import word_list
from nl2sql.slots import Among, Filter
from semantic_layer.text import fold

_POINTING = re.compile(r"(?:的那个|那个|的那家|那家|这个|的这个|那一个| one)$")
_MARKS = re.compile(r"[\s,，。.!！?？、；;：:的呢吧啊了哦]+$")


def chosen(pending: Pending, ids: tuple[str, ...]) -> tuple[Option, ...] | None:
    """The options with these ids, None when one is not among them."""
    found = [
        next((option for option in pending.options if option.id == wanted), None) for wanted in ids
    ]
    return (
        None
        if not found or None in found
        else tuple(option for option in found if option is not None)
    )


def none_of_them(text: str) -> bool:
    """Whether a reply turns down every candidate: 都不是."""
    return _among(_MARKS.sub("", fold(text)), "reply.none")


def _among(plain: str, key: str) -> bool:
    """Whether a reply is one of the words of the catalogues."""
    words = {word for lang in LANGUAGES for word in say(lang, key).split("|")}
    return plain in {_MARKS.sub("", word) for word in words}


def read(pending: Pending, text: str, reading: Reading) -> tuple[Option, ...] | None:
    """The options that a text chooses: none of them where it points beyond those listed. None when it is
    a new question."""
    plain = _MARKS.sub("", fold(text))
    if not plain:
        return None
    category = set(word_list().categories.get(plain, ()))
    if ("all_of_them" in category or _among(plain, "reply.all")) and pending.options:
        return all_of_them(pending)
    if "any_of_them" in category and pending.options:
        return pending.options[:1]
    places = pointed(plain) if pending.options else ()
    if places and not (pending.about == "time" and "号" in plain):
        return at(pending, places)
    plain = _POINTING.sub("", plain) or plain
    named = [
        option
        for option in pending.options
        if fold(option.label) == plain or option.id.lower() == plain
    ]
    if len(named) == 1:
        return tuple(named)
    if (not reading.unread or pending.about == "reference") and (
        found := by_meaning(pending, reading)
    ):
        return found
    partly = [option for option in pending.options if plain in fold(option.label)]
    return tuple(partly) if len(partly) == 1 and _only_label(reading) else None


def all_of_them(pending: Pending) -> tuple[Option, ...]:
    """All that a question lists; of what a value lies in, where there are more of them, all there are."""
    parent = of_parent(pending)
    if parent is None or len(pending.options) == pending.listed:
        return pending.options[: pending.listed]
    return (Option("all", "", (Edit("filters", "clear", parent, note=EVERY),)),)


def of_parent(pending: Pending) -> str | None:
    """The dimension of the options, where it is asked in which of its values something lies."""
    asked = pending.subject.startswith("parent:") and pending.options
    return _field(pending.options[0]) if asked else None


def at(pending: Pending, places: tuple[int, ...]) -> tuple[Option, ...]:
    """The listed options at some places; none when one is beyond them."""
    found = tuple(dict.fromkeys(pending.listed if place == LAST else place for place in places))
    beyond = any(not 0 < place <= pending.listed for place in found)
    return () if beyond else tuple(pending.options[place - 1] for place in found)


def _only_label(reading: Reading) -> bool:
    return not {edit.slot for edit in reading.edits} - {"filters"}


def by_meaning(pending: Pending, reading: Reading) -> tuple[Option, ...] | None:
    """A turn that says just the pending slot: its meaning is the reply."""
    edits = [
        edit
        for edit in reading.edits
        if not (edit.slot == "order" and edit.note in ("rank", "judged"))
    ]
    if (
        not edits
        or reading.references
        or reading.cues & {"switch", "add"}
        or ("correct" in reading.cues and pending.about not in ("value", "dimension"))
        or reading.ambiguities
    ):
        return None
    slots = {edit.slot for edit in edits}
    if (
        pending.about == "metric"
        and slots == {"metrics"}
        and all(edit.op == "set" for edit in edits)
    ):
        names = [name for edit in edits if isinstance(edit.value, tuple) for name in edit.value]
        known = [option for option in pending.options if option.id in names]
        if len(known) == len(names):
            return tuple(known)
        return (Option("said", "", tuple(edits)),) if not pending.subject else None
    if pending.about == "time" and slots <= {"time", "role"} and "time" in slots:
        return (Option("said", "", tuple(edits)),)
    if pending.about == "reference" and slots == {"filters"}:
        return (Option("said", "", tuple(edits)),)
    if pending.about == "dimension" and slots == {"dimensions"}:
        return (Option("said", "", tuple(edits)),)
    if pending.about == "value" and slots == {"dimensions"} and len(edits) == 1:
        if edits[0].note != "bare" and edits[0].value == (of_parent(pending),):
            return (Option("said", "", tuple(edits)),)  # 各楼栋: a row each
        of = [option for option in pending.options if (_field(option),) == edits[0].value]
        return tuple(of) if len(of) == 1 and edits[0].note == "bare" else None
    if pending.about == "value" and slots == {"filters"}:
        return of_values(pending, edits)
    return None


def of_values(pending: Pending, edits: list[Edit]) -> tuple[Option, ...] | None:
    """Which values are meant: one of the options, several, all of them (所有园区), or another of their kind."""
    values = (edit.value for option in pending.options for edit in option.edits)
    fields = {value.field for value in values if isinstance(value, Filter)}
    if {edit.op for edit in edits} == {"clear"}:
        same = {str(edit.value) for edit in edits} == fields
        return all_of_them(pending) if same else None
    if len(edits) != 1:
        return None
    wanted = [item for item in (edits[0].value, *edits[0].others) if isinstance(item, Filter)]
    found = [option for option in pending.options if any(_same(item, option) for item in wanted)]
    if len(found) == 1:
        return tuple(found)
    for item in wanted:
        several = [option for option in pending.options if _within(option, item)]
        if several and isinstance(item.test, Among) and len(several) == len(item.test.values):
            return tuple(several)
    if edits[0].op != "set" or edits[0].others or not {item.field for item in wanted} <= fields:
        return None
    if len(fields) == 1:
        return (Option("said", "", tuple(edits)),)
    span = (
        pending.options[0].edits[0].span
    )  # 5层, where 3楼 is a building or a floor: instead of it
    return (Option("said", "", (replace(edits[0], span=span),)),)


def _same(item: Filter, option: Option) -> bool:
    return any(isinstance(edit.value, Filter) and edit.value == item for edit in option.edits)


def _field(option: Option) -> str | None:
    """The dimension that an option's value is one of."""
    fields = {edit.value.field for edit in option.edits if isinstance(edit.value, Filter)}
    return fields.pop() if len(fields) == 1 else None


def _within(option: Option, item: Filter) -> bool:
    return any(
        isinstance(edit.value, Filter)
        and edit.value.field == item.field
        and isinstance(edit.value.test, Among)
        and isinstance(item.test, Among)
        and set(edit.value.test.values) <= set(item.test.values)
        for edit in option.edits
    )


def together(options: tuple[Option, ...]) -> bool:
    """Whether some of the options can be taken together: metrics, or values of one dimension."""
    edits = [edit for option in options for edit in option.edits]
    if len(options) < 2 or not edits:
        return False
    if {edit.slot for edit in edits} == {"metrics"}:
        return True
    tests = [edit.value for edit in edits if isinstance(edit.value, Filter)]
    same = len(tests) == len(edits) == len(options) and len({item.field for item in tests}) == 1
    return same and all(isinstance(item.test, Among) and not item.test.negated for item in tests)


def searched(pending: Pending, text: str, most: int) -> tuple[tuple[Option, ...], bool]:
    """The options whose label holds a text, listed before or not, and whether there are more."""
    part = fold(text).strip()
    found = tuple(option for option in pending.options if part in fold(option.label))
    return found[:most], len(found) > most


def edits_of(options: tuple[Option, ...]) -> tuple[Edit, ...]:
    """The edits of the chosen options together: several metrics side by side, several values in one filter."""
    if len(options) == 1:
        return tuple(replace(edit, note=edit.note or "clarified") for edit in options[0].edits)
    metrics = [
        name
        for option in options
        for edit in option.edits
        if edit.slot == "metrics" and isinstance(edit.value, tuple)
        for name in edit.value
    ]
    if metrics:
        return (Edit("metrics", "set", tuple(dict.fromkeys(metrics)), note="clarified"),)
    merged: dict[str, list[str]] = {}
    for option in options:
        for edit in option.edits:
            if isinstance(edit.value, Filter) and isinstance(edit.value.test, Among):
                merged.setdefault(edit.value.field, []).extend(edit.value.test.values)
    if merged:
        return tuple(
            Edit(
                "filters",
                "set",
                Filter(name, Among(tuple(dict.fromkeys(values)))),
                note="clarified",
            )
            for name, values in merged.items()
        )
    return tuple(edit for option in options for edit in option.edits)
