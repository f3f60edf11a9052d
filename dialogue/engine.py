"""The turn: one function of (world, state, request, user, moment). It reads like "The life of a turn" in DESIGN.md."""

from __future__ import annotations

import time
from dataclasses import replace

from dialogue import answer, outcomes
from dialogue.errors import Ask, Refuse
from dialogue.explain import talk
from dialogue.filling import Filled
from dialogue.hearing import hear, questions, too_much
from dialogue.scene import Meant, Moment, Scene, Taken, Watch, unwatched
from dialogue.settling import moves, settle
from dialogue.state import State
from dialogue.turn import Request
from dialogue.world import World
from nl2sql.errors import GuardError, QuestionError, ReadBackError, WarehouseError
from nl2sql.times import UnknownTimeError
from semantic_layer.protocols import User

__all__ = ["Moment", "Taken", "take"]


def take(
    world: World,
    state: State,
    request: Request,
    user: User,
    moment: Moment,
    watch: Watch = unwatched,
) -> Taken:
    """Take one turn. Never raises for what a user can send: every outcome is a `Turn`.

    `watch` is told each stage as soon as it is reached, question by question.
    """
    scene = Scene(world.watched(), state, request, user, moment, watch)
    start = time.perf_counter()
    asked = questions(scene)
    stop = too_much(scene, asked)
    if stop is None and len(asked) > 1:
        return several(scene, asked)
    meant = hear(scene) if stop is None else stop
    spent = (time.perf_counter() - start) * 1000
    watch(meant.reading)
    taken = decide(scene, meant)
    timings = replace(taken.turn.timings_ms, reading=spent)
    return Taken(replace(taken.turn, timings_ms=timings), taken.state)


def several(scene: Scene, asked: tuple[str, ...]) -> Taken:
    """Questions of one message, one after the other."""
    state, parts = scene.state, []
    for question in asked:
        request = Request(question)
        parts.append(take(scene.world, state, request, scene.user, scene.moment, scene.watch))
        state = parts[-1].state
    return outcomes.together(scene, tuple(parts))


def decide(scene: Scene, meant: Meant) -> Taken:
    """Answer what was meant, or ask, explain, decline."""
    try:
        words = talk(scene, meant.reading)
        if words is not None:
            return outcomes.told(scene, meant, words)
        if lets_go(scene, meant):
            return outcomes.new_topic(scene, meant)
        if meant.reading.intent == "undo":
            filled = before(scene)
            if filled is None:
                return outcomes.back_to_nothing(scene, meant)
        else:
            filled, meant = settle(scene, meant)
        scene.watch(filled.slots)
        prepared = answer.prepare(scene.world, filled.slots, scene.clock, scene.policy)
        scene.watch(prepared.sql)
        rows = answer.run(scene.world, prepared, meant.reading.lang)
        scene.watch(rows.result)
        return outcomes.answered(scene, meant, filled, rows)
    except Ask as ask:
        return outcomes.asked(scene, meant, ask)
    except Refuse as refuse:
        return outcomes.refused(scene, meant, refuse)
    except QuestionError as error:
        return outcomes.uncompiled(scene, meant, error)
    except UnknownTimeError:
        words_said = "、".join(edit.words for edit in meant.reading.edits if edit.slot == "time")
        return outcomes.refused(scene, meant, Refuse("time-unknown", {"time": words_said}))
    except (ReadBackError, GuardError, WarehouseError) as error:
        return outcomes.failed(scene, meant, error)


def before(scene: Scene) -> Filled | None:
    """Undo: the slots before the last turn that changed them; None where there were none."""
    if not scene.state.past:
        raise Refuse("nothing-to-undo")
    slots = scene.state.past[-1].slots
    return None if slots is None else Filled(slots, None, (), ())


def lets_go(scene: Scene, meant: Meant) -> bool:
    """Whether a turn is a switch word alone."""
    reading = meant.reading
    says = reading.edits or reading.references or reading.ambiguities or reading.unread
    alone = not says and not meant.chosen and meant.stop is None
    return "switch" in reading.cues and alone and not moves(scene, reading)
