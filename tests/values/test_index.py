"""The index against plain searching: near words, the same sound, beginnings and parts of names."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from semantic_layer.index import parts as parts_module
from semantic_layer.index.near import Near
from semantic_layer.index.parts import beginnings, cut
from semantic_layer.index.sound import sound
from semantic_layer.lexicon import whole
from semantic_layer.text import fold, normalise
from semantic_layer.values import long_enough
from tests.values.small import index_of

LETTERS = "张章江科技园ab 1２é😀"  # few, so that names are near to each other; wide, accented and beyond the BMP too
names = st.lists(st.text(LETTERS, min_size=1, max_size=8), max_size=12)
pieces = st.text("张章江科技园ab 12é😀", min_size=1, max_size=9)


@settings(max_examples=300, deadline=None)
@given(names, pieces)
def test_one_edit_and_the_same_sound_as_by_looking_at_every_word(
    found: list[str], piece: str
) -> None:
    words = sorted({fold(one) for one in found if fold(one)})
    near = Near(Near.sections(words), words)
    known = [one for one in words if len(one) >= 3 and (len(one) > 3 or not one.isascii())]
    assert near.one_edit(piece) == {
        one for one in known if OSA.distance(one, piece, score_cutoff=1) <= 1
    }
    assert near.same_sound(sound(piece)) == {
        one for one in words if len(one) >= 3 and not one.isascii() and sound(one) == sound(piece)
    }


@settings(max_examples=300, deadline=None)
@given(names, pieces)
def test_names_and_beginnings_as_by_looking_at_every_name(found: list[str], text: str) -> None:
    index = index_of(*found)
    text = fold(text)
    if not text:
        return
    by_name: dict[str, list[str]] = defaultdict(list)
    for at, one in enumerate(found):
        by_name[fold(one)].append(f"K{at}")
    assert len(index.base.names) == len(by_name)
    for name, keys in by_name.items():
        assert sorted(one.key for one in index.named(name)) == sorted(keys) or name == ""
    exact = {
        (start, start + len(name))
        for name in by_name
        for start in range(len(text))
        if name and text.startswith(name, start) and whole(text, start, start + len(name))
    }
    assert {(hit.start, hit.end) for hit in index.find(text) if hit.exact} == exact
    for hit in index.find(text):
        if hit.exact:
            keys = {one.key for one in index.stored(hit.entries)}
            assert keys == set(by_name[text[hit.start : hit.end]])
    begun = {
        (hit.start, hit.end): {one.key for one in index.stored(hit.entries)}
        for hit in index.find(text)
        if not hit.exact
    }
    assert begun == beginnings_by_hand(text, by_name)


def beginnings_by_hand(text: str, by_name: dict[str, list[str]]) -> dict[tuple[int, int], set[str]]:
    """At every place the longest text that names begin with, and the keys of the names that do."""
    expected: dict[tuple[int, int], set[str]] = {}
    for start in range(len(text)):
        if text[start] == " " or not whole(text, start, len(text)):
            continue
        sizes = [
            size
            for size in range(2, len(text) - start + 1)
            if any(name.startswith(text[start : start + size]) for name in by_name)
        ]
        if not sizes:
            continue
        begun = [name for name in by_name if name.startswith(text[start : start + sizes[-1]])]
        said = text[start : start + sizes[-1]].rstrip(" ")
        end = start + len(said)
        if not long_enough(said) or not whole(text, start, end) or begun == [said]:
            continue
        uncut = [name for name in begun if not re.match(r"[0-9]{2}", said[-1] + name[len(said) :])]
        if uncut:
            expected[start, end] = {key for name in uncut for key in by_name[name]}
    return expected


@settings(max_examples=300, deadline=None)
@given(names, pieces)
def test_parts_of_names_as_by_looking_at_every_name(found: list[str], piece: str) -> None:
    index = index_of(*found)
    piece = fold(piece)
    if not piece:
        return
    folded = sorted({fold(one) for one in found})
    held = [
        one
        for one in folded
        if any(one.startswith(piece, at) and not cut(one, piece, at) for at in beginnings(one))
    ]
    if len(piece) > 1:
        got = index.base.parts.holding(piece)
        assert got is not None
        assert [index.base.names[one] for one in got] == held
    longest = max(
        (
            size
            for size in range(2, len(piece) + 1)
            if any(one.startswith(piece[:size], at) for one in folded for at in beginnings(one))
        ),
        default=0,
    )
    assert index.base.parts.longest(piece, 0) == longest


def test_endings_that_too_many_share_point_at_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_module, "MANY", 3)
    cores = ["华芯", "博瑞", "远景", "青禾", "云帆"]
    index = index_of(*(f"{one}科技有限公司" for one in cores), "有限公司管理学会")
    held = index.base.parts
    assert held.holding("有限公司", 3) is None
    assert held.holding("限公", 3) is None
    assert [index.base.names[one] for one in held.holding("公司管理", 3) or ()] == [
        "有限公司管理学会"
    ]
    assert [index.base.names[one] for one in held.holding("博瑞科", 3) or ()] == [
        "博瑞科技有限公司"
    ]
    assert held.longest("有限公司的", 0) == 4


@given(st.text(max_size=20))
def test_folding_is_the_normal_form(text: str) -> None:
    assert fold(text) == normalise(text).text.strip()


@given(st.text("aZ 　（）()张張后後é", max_size=12))
def test_folding_plain_names_is_the_normal_form(text: str) -> None:
    assert fold(text) == normalise(text).text.strip()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("章江", "张江", True),
        ("重庆", "虫庆", True),  # chong, in this phrase
        ("重量", "众量", True),
        ("重庆", "众庆", False),
        ("绿化", "律化", True),
        ("绿化", "路化", False),  # ü is no u
        ("a座", "b座", False),
    ],
)
def test_sounds(one: str, other: str, same: bool) -> None:
    assert (sound(one) == sound(other)) is same


def test_labels_and_keys() -> None:
    index = index_of("上海华芯", "北京华芯")
    assert index.label("party", "K1") == "北京华芯"
    assert index.label("brand", "K1") is None
    assert index.label("party", "K9") is None


def test_nothing_stored() -> None:
    index = index_of()
    assert list(index.find("张江的空置率")) == []
    assert index.named("张江") == ()
    assert index.holding("张江") == ()
    assert index.label("party", "K0") is None
