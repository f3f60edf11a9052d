"""A broken layer is told whole: each fault once, with its code, place and nearest known name."""

import gc
import shutil
from pathlib import Path

import pytest

from semantic_layer.errors import Issue, LayerError
from semantic_layer.format import json_schema
from semantic_layer.load import examine, load, loads, restore

PARK = Path(__file__).parents[2] / "fixtures" / "park" / "layer"

HEAD = """\
wenshu: 1
layer: shop
calender: {week_starts: monday}
tables:
  shop:
    columns: {shop_id: text, city: text}
  item:
    key: item_id
    columns: {item_id: text, kind: text}
  sale:
    key: sale_id
    columns: {sale_id: text, shop_id: text, item_id: text, sold_on: date, amount: decimal}
    joins: {shop: shop, item: itm}
dimensions:
  city: {words: {zh: [城市]}, column: shop.city}
  town: {words: {zh: [城市]}, column: shop.city}
  kind: {words: {zh: [种类]}, column: item.kindd}
hierarchies:
  place: [city, kind]
"""
SALE = """\
object: sale
table: sale
time: {column: sold_at}
dimensions:
  city: {}
  kind: {}
  twon: {}
metrics:
  turnover:
    words: {zh: [营业额]}
    summ: amount
  sale_count: {words: {zh: [笔数]}, count: rows}
  average: {words: {zh: [均价]}, formula: turnover / sale_count}
  big: {words: {zh: [大单数]}, count: rows, where: amonut > 100}
  big_share: {words: {zh: [大单占比]}, formula: big / sale_count}
"""
MORE = """\
object: refund
table: sale
dimensions: [city]
metrics:
  sale_count: {words: {zh: [退款数]}, count: rows}
  bad: {words: {zh: [坏]}, count: lines}
  shell: {words: {zh: [壳]}, sum: read_csv('x')}
  two: {words: {zh: [二]}, sum: amount, count: rows}
  ring: {words: {zh: [环]}, formula: ring + 1}
  again: {words: {zh: [再]}, count: rows}
  again: {words: {zh: [再]}, sum: amount}
"""

