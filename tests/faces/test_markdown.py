"""Text for clients that draw Markdown: what comes from data shows as it is, whatever it holds."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.markdown import code, inline, markdown, prose, table
from api.shown import Grid, Head
from dialogue.turn import Choice, Clarification, Column, Result, Turn
from dialogue.world import World

EVIL = [
    ("a|b", "a\\|b"),
    ("a\\|b", "a\\\\\\|b"),
    ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
    ("![x](https://e.example/?q=1)", "!\\[x\\](https\\://e.example/?q=1)"),
    ("[x](javascript:alert(1))", "\\[x\\](javascript\\:alert(1))"),
    ("www.e.example", "www\\.e.example"),
    ("ann@e.example", "ann\\@e.example"),
    ("**bold** _it_ `code` ~~no~~", "\\*\\*bold\\*\\* \\_it\\_ \\`code\\` \\~\\~no\\~\\~"),
    ("&lt;b&gt;", "\\&lt;b\\&gt;"),
    ("$x^2$ # one", "\\$x^2\\$ \\# one"),
    ("1号楼\n| x | y |\r\n", "1号楼 \\| x \\| y \\| "),
    ("a\u202eb\u200bc\x00d", "abcd"),
]


@pytest.mark.parametrize(("value", "shown"), EVIL)
def test_values_show_as_they_are(value: str, shown: str) -> None:
    assert inline(value) == shown


@pytest.mark.parametrize(("value", "shown"), EVIL)
def test_a_table_keeps_its_columns(value: str, shown: str) -> None:
    found = table(Grid((Head("名称", False), Head("数", True)), ((value, "1"),)))
    assert found == f"| 名称 | 数 |\n| --- | ---: |\n| {shown} | 1 |"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("您想看哪个？\n1. 应收\n2. 实收", "您想看哪个？  \n1. 应收  \n2. 实收"),
        ("# a\n- b\n> c\n    d", "\\# a  \n\\- b  \n\\> c  \nd"),
        ("a\n---\nb\n===", "a  \n\\---  \nb  \n\\==="),
        ("a\u2028# b", "a  \n\\# b"),
    ],
)
def test_lines_start_nothing(text: str, shown: str) -> None:
    assert prose(text) == shown


def test_a_fence_is_longer_than_any_in_it() -> None:
    assert code("SELECT '```'") == "````sql\nSELECT '```'\n````"


def turn(**given: object) -> Turn:
    return Turn("t1", "s1", 1, "q", "answer", "文字", **given)  # type: ignore[arg-type]


def test_a_long_table_is_cut_and_says_so(world: World) -> None:
    columns = (Column("tenant_name", "租户", "attribute"), Column("bills", "数", "metric"))
    rows = tuple((f"租户{index}|", Decimal(index)) for index in range(50))
    text = markdown(world, turn(result=Result(columns, rows, 120, True)))
    assert text.count("\\| | ") == 20
    assert "| 租户0\\| | 0 |" in text
    assert "共 120 行，显示前 20 行" in text
    assert text.endswith("`轮次 t1`")


def test_two_questions_stand_one_after_the_other(world: World) -> None:
    parts = (turn(), Turn("", "s1", 2, "q", "decline", "不能"))
    whole = turn(parts=parts, clarification=Clarification("metric", "?", (Choice("a", "b"),)))
    assert markdown(world, whole) == "文字\n\n不能\n\n`轮次 t1`"
