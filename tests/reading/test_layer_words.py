"""A layer's own construction words: read like the service's, checked for clashes, held to its categories."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.reading.wordlist import clashes, word_list
from nl2sql.slots import Order
from semantic_layer.errors import LayerError
from semantic_layer.load import documents, load, loads
from semantic_layer.spoken import UNITS, SpokenSpec

OWN = """\
words:
  descending: [由肥到瘦, fattest first]
  by: [照着]
  filler: [老铁, pretty]
  month: [期次, billing cycle]
  stranger: [空置率指数]
  exclude: [刨开]
  why: [啥缘故]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("words") / "layer"
    shutil.copytree("fixtures/park/layer", path)
    (path / "words.yaml").write_text(OWN, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def own(folder: Path, world: World) -> RuleReader:
    return RuleReader(load(folder), world.values)


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ("老铁，8月各园区欠费由肥到瘦", "8月各园区欠费从高到低"),
        ("8月照着园区看欠费", "8月按园区看欠费"),
        ("今年按期次看欠费", "今年按月看欠费"),
        ("outstanding amount by park fattest first", "outstanding amount by park descending"),
        ("outstanding amount by billing cycle this year", "outstanding amount by month this year"),
        ("8月刨开张江的欠费", "8月除了张江的欠费"),
    ],
)
def test_they_do_what_they_say(own: RuleReader, reader: RuleReader, said: str, same: str) -> None:
    reading = own.read(said)
    assert reading.unread == ()
    assert [(edit.slot, edit.op, edit.value) for edit in reading.edits] == [
        (edit.slot, edit.op, edit.value) for edit in reader.read(same).edits
    ]
    assert reader.read(said).unread


def test_other_kinds(own: RuleReader) -> None:
    assert own.read("啥缘故欠费这么多").intent == "why"
    assert [item.text for item in own.read("8月空置率指数").unread] == ["空置率指数"]
    (order,) = [
        edit.value for edit in own.read("8月各园区欠费由肥到瘦").edits if edit.slot == "order"
    ]
    assert order == Order("outstanding_amount", True)


def test_every_category_is_one_of_the_service() -> None:
    known = {kind for kinds in word_list().categories.values() for kind in kinds}
    own = {field.alias or name for name, field in SpokenSpec.model_fields.items()}
    assert own - set(UNITS) - known == set()
    assert set(UNITS) <= own


def test_a_word_of_the_layer_takes_the_place_of_the_services(world: World, tmp_path: Path) -> None:
    shutil.copytree("fixtures/park/layer", tmp_path / "layer")
    extra = tmp_path / "layer" / "words.yaml"
    extra.write_text("words:\n  stranger: [麻烦]\n  filler: [倒序, 老铁]\n", encoding="utf-8")
    own = RuleReader(load(tmp_path / "layer"), world.values)
    assert [item.text for item in own.read("麻烦，8月欠费").unread] == ["麻烦"]
    assert not [edit for edit in own.read("8月各园区欠费倒序").edits if edit.slot == "order"]
    found = list(clashes(documents(tmp_path / "layer")))
    assert [(item.code, item.severity, item.place.line) for item in found] == [
        ("word-built-in", "warning", 2), ("word-built-in", "warning", 3)
    ]  # fmt: skip
    assert found[0].message == "`麻烦` is filler of itself, and stranger in this layer"


HEAD = "wenshu: 1\nlayer: small\n"


def test_what_is_wrong_is_told_at_its_place() -> None:
    with pytest.raises(LayerError) as error:
        loads(HEAD + "words:\n  descnding: [甲]\n")
    (issue,) = error.value.issues
    assert (issue.code, issue.place.line, issue.hint) == (
        "unknown-key", 4, "did you mean `descending`?"
    )  # fmt: skip
    with pytest.raises(LayerError) as error:
        loads(HEAD + "words:\n  descending: [甲]\n  ascending: [乙, 甲]\n")
    (issue,) = error.value.issues
    assert (issue.code, issue.place.line) == ("word-clash", 5)
    assert issue.message == "`甲` already means construction word `descending`"