# code, file, line, column, a word of the message, the hint
FOUND = [
    ("unknown-key", "layer.yaml", 3, 1, "`calender`", "did you mean `calendar`?"),
    ("join-without-key", "layer.yaml", 13, 13, "`shop` has no key", "give `shop` a key"),
    ("unknown-table", "layer.yaml", 13, 25, "`itm`", "did you mean `item`?"),
    (
        "word-clash",
        "layer.yaml",
        16,
        23,
        "`城市` already means dimension `city`",
        "layer.yaml:15:23",
    ),
    ("unknown-column", "layer.yaml", 17, 29, "`kindd`", "did you mean `kind`?"),
    ("duplicate-metric", "sale.yaml", 12, 3, "`sale_count`", "refund.yaml:5:3"),
    ("bad-value", "refund.yaml", 6, 27, "`count`", ""),
    ("bad-expression", "refund.yaml", 7, 29, "is not allowed", ""),
    ("bad-metric", "refund.yaml", 8, 3, "exactly one of", ""),
    ("formula-circle", "refund.yaml", 9, 28, "`ring` is made of itself", ""),
    ("duplicate-key", "refund.yaml", 11, 3, "`again` is written twice", "first in line 10"),
    ("unknown-column", "sale.yaml", 3, 8, "`sold_at`", "did you mean `sold_on`?"),
    ("unknown-dimension", "sale.yaml", 7, 3, "`twon`", "did you mean `town`?"),
    ("unknown-key", "sale.yaml", 11, 5, "`summ`", "did you mean `sum`?"),
    ("unknown-column", "sale.yaml", 14, 42, "`amonut`", "did you mean `amount`?"),
]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Issue, ...]:
    folder = tmp_path_factory.mktemp("broken")
    for name, text in (("layer", HEAD), ("sale", SALE), ("refund", MORE)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    layer, issues = examine(folder)
    assert layer is None
    return issues


def test_every_fault_in_one_pass_and_nothing_else(broken: tuple[Issue, ...]) -> None:
    found = [
        (item.code, Path(item.place.file).name, item.place.line, item.place.column)
        for item in broken
    ]
    assert sorted(found, key=lambda item: item[1:]) == sorted(
        (row[:4] for row in FOUND), key=lambda item: item[1:]
    )
    assert all(item.severity == "error" for item in broken)


@pytest.mark.parametrize("row", FOUND, ids=[f"{row[0]}-{row[1]}-{row[2]}" for row in FOUND])
def test_each_says_what_and_how_to_mend_it(
    broken: tuple[Issue, ...], row: tuple[str, str, int, int, str, str]
) -> None:
    code, file, line, _, message, hint = row
    (found,) = [
        item
        for item in broken
        if (item.code, Path(item.place.file).name, item.place.line) == (code, file, line)
    ]
    assert message in found.message
    assert hint in found.hint
    assert str(found).startswith(f"{found.place}: error {code}: ")


def test_issues_come_in_the_order_of_the_files(broken: tuple[Issue, ...]) -> None:
    places = [
        (Path(item.place.file).name != "layer.yaml", item.place.file, item.place.line)
        for item in broken
    ]
    assert places == sorted(places)


SMALL = """\
wenshu: 1
layer: small
tables:
  e: {key: id, columns: {id: integer, kind: text, on_day: date, x: decimal}}
dimensions:
  kind: {words: {zh: [种类]}, column: e.kind, enum: {A: [甲]}}
objects:
  e:
    table: e
    time: {column: on_day}
    dimensions: [kind]
    metrics:
      total: {words: {zh: [总数]}, sum: x}
"""

# a change to SMALL → the codes, with line:column, that it gives
CHANGES = [
    ("nothing", "", "", []),
    ("unknown type", "x: decimal", "x: decmal", ["bad-value 4:65"]),
    ("no column type", "kind: text, ", "", ["unknown-column 6:29"]),
    ("missing key", "column: e.kind, ", "", ["missing-key 6:3"]),
    ("misspelt required key", "column: e.kind", "colum: e.kind", ["unknown-key 6:29"]),
    ("wrong version", "wenshu: 1", "wenshu: 2", ["bad-value 1:1"]),
    ("no version", "wenshu: 1\n", "", ["no-head 1:1"]),
    ("a number for a text", "[种类]", "[1]", ["bad-value 6:23"]),
    ("a text for a mapping", "dimensions: [kind]", "dimensions: kind", ["bad-value 11:5"]),
    ("unknown dimension", "dimensions: [kind]", "dimensions: [kin]", ["unknown-dimension 11:18"]),
    ("object without table", "    table: e\n", "", ["missing-key 8:3"]),
    ("no date", "layer: small", "layer: small\ndata_from: 2024-13-01", ["bad-value 3:1"]),
    ("no zone", "layer: small", "layer: small\ncalendar: {timezone: Mars}", ["bad-value 3:12"]),
    (
        "within itself",
        "column: e.kind,",
        "column: e.kind, within: kind,",
        ["dimension-circle 6:45"],
    ),
    ("expression", "sum: x", 'sum: "x +"', ["bad-expression 13:34"]),
    ("syntax", "layer: small", "layer: [small", ["yaml-syntax 3:7"]),
    ("tag", "layer: small", "layer: !!python/name:os.system x", ["yaml-syntax 2:8"]),
    ("no is a word", "[种类]", "[种类, no]", []),
    (
        "broken join",
        "x: decimal}}",
        "x: decimal}, joins: {to_e: {table: e, onn: {x: y}}}}",
        ["unknown-key 4:103"],
    ),
    ("anchor in itself", "layer: small", "title: &a {zh: *a}\nlayer: small", ["yaml-syntax 1:1"]),
]


@pytest.mark.parametrize(
    ("old", "new", "found"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_one_fault_one_message(old: str, new: str, found: list[str]) -> None:
    assert old in SMALL
    text = SMALL.replace(old, new, 1)
    if not found:
        assert loads(text).name == "small"
        return
    with pytest.raises(LayerError) as raised:
        loads(text)
    told = [f"{item.code} {item.place.line}:{item.place.column}" for item in raised.value.issues]
    assert told == found


def test_a_misspelt_object_key_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "layer.yaml").write_text("wenshu: 1\nlayer: x\n")
    (tmp_path / "sale.yaml").write_text("objct: sale\ntable: sale\nmetrics: {a: {count: rows}}\n")
    _, issues = examine(tmp_path)
    assert [(item.code, item.place.line, item.hint) for item in issues] == [
        ("unknown-key", 1, "did you mean `object`?")
    ]


def test_a_folder_without_a_layer(tmp_path: Path) -> None:
    layer, (issue,) = examine(tmp_path)
    assert (layer, issue.code) == (None, "no-layer")


def test_garbage_is_collected_again_after_loading(tmp_path: Path) -> None:
    assert load(PARK).metrics
    assert gc.isenabled()
    with pytest.raises(LayerError):
        load(tmp_path)
    assert gc.isenabled()
    gc.disable()
    try:
        load(PARK)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_word_across_kinds_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "layer.yaml"
    file.write_text(SMALL.replace("[总数]", "[总数, 种类]"), encoding="utf-8")
    layer, (issue,) = examine(file)
    assert layer is not None
    assert (issue.code, issue.severity) == ("word-shared", "warning")
    assert (issue.place.line, issue.place.column) == (13, 32)
    assert issue.message == "`种类` is metric `total` here and dimension `kind` elsewhere"


def test_a_value_word_twice_in_one_dimension_is_an_error_in_two_none(tmp_path: Path) -> None:
    file = tmp_path / "layer.yaml"
    file.write_text(SMALL.replace("{A: [甲]}", "{A: [甲], B: [甲]}"), encoding="utf-8")
    _, (issue,) = examine(file)
    assert (issue.code, issue.message) == ("word-clash", "`甲` already means value `A`")
    other = "  kind2: {words: {zh: [门类]}, column: e.kind, enum: {A: [甲]}}\nobjects:"
    assert loads(SMALL.replace("objects:", other, 1)).dimensions["kind2"].enum == {"A": ("甲",)}


def test_the_park_layer_has_no_error() -> None:
    layer, issues = examine(PARK)
    assert layer is not None
    assert [item for item in issues if item.severity == "error"] == []
    assert sorted(layer.objects) == [
        "bill",
        "contract",
        "energy",
        "park_building_resource",
        "tenant",
        "work_order",
    ]
    assert len(layer.metrics) == 36
    assert layer.path("floor_no") == ("park_id", "building_no", "floor_no")


LAYOUTS = [
    ("a comment", "layer: park\n", "layer: park  # a comment\n\n", True),
    (
        "block style",
        "title: {zh: 园区经营, en: Park management}",
        "title:\n  zh: 园区经营\n  en: Park management",
        True,
    ),
    (
        "the order of keys, in which choices are offered",
        "{zh: 园区经营, en: Park management}",
        "{en: Park management, zh: 园区经营}",
        False,
    ),
    ("quotes", "currency: CNY", 'currency: "CNY"', True),
    ("a word", "用能情况", "用能状况", False),
    ("a setting", "week_starts: monday", "week_starts: sunday", False),
    ("an order that matters", "[city, district, park_id", "[district, city, park_id", False),
]


@pytest.mark.parametrize(
    ("old", "new", "same"), [row[1:] for row in LAYOUTS], ids=[row[0] for row in LAYOUTS]
)
def test_the_hash_is_of_the_meaning(tmp_path: Path, old: str, new: str, same: bool) -> None:
    shutil.copytree(PARK, tmp_path / "layer")
    head = tmp_path / "layer" / "layer.yaml"
    text = head.read_text(encoding="utf-8")
    assert old in text
    head.write_text(text.replace(old, new), encoding="utf-8")
    assert (load(tmp_path / "layer").hash == load(PARK).hash) is same


def test_the_hash_does_not_know_file_names(tmp_path: Path) -> None:
    shutil.copytree(PARK, tmp_path / "layer")
    (tmp_path / "layer" / "bill.yaml").rename(tmp_path / "layer" / "zz.yaml")
    (tmp_path / "layer" / "sub").mkdir()
    (tmp_path / "layer" / "energy.yaml").rename(tmp_path / "layer" / "sub" / "zz.yaml")
    assert load(tmp_path / "layer").hash == load(PARK).hash


def test_a_layer_is_restored_from_the_text_of_its_hash() -> None:
    layer = load(PARK)
    again = restore(layer.text)
    assert again == layer
    for name in ("objects", "metrics", "dimensions", "tables", "topics"):
        assert list(getattr(again, name)) == list(getattr(layer, name))


def test_the_schema_tells_what_the_format_knows() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    head, found = schema["anyOf"]
    assert found["required"] == ["table", "object"]
    assert head["additionalProperties"] is False
    assert found["additionalProperties"] is False
    assert set(head["properties"]) >= {"wenshu", "layer", "tables", "dimensions", "objects"}
    assert {"list", "metrics", "rollups"} <= set(found["properties"])
    metric = schema["$defs"]["MetricSpec"]
    assert {"sum", "formula", "where", "from", "once_per"} <= set(metric["properties"])
    assert metric["additionalProperties"] is False
    assert all(
        part["additionalProperties"] is False
        for part in schema["$defs"].values()
        if part.get("type") == "object"
    )
