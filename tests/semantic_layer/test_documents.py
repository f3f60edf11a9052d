"""Documents about metrics are part of a layer: read, checked, hashed, kept, and found by metric and heading."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from semantic_layer.load import examine, load, restore
from semantic_layer.model import Layer
from semantic_layer.passages import passages

LAYER = """\
wenshu: 1
layer: shop
tables:
  sale: {key: sale_id, columns: {sale_id: text, amount: decimal, cost: decimal}}
objects:
  sale:
    table: sale
    metrics:
      turnover: {words: {zh: [营业额], en: [turnover]}, sum: amount}
      cost: {words: {zh: [成本], en: [cost]}, sum: cost}
      margin: {words: {zh: [毛利率, 毛利], en: [margin, margin rate]}, formula: turnover - cost}
      sale_count: {words: {zh: [笔数], en: [sales]}, count: rows}
"""
RULES = """\
---
title: 统计办法
about: [margin, turnover, sale_count]
---
总则：按天统计。

# 毛利率怎么算

先减后除。

```
# 毛利
```

## 营业额 turnover

不含税。
"""
TODAY = date(2026, 9, 28)


def layer_of(folder: Path, **texts: str) -> Layer:
    written(folder, **texts)
    return load(folder)


def written(folder: Path, **texts: str) -> None:
    (folder / "layer.yaml").write_text(LAYER, encoding="utf-8")
    (folder / "documents").mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / "documents" / f"{name}.md").write_text(text, encoding="utf-8")


def found(layer: Layer, metric: str, lang: str = "zh") -> list[tuple[str, str]]:
    told = passages(layer, metric, lang, TODAY)  # type: ignore[arg-type]
    return [(item.heading, item.text) for item in told]


def test_a_section_belongs_to_the_metrics_its_heading_names(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, rules=RULES)
    assert found(layer, "margin") == [("毛利率怎么算", "先减后除。\n\n```\n# 毛利\n```")]
    assert found(layer, "turnover", "en") == [("营业额 turnover", "不含税。")]
    assert found(layer, "cost") == []


def test_a_metric_that_no_heading_names_has_the_first_section(tmp_path: Path) -> None:
    assert found(layer_of(tmp_path, rules=RULES), "sale_count") == [("", "总则：按天统计。")]


def test_a_document_about_an_object_speaks_of_the_metrics_its_headings_name(tmp_path: Path) -> None:
    layer = layer_of(
        tmp_path,
        sale="---\ntitle: 销售\nabout: sale\n---\n开头。\n# 成本\n进价。\n# Turnovers\nNot a word.",
    )
    assert found(layer, "cost") == [("成本", "进价。")]
    assert found(layer, "turnover") == found(layer, "sale_count") == []


def test_a_word_within_a_longer_one_is_not_named(tmp_path: Path) -> None:
    text = "---\ntitle: 毛利\nabout: [margin, cost]\n---\n# 毛利率\n甲\n# cost, margin rate\n乙"
    layer = layer_of(tmp_path, rules=text)
    assert found(layer, "margin") == [("毛利率", "甲"), ("cost, margin rate", "乙")]
    assert found(layer, "cost") == [("cost, margin rate", "乙")]


def test_the_latest_that_holds_today_is_taken(tmp_path: Path) -> None:
    text = "---\ntitle: 办法\nabout: cost\neffective: {day}\n---\n{words}"
    layer = layer_of(
        tmp_path,
        old=text.format(day="2024-01-01", words="旧"),
        now=text.format(day="2026-09-28", words="今"),
        soon=text.format(day="2026-09-29", words="将来"),
    )
    assert found(layer, "cost") == [("", "今")]
    assert [item.text for item in passages(layer, "cost", "zh", date(2025, 1, 1))] == ["旧"]
    assert passages(layer, "cost", "zh", date(2023, 1, 1)) == ()


def test_a_language_is_preferred_and_another_taken_for_want_of_it(tmp_path: Path) -> None:
    layer = layer_of(
        tmp_path,
        zh="---\ntitle: 成本\nabout: [cost, turnover]\nlang: zh\n---\n进价",
        en="---\ntitle: Cost\nabout: cost\nlang: en\n---\nWhat it cost",
    )
    assert found(layer, "cost", "en") == [("", "What it cost")]
    assert found(layer, "cost", "zh") == [("", "进价")]
    assert found(layer, "turnover", "en") == [("", "进价")]


def test_documents_are_part_of_the_hash_and_of_the_kept_text(tmp_path: Path) -> None:
    layer = layer_of(tmp_path, rules=RULES)
    kept = restore(layer.text)
    assert (kept.hash, kept.passages) == (layer.hash, layer.passages)
    assert layer.passages[0].file == "documents/rules.md"
    other = layer_of(tmp_path, rules=RULES.replace("先减后除", "先除后减"))
    assert other.hash != layer.hash
    shutil.rmtree(tmp_path / "documents")
    assert load(tmp_path).hash not in (layer.hash, other.hash)
    assert load(tmp_path).passages == ()


def test_the_folder_does_not_matter_to_the_hash(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, rules=RULES)
    assert load(tmp_path / "one").hash == load(tmp_path / "two").hash


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            RULES.replace("[margin, turnover, sale_count]", "[margin,\n  turnovr]"),
            "4:3: error unknown-subject: there is no metric or object `turnovr` (did you mean `turnover`?)",
        ),
        ("# 毛利\n甲", "1:1: error no-front-matter: a document begins with what it is about"),
        ("", "1:1: error no-front-matter: "),
        ("---\ntitle: 甲\n", "1:1: error no-front-matter: "),
        (
            "---\ntitle: 甲\nabut: margin\n---\n乙",
            "3:1: error unknown-key: there is no key `abut` here",
        ),
        ("---\nabout: margin\n---\n乙", "2:1: error missing-key: `title` is missing here"),
        ("---\ntitle: 甲\nabout: margin\n---\n", "1:1: error empty-document: "),
        (
            "---\ntitle: 甲\nabout: margin\neffective: 2026-13-01\n---\n乙",
            "4:1: error bad-value: `effective`: `2026-13-01` is no date",
        ),
        ("---\ntitle: 甲\nabout: margin\nlang: fr\n---\n乙", "4:1: error bad-value: `lang`: "),
        ("---\ntitle: [\n---\n乙", "3:1: error yaml-syntax: "),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    written(tmp_path, rules=text)
    layer, issues = examine(tmp_path)
    assert layer is None
    file = tmp_path / "documents" / "rules.md"
    assert len(issues) == 1
    assert str(issues[0]).startswith(f"{file}:{told}")


def test_a_document_that_is_no_text_is_told(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "documents" / "photo.md").write_bytes(b"\xff\xd8")
    layer, issues = examine(tmp_path)
    assert layer is None
    assert [(item.code, item.message) for item in issues] == [
        ("yaml-syntax", "the file is not UTF-8")
    ]
