"""No content word is dropped in silence: unknown words put into right questions are noticed, every one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialogue.evaluation import read_set
from nl2sql.reading import RuleReader

SETS = ("park-core", "park-hard", "fresh", "fresh-hard", "fresh-third", "first-turns")


def words(text: str) -> list[str]:
    return text.split()


ZH = words(
    "绿化 蓝色 折旧 供应商 毛利 税率 押金 违约金 宠物 门禁 摄像头 员工 工资 采购 库存 股东 绿植 消防 发票 国企 "
    "外资 上市 海外 转租 涨价 打折 超时 夜间 重要 老旧 高端 退款 搬迁 延期 充电桩 食堂 保险 利息 含税 地下 朝南 "
    "临时 潜在 净 税后 户均 预算 加权 服务费 收益率 单间"
)
EN = words(
    "green supplier margin depreciation deposit tax pets employee salary blue foreign listed luxury "
    "refurbished refund nightly expensive important online vip visitor insurance canteen sublet "
    "renewed delayed budgeted planned net gross weighted median"
)


def first_questions() -> list[str]:
    """Questions that open a session and are answered."""
    found: set[str] = set()
    for name in SETS:
        for dialogue in read_set(Path("fixtures/questions") / f"{name}.yaml").dialogues:
            turns = dialogue.turns if dialogue.mode == "variants" else dialogue.turns[:1]
            found |= {
                turn.ask
                for turn in turns
                if turn.ask and turn.expect == ("answer",) and not turn.parts
            }
    return sorted(text for text in found if "名字" not in text)  # a name may hold any text


def spoilt(reader: RuleReader, text: str, word: str, chance: random.Random) -> str:
    """The question with a word before its metric, after its filter, or at its end."""
    edits = reader.read(text).edits
    metrics = [edit.span[0] for edit in edits if edit.slot == "metrics" and edit.span[1]]
    filters = [edit.span[1] for edit in edits if edit.slot == "filters" and edit.span[1]]
    places = [len(text.rstrip(" ?？。.!！")), *metrics[:1], *filters[-1:]]
    at = chance.choice(places)
    glue = "" if any("\u4e00" <= char <= "\u9fff" for char in text) else " "
    return f"{text[:at].rstrip()}{glue}{word}{glue}{text[at:].lstrip() if glue else text[at:]}"


def cases(reader: RuleReader) -> Iterator[tuple[str, str]]:
    chance = random.Random(20260928)
    asked = chance.sample(first_questions(), 200)
    for index, text in enumerate(asked):
        words = ZH if any("\u4e00" <= char <= "\u9fff" for char in text) else EN
        for word in (words[index % len(words)], chance.choice(words)):
            yield word, spoilt(reader, text, word, chance)


def test_an_unknown_word_is_always_noticed(reader: RuleReader) -> None:
    silent = []
    for word, text in cases(reader):
        reading = reader.read(text)
        named = [item.text.lower() for item in reading.unread]
        taken = [item.text.lower() for item in reading.taken]
        noticed = any(part in word or word in part for part in named) or any(
            word in part for part in taken
        )
        # a part of several stored names (保险 of 35 companies) is asked about
        noticed = noticed or any(word in text[slice(*item.span)] for item in reading.ambiguities)
        if not noticed:
            silent.append((word, text, named, taken))
    assert silent == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("8月张江的含税收缴率", "含税"),
        ("张江地下空置面积", "地下"),
        ("今年上市企业的欠费", "上市"),
        ("8月各园区收益率", "收益率"),  # one character from 收款率, but a word of its own
        ("8月张江服务费应收", "服务费"),  # likewise 服务业
        ("8月各园区的净实收", "净"),
        ("8月张江生成的欠费", "生成"),  # 完成 is too short to be written wrong
        ("报修率按园区", "率"),  # no slip for 报修量: 报修 is whole
    ],
)
def test_a_word_beside_a_word_is_not_understood(reader: RuleReader, text: str, word: str) -> None:
    assert [item.text for item in reader.read(text).unread] == [word]
