"""Any text is read: without an exception, with spans into itself, in bounded time.

`WENSHU_FUZZ=5000` makes more of them; `python -m benchmarks fuzz MINUTES` goes on for longer.
"""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fuzz import LONGEST, ODD, TIMES, cost, fragments, text
from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.reading.wordlist import word_list

MANY = int(os.environ.get("WENSHU_FUZZ", "150"))
SLOW = 500  # ten times the bar: a busy machine is no fault, a text that takes seconds is


@pytest.fixture(scope="module")
def reader(world: World) -> RuleReader:
    return world.reader


def texts() -> st.SearchStrategy[str]:
    """Words, times, odd things and any characters at all (half surrogate pairs too)."""
    known = st.sampled_from([*word_list().categories, *TIMES, *ODD])
    any_text = st.text(st.characters(exclude_categories=()), max_size=12)
    domain = st.sampled_from(
        ["张江", "空置率", "1号楼", "租户", "应收", "前3", "章江科技圆", "by park", "按月", "同比"]
    )
    parts = st.lists(st.one_of(known, any_text, domain, st.integers().map(str)), max_size=30)
    return parts.map(lambda found: "".join(found)[:LONGEST])


@settings(max_examples=MANY, deadline=None)
@given(asked=texts())
def test_any_text_is_read(reader: RuleReader, asked: str) -> None:
    reading = reader.read(asked)
    spans = [
        *(edit.span for edit in reading.edits),
        *(item.span for item in (*reading.unread, *reading.taken, *reading.ambiguities)),
    ]
    assert all(0 <= start <= end <= len(asked) for start, end in spans)
    assert reader.read(asked) == reading
    assert reader.split(asked)


def test_texts_of_the_layer_and_its_values_are_read_in_time(reader: RuleReader) -> None:
    chance, parts = random.Random(2026), fragments(reader)
    slow = {asked: cost(reader, asked) for asked in (text(chance, parts) for _ in range(60))}
    assert {asked: took for asked, took in slow.items() if took > SLOW} == {}


def test_long_texts_take_no_longer_than_the_limit(reader: RuleReader) -> None:
    """Beyond the limit a text is reported, not read: ten times as long costs about the same."""
    question = "张江科技园2026年8月空置率和临港的应收，"
    assert cost(reader, question * 500) < SLOW
    assert reader.read(question * 500).unread[-1].span[1] > 900
