"""Marked turns become a question set: filled in, it plays the conversation as it was."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from api.clock import FrozenClock
from dialogue.engine import Moment
from dialogue.evaluation import read_set
from dialogue.evaluation.run import run_set
from dialogue.feedback import Exported, Gap, Mark, give, question_set
from dialogue.ledger import Ledger, LedgerError
from dialogue.ledger.erasing import Which, erase, targets
from dialogue.session import Sessions
from dialogue.turn import Request, Turn
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.slots import Limit
from semantic_layer.protocols import LOCAL, User

NOW = datetime(2026, 11, 29, 10)
MORNING = datetime(2026, 9, 28, 9, 30)


class Desk:
    """Sessions with a ledger, in which turns are taken and marked."""

    def __init__(self, world: World, file: Path) -> None:
        numbers = count(1)
        self.ledger = Ledger.at(file, FrozenClock(NOW))
        self.sessions = Sessions(world, self.ledger, lambda: f"id-{next(numbers):02}")
        self.session = self.sessions.open()

    def take(
        self, request: str | Request, clock: datetime = datetime(2026, 9, 28), user: User = LOCAL
    ) -> Turn:
        sent = Request(request) if isinstance(request, str) else request
        return self.sessions.take(self.session, sent, user, Moment(clock, NOW))

    def mark(self, turn: Turn, thumb: str = "down", code: str = "", reason: str = "") -> None:
        give(self.ledger, turn.turn_id, Mark(thumb, code, reason), "li")  # type: ignore[arg-type]

    def export(self) -> Exported:
        return question_set(self.ledger, "marked")


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path / "ledger.sqlite")


def test_a_marked_turn_has_no_answer_until_one_is_filled_in(
    world: World, desk: Desk, tmp_path: Path
) -> None:
    first = desk.take("8月张江的收缴率")
    asked = desk.take("收费情况怎么样")
    assert asked.clarification is not None
    chosen = desk.take(Request(choose=("received_amount",)))
    desk.take(Request(undo=True))
    several = desk.take("8月电费应收多少，另外空置房源有几套？")
    late = desk.take("临港上个月的应收", MORNING)
    desk.take("它的实收")
    desk.mark(first, "up")
    desk.mark(chosen, code="wrong-metric", reason="应该是\n收缴率")
    desk.mark(late)
    found = desk.export()
    assert (found.dialogues, found.turns, found.left_out) == (1, 6, [])
    assert found.gaps == [
        Gap("id-01", 3, chosen.turn_id, "received_amount"),
        Gap("id-01", 6, late.turn_id, "临港上个月的应收"),
    ]
    file = tmp_path / "marked.yaml"
    file.write_text(found.text, "utf-8")
    with pytest.raises(ValidationError) as refused:
        read_set(file)
    gaps = [error["loc"] for error in refused.value.errors() if error["loc"][-1] == "expect"]
    assert gaps == [("dialogues", 0, "turns", 2, "expect"), ("dialogues", 0, "turns", 5, "expect")]
    for line in (
        "# 答案待补的对话共 2 处",
        "      # 第 3 轮于 2026-11-29 被 li 标为不对。\n      # 原因：wrong-metric、应该是\n      # 收缴率\n",
        f"      # 当时的回答：{late.text}\n      # 当时执行的查询：\n      # SELECT\n",
        "      - choose: received_amount\n        expect:  # 待补：这一轮应当怎样结束\n",
    ):
        assert line in found.text, line
    data = yaml.safe_load(found.text)
    assert {key: data[key] for key in ("set", "semantic_layer", "timezone")} == {
        "set": "marked",
        "semantic_layer": "park",
        "timezone": "Asia/Shanghai",
    }
    (dialogue,) = data["dialogues"]
    assert (dialogue["id"], dialogue["tags"]) == ("id-01", ["feedback", "wrong-metric"])
    turns = dialogue["turns"]
    assert turns[5]["clock"] == "2026-09-28T09:30:00+08:00"
    assert turns[0]["sql"] == f"{first.sql}\n"  # somebody said that it was right
    assert turns[1] == {"ask": "收费情况怎么样", "expect": "clarify", "about": "metric"}
    assert turns[3] == {"undo": True, "expect": "answer"}
    assert [part["expect"] for part in turns[4]["parts"]] == ["answer", "answer"]
    assert several.parts

    for turn, gold in ((turns[2], chosen), (turns[5], late)):
        turn |= {"expect": "answer", "sql": gold.sql}
    file.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
    lines = list(run_set(world, read_set(file)))
    assert [(line.asked, line.verdict.words) for line in lines if not line.verdict.ok] == []
    assert [line.got.sql for line in lines] == [
        first.sql, None, chosen.sql, first.sql, *(part.sql for part in several.parts), late.sql,
    ]  # fmt: skip


def test_what_a_set_has_no_form_for_is_said(desk: Desk) -> None:
    desk.take("8月各园区的应收")
    edited = desk.take(Request(edit=(Edit("limit", "set", Limit(1, 3)),)))
    other = desk.take("8月各园区的实收", user=User("wang", (("park_id", ("P001",)),)))
    desk.mark(edited)
    desk.mark(other)
    found = desk.export()
    turns = yaml.safe_load(found.text)["dialogues"][0]["turns"]
    assert turns[1] == {"ask": edited.completed_question, "expect": None}
    assert "# 第 2 轮当时是手动改的条件，题集没有这种写法" in found.text
    assert "# 第 3 轮由另一个用户提问" in found.text


def test_the_rights_of_the_user_are_pinned(world: World, desk: Desk, tmp_path: Path) -> None:
    user = User("wang", (("park_id", ("P001",)),))
    turn = desk.take("8月各园区的应收", user=user)
    desk.mark(turn)
    (dialogue,) = yaml.safe_load(desk.export().text)["dialogues"]
    assert dialogue["user"] == {"park_id": ["P001"]}
    dialogue["turns"][0]["expect"] = "answer"
    file = tmp_path / "filled.yaml"
    file.write_text(
        yaml.safe_dump(
            {"set": "x", "clock": datetime(2026, 9, 28).date(), "dialogues": [dialogue]}
        ),
        "utf-8",
    )
    (line,) = run_set(world, read_set(file))
    assert line.got.sql == turn.sql
    assert "park_id = 'P001'" in str(turn.sql)


def test_what_was_erased_or_taken_back_is_not_exported(desk: Desk) -> None:
    first = desk.take("8月张江的收缴率")
    second = desk.take("临港呢")
    with pytest.raises(LedgerError, match="no turn here has a thumb down"):
        desk.export()
    desk.mark(first)
    desk.mark(first, "up")  # thought better of it
    desk.mark(second)
    assert [gap.turn_id for gap in desk.export().gaps] == [second.turn_id]
    which = Which(containing="临港呢")
    with desk.ledger.store.snapshot() as run:
        gone = targets(run, which)
    erase(desk.ledger, gone, "officer", "asked to", which)
    found = desk.export()
    assert (found.dialogues, found.left_out) == (0, [(second.turn_id, "feedback.erased")])
    assert yaml.safe_load(found.text)["dialogues"] == []


def test_comments_are_in_the_language_of_the_question(desk: Desk) -> None:
    desk.mark(desk.take("collection rate by park in August 2026"))
    text = desk.export().text
    assert text.startswith("# 1 answers are to be filled in")
    assert "expect:  # to be filled in: what this turn should end as" in text
