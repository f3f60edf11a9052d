"""Decorated questions: full-width, traditional, zero-width characters, emoji, case, politeness. The edits are
the same, and each span is of the same words of what was typed."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

import pytest
from opencc import OpenCC

from dialogue.evaluation import read_set
from nl2sql.edits import Edit, TimeMention
from nl2sql.reading import RuleReader

INVISIBLE = ["\u200b", "\u200d", "\ufeff", "\u00ad", "\u2060"]
EMOJI = ["🏢", "👍🏽", "📈", "❗️"]
BEFORE = ["请问", "您好，", "麻烦看下", "帮我查一下", "👋", "  ", "「"]
AFTER = ["呢", "吗？", "呀", "，谢谢", "！！", "…", "🙏", "」", "~", "\u200b。"]
EN_BEFORE = ["please ", "Hi, ", "could you show me ", "👋 ", "  "]
EN_AFTER = ["?", " please", " 🙏", "!!", " thanks", " …"]

Decorated = tuple[str, list[int]]  # the text, and the offset each character had (-1: added)


@lru_cache(maxsize=1)
def questions() -> tuple[str, ...]:
    sets = [
        read_set(Path("fixtures/questions") / f"{name}.yaml")
        for name in ("park-core", "park-hard", "fresh")
    ]
    found = {
        turn.ask
        for one in sets
        for dialogue in one.dialogues
        for turn in dialogue.turns[:1]
        if turn.ask and turn.expect == ("answer",) and not turn.parts and "名" not in turn.ask
    }
    return tuple(sorted(found))


def plain(text: str) -> Decorated:
    return text, list(range(len(text)))


def full_width(made: Decorated, chance: random.Random) -> Decorated:
    text, origin = made
    turned = (chr(ord(char) + 0xFEE0) if "!" <= char <= "~" and chance.random() < 0.7 else char
              for char in text)  # fmt: skip
    return "".join(turned), origin


def traditional(made: Decorated, _: random.Random) -> Decorated:
    text, origin = made
    turned = OpenCC("s2t").convert(text)
    return (turned, origin) if len(turned) == len(text) else made


def shouted(made: Decorated, chance: random.Random) -> Decorated:
    text, origin = made
    turned = "".join(char.upper() if chance.random() < 0.5 else char for char in text)
    return (turned, origin) if len(turned) == len(text) else made


def invisible(made: Decorated, chance: random.Random) -> Decorated:
    return _put(made, chance, INVISIBLE, 0.2)


def _put(made: Decorated, chance: random.Random, pieces: list[str], share: float) -> Decorated:
    text, origin = "", []
    for char, at in zip(*made, strict=True):
        if text and chance.random() < share:
            piece = chance.choice(pieces)
            text, origin = text + piece, [*origin, *[-1] * len(piece)]
        text, origin = text + char, [*origin, at]
    return text, origin


def polite(made: Decorated, chance: random.Random) -> Decorated:
    text, origin = made
    latin = text.isascii()
    before = chance.choice(EN_BEFORE if latin else BEFORE)
    after = chance.choice(EN_AFTER if latin else AFTER)
    stem = text.rstrip("?？。.!！ ")
    return (
        before + stem + after,
        [*[-1] * len(before), *origin[: len(stem)], *[-1] * len(after)],
    )


def emoji(made: Decorated, chance: random.Random) -> Decorated:
    """Only beside punctuation and at the ends: within a sentence it would part two words."""
    text, origin = made
    piece = chance.choice(EMOJI)
    return piece + text + piece, [*[-1] * len(piece), *origin, *[-1] * len(piece)]


DECORATIONS = [full_width, traditional, shouted, invisible, polite, emoji]


def came(edits: tuple[Edit, ...]) -> list[tuple[str, ...]]:
    """What edits come to; the words a period was said in are as they were typed."""
    return sorted(
        (
            edit.slot,
            edit.op,
            repr(edit.value.expr if isinstance(edit.value, TimeMention) else edit.value),
        )
        for edit in edits
    )


def words(edits: tuple[Edit, ...], origin: list[int] | range) -> list[tuple[str, int, int]]:
    """Where in the undecorated question each edit comes from."""
    found = []
    for edit in edits:
        kept = [origin[at] for at in range(*edit.span) if origin[at] >= 0]
        if kept:
            found.append((edit.slot, kept[0], kept[-1]))
    return sorted(found)


def test_a_decorated_question_is_the_same_question(reader: RuleReader) -> None:
    chance = random.Random(20260928)
    other: list[tuple[str, str]] = []
    for text in chance.sample(questions(), 160):
        made = plain(text)
        for decorate in chance.sample(DECORATIONS, chance.randrange(1, 4)):
            made = decorate(made, chance)
        said, origin = made
        right, found = reader.read(text), reader.read(said)
        same = came(right.edits) == came(found.edits) and found.intent == right.intent
        same = same and bool(found.unread) == bool(right.unread)
        if not same or words(found.edits, origin) != words(right.edits, range(len(text))):
            other.append((text, said))
    assert other == []


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ("張江科技園上個月的應收金額按樓棟", "张江科技园上个月的应收金额按楼栋"),
        ("請問今年各園區的收繳率，從高到低排", "请问今年各园区的收缴率，从高到低排"),
        ("近三個月臨港的欠費前5名租戶", "近三个月临港的欠费前5名租户"),
        ("廠房與辦公樓的空置面積分別是多少", "厂房与办公楼的空置面积分别是多少"),
        ("去年第三季度電費環比", "去年第三季度电费环比"),
        ("滿意度低於90％的樓棟有哪些", "满意度低于90%的楼栋有哪些"),
        ("未來三個月到期的合約數", "未来三个月到期的合约数"),
        ("應收超過５萬的帳單明細", "应收超过5万的账单明细"),
        ("除了張江以外的工單總數", "除了张江以外的工单总数"),
    ],
)
def test_whole_questions_in_traditional_script(reader: RuleReader, said: str, same: str) -> None:
    assert came(reader.read(said).edits) == came(reader.read(same).edits)
    assert reader.read(said).edits
    assert [item.span for item in reader.read(said).unread] == [
        item.span for item in reader.read(same).unread
    ]
