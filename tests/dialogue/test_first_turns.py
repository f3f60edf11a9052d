"""The bars of first turns and of paraphrases: slots exactly right in at least 97 of 100."""

from __future__ import annotations

from pathlib import Path

from dialogue.evaluation import read_set
from dialogue.evaluation.paraphrases import ask_ways, first_turn, read_paraphrases
from dialogue.evaluation.sets import instant
from dialogue.world import World

SETS = Path("fixtures/questions")
ON_PURPOSE = {
    "TM-14: 半年前到现在的工单数",
}


def test_slots_of_first_turns(world: World) -> None:
    results: dict[str, str] = {}
    for name in ("first-turns", "park-core", "park-hard"):
        questions = read_set(SETS / f"{name}.yaml")
        for dialogue in questions.dialogues:
            turns = dialogue.turns if dialogue.mode == "variants" else dialogue.turns[:1]
            for turn in turns:
                if not turn.ask or turn.slots is None or turn.parts or dialogue.user is not None:
                    continue
                clock = instant(turn.clock or dialogue.clock or questions.clock, questions.timezone)
                assert clock is not None
                results[f"{dialogue.id}: {turn.ask}"] = first_turn(
                    world, turn.ask, turn.slots, clock
                )
    wrong = {text: why for text, why in results.items() if why}
    assert len(results) >= 120
    assert len(wrong) <= 0.03 * len(results), wrong
    assert set(wrong) == ON_PURPOSE, wrong


def test_every_way_of_asking_gives_the_same_slots(world: World) -> None:
    ways = list(ask_ways(world, read_paraphrases(SETS / "paraphrases.yaml")))
    wrong = [way for way in ways if way.wrong]
    assert len({way.item for way in ways}) == 60
    assert len(ways) == 416
    assert len(wrong) <= 0.03 * len(ways), wrong
    assert wrong == []
