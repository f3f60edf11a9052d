"""The turn: one function of (world, state, request, user, moment). It reads like "The life of a turn" in DESIGN.md."""

from __future__ import annotations

import time
from dataclasses import replace

from dialogue import answer, outcomes
from dialogue.errors import Ask, Refuse
from dialogue.explain import talk
from dialogue.filling import Filled
from dialogue.hearing import hear, questions, too_much
from dialogue.scene import Heard, Moment, Scene, Taken
from dialogue.settling import moves, settle
from dialogue.state import State
from dialogue.turn import Request
from dialogue.world import World
from nl2sql.errors import GuardError, QuestionError, ReadBackError, WarehouseError
from nl2sql.times import UnknownTimeError
from semantic_layer.protocols import User

__all__ = ["Moment", "Taken", "take"]


def take(world: World, state: State, request: Request, user: User, moment: Moment) -> Taken:
    """Take one turn. Never raises for what a user can send: every outcome is a `Turn`."""
    scene = Scene(world, state, request, user, moment)
    start = time.perf_counter()
    asked = questions(scene)
    stop = too_much(scene, asked)
    if stop is None and len(asked) > 1:
        return several(scene, asked)
    heard = hear(scene) if stop is None else stop
    spent = (time.perf_counter() - start) * 1000
    taken = decide(scene, heard)
    timings = replace(taken.turn.timings_ms, reading=spent)
    return Taken(replace(taken.turn, timings_ms=timings), taken.state)


def several(scene: Scene, asked: tuple[str, ...]) -> Taken:
    """Questions of one message, one after the other."""
    state, parts = scene.state, []
    for question in asked:
        parts.append(take(scene.world, state, Request(question), scene.user, scene.moment))
        state = parts[-1].state
    return outcomes.together(scene, tuple(parts))


def decide(scene: Scene, heard: Heard) -> Taken:
    """Answer what was heard, or ask, explain, decline."""
    words = talk(scene, heard.reading)
    if words is not None:
        return outcomes.told(scene, heard, words)
    if lets_go(scene, heard):
        return outcomes.new_topic(scene, heard)
    try:
        if heard.reading.intent == "undo":
            filled = before(scene)
            if filled is None:
                return outcomes.back_to_nothing(scene, heard)
        else:
            filled, heard = settle(scene, heard)
        prepared = answer.prepare(scene.world, filled.slots, scene.clock, scene.policy)
        rows = answer.run(scene.world, prepared, heard.reading.lang)
        return outcomes.answered(scene, heard, filled, rows)
    except Ask as ask:
        return outcomes.asked(scene, heard, ask)
    except Refuse as refuse:
        return outcomes.refused(scene, heard, refuse)
    except QuestionError as error:
        return outcomes.uncompiled(scene, heard, error)
    except UnknownTimeError:
        words_said = "、".join(edit.words for edit in heard.reading.edits if edit.slot == "time")
        return outcomes.refused(scene, heard, Refuse("time-unknown", {"time": words_said}))
    except (ReadBackError, GuardError, WarehouseError) as error:
        return outcomes.failed(scene, heard, error)


def before(scene: Scene) -> Filled | None:
    """Undo: the slots before the last turn that changed them; None where there were none."""
    if not scene.state.past:
        raise Refuse("nothing-to-undo")
    slots = scene.state.past[-1].slots
    return None if slots is None else Filled(slots, None, (), ())


def lets_go(scene: Scene, heard: Heard) -> bool:
    """Whether a turn is a switch word alone."""
    reading = heard.reading
    says = reading.edits or reading.references or reading.ambiguities or reading.unread
    alone = not says and not heard.chosen and heard.stop is None
    return "switch" in reading.cues and alone and not moves(scene, reading)
