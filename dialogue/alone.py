"""A question taken by itself while a session cannot be recalled.

What leans on earlier turns is declined, not answered as if there had been none: a follow-up without what it
follows would give a number of something else.
"""

from __future__ import annotations

from dataclasses import replace

from dialogue.changes import NOTHING
from dialogue.engine import Moment, take
from dialogue.scene import Scene, Watch, unwatched
from dialogue.state import EMPTY
from dialogue.turn import Request, Turn
from dialogue.words import say
from dialogue.world import World
from nl2sql.reading import Reading, language
from semantic_layer.protocols import User

# outcomes that say the same whatever was said before
_WHOLE = ("explain", "chat", "decline")
# words by which a question goes on from another one
_LEANING = frozenset({"add", "besides", "only", "instead", "correct", "total", "respectively"})


def alone(
    world: World,
    request: Request,
    user: User,
    moment: Moment,
    watch: Watch = unwatched,
    first: bool = False,
) -> Turn:
    """The turn of a request whose session is not known: a whole question is answered, and says that it was
    taken by itself; anything else is declined. `first` tells that nothing was asked before."""
    lang = language(request.question) if request.question else "zh"
    seen = Scene(world, EMPTY, request, user, moment).seen
    if request.question and (first or not leans(world.reader.read(request.question, seen))):
        turn = take(world, EMPTY, request, user, moment, watch).turn
        if turn.outcome == "answer":
            return replace(turn, text=f"{say(lang, 'alone.answer')}{turn.text}")
        if turn.outcome in _WHOLE or turn.outcome == "error":
            return turn
    return Turn(
        "",
        "",
        0,
        request.question,
        "decline",
        say(lang, "decline.memory-lost"),
        lang=lang,
        reason="memory-lost",
        changes=NOTHING,
        as_of=moment.clock,
        now=moment.now,
        semantic_hash=world.layer.hash,
        data_version=world.warehouse.data_version,
    )


def leans(reading: Reading) -> bool:
    """Whether a question goes on from another one: by what it points at, by its words, or because it does
    not say what is counted, or when."""
    if reading.intent != "query":
        return reading.intent in ("undo", "why", "explain_result")
    said = {edit.slot for edit in reading.edits}
    whole = ("metrics" in said or "rows" in said) and "time" in said
    return bool(reading.references or reading.cues & _LEANING) or not whole
