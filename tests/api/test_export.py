"""`wenshu audit export`: a bundle that is read and checked without the service."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import get_args

import pytest

from api.export.page import words
from semantic_layer.model import Aggregate, WindowKind, WindowUnit
from tests.api.test_audit import home, ledger, run

__all__ = ["home", "ledger"]


def check(folder: Path, *args: str) -> tuple[int, str]:
    """What the bundle's own script says, in a bare interpreter."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(folder / "verify.py"), *args],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def unpacked(file: Path) -> Path:
    with zipfile.ZipFile(file) as bundle:
        bundle.extractall(file.parent)
    return file.with_suffix("")


@pytest.fixture
def bundle(home: Path, ledger: Path, tmp_path: Path) -> Path:
    """A session of two turns, unpacked."""
    (turn,) = run(home, "replay", "--json", "--all", "--ledger", ledger).stdout.splitlines()
    assert json.loads(turn)["same"] == 2
    session = session_of(ledger)
    done = run(
        home, "audit", "export", "--session", session, tmp_path / "b.zip", "--ledger", ledger
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 turns, ")
    return unpacked(tmp_path / "b.zip")


def session_of(ledger: Path) -> str:
    import sqlite3

    with sqlite3.connect(ledger) as connection:
        ((session,),) = connection.execute(
            "SELECT DISTINCT session_id FROM records WHERE kind = 'intent'"
        )
    connection.close()
    return str(session)


def test_a_bundle_holds_and_a_kept_head_is_found(home: Path, ledger: Path, bundle: Path) -> None:
    code, said = check(bundle)
    assert (code, said.splitlines()[-1][:40]) == (0, "everything holds, up to checkpoint 2:" + said.splitlines()[-1][37:40])  # fmt: skip
    assert "holds: 2 turns as they were recorded, 2 results by their digests" in said
    head = run(home, "audit", "head", "--ledger", ledger).stdout.strip()
    assert check(bundle, "--head", said.split()[-1])[0] == 0
    assert check(bundle, "--head", "9:" + head.partition(":")[2]) == (
        1,
        said[: said.index("holds: 1 checkpoints")] + f"broken: the checkpoint 9:{head.partition(':')[2]} is not among those here\n",
    )  # fmt: skip


def test_the_page_leads_from_the_question_to_the_number(bundle: Path) -> None:
    page = (bundle / "index.html").read_text("utf-8")
    assert '<html lang="zh-CN">' in page
    assert not re.search(r"https?://|src=|@import|url\(", page)  # no network
    steps = [turn["steps"][0] for turn in json.loads((bundle / "turns.json").read_text("utf-8"))]
    for wanted in (
        "<blockquote>临港呢</blockquote>",
        "<td>本轮说的“收缴率”</td>",
        "<td>沿用第 1 轮</td>",
        "<td>2026-08-01 起，到 2026-08-31（含）</td>",
        "<td>实收 ÷ 应收</td>",
        f"<td><code>{steps[1]['digest']}</code></td>",
    ):
        assert wanted in page, wanted
    number = re.search(r"\d+\.\d+%", steps[0]["text"])
    assert number is not None
    assert f"<td class=number>{number.group()}</td>" in page


def test_a_question_in_english_gives_a_page_in_english(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "ledger.sqlite"
    asked = ("ask", "--json", "--ledger", file, "collection rate by park in August 2026")
    turn = json.loads(run(home, *asked, WENSHU_LEDGER_ROWS="1").stdout)
    done = run(home, "audit", "export", turn["turn_id"], tmp_path / "e.zip", "--ledger", file)
    assert done.returncode == 0, done.stderr
    folder = unpacked(tmp_path / "e.zip")
    page = (folder / "index.html").read_text("utf-8")
    assert "Where this number comes from" in page
    assert "2026-08-01 to 2026-08-31 (inclusive)" in page
    assert "fetched again" not in page  # they were kept
    assert check(folder)[0] == 0
    table = (folder / "rows-1-1.parquet").read_bytes()
    (folder / "rows-1-1.parquet").write_bytes(table[:-5] + b"x" + table[-4:])
    assert check(folder) == (1, "broken: rows-1-1.parquet was changed\n")


def resum(folder: Path) -> None:
    """Make the list of digests fit again, as somebody would who changed a file."""
    names = sorted(path.name for path in folder.iterdir() if path.name != "SHA256SUMS")
    lines = (
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names
    )
    (folder / "SHA256SUMS").write_text("".join(lines), "utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("turns.json", "临港呢", "苏州呢", "turn 2: request is not what was recorded"),
        ("index.html", "临港呢", "苏州呢", "turn 2: the page does not show '临港呢'"),
        ("chain.json", "intent", "intenT", "record 1 was changed"),
        ("rows-1-1.json", "0.", "1.", "rows-1-1.json was changed"),
        ("turns.json", '"engine": "duckdb', '"engine": "Duckdb', "turn 1: what it stood on"),
    ],
)
def test_what_was_changed_is_named(
    bundle: Path, tmp_path: Path, file: str, old: str, new: str, says: str
) -> None:
    folder = tmp_path / "forged"
    shutil.copytree(bundle, folder)
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), "utf-8")
    assert check(folder) == (1, f"broken: {file} was changed\n")
    resum(folder)
    code, said = check(folder)
    assert code == 1
    assert said.splitlines()[-1].startswith(f"broken: {says}")


def test_what_was_erased_is_said(home: Path, ledger: Path, tmp_path: Path) -> None:
    erased = ("audit", "erase", "--containing", "临港呢", "--why", "x", "--yes", "--ledger", ledger)
    assert run(home, *erased).returncode == 0
    done = run(
        home, "audit", "export", "--session", session_of(ledger), tmp_path / "b.zip", "--ledger", ledger
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = unpacked(tmp_path / "b.zip")
    assert "已按要求抹去：请求、步骤" in (folder / "index.html").read_text("utf-8")
    assert check(folder)[0] == 0


def test_an_archived_session_is_replayed_and_exported(
    home: Path, ledger: Path, tmp_path: Path
) -> None:
    session, old = session_of(ledger), tmp_path / "old.sqlite"
    moved = run(home, "audit", "archive", "--before", "2999-01-01", old, "--ledger", ledger)
    assert moved.returncode == 0, moved.stderr
    again = run(home, "replay", "--all", "--archive", old, "--ledger", ledger)
    assert (again.returncode, again.stdout) == (0, "2 turns: 2 the same\n")
    what = ("--session", session, tmp_path / "b.zip", "--archive", old, "--ledger", ledger)
    done = run(home, "audit", "export", *what)
    assert done.returncode == 0, done.stderr
    assert check(unpacked(tmp_path / "b.zip"))[0] == 0
    assert str(old) in run(home, "audit", "log", "--ledger", ledger).stdout


def test_usage(home: Path, ledger: Path, tmp_path: Path) -> None:
    assert run(home, "audit", "export", tmp_path / "x.zip", "--ledger", ledger).returncode == 2
    gone = run(home, "audit", "export", "nothing", tmp_path / "x.zip", "--ledger", ledger)
    assert (gone.returncode, gone.stderr) == (2, "there is no one turn nothing in this ledger\n")
    (tmp_path / "x.zip").write_bytes(b"")
    there = run(home, "audit", "export", "--session", session_of(ledger), tmp_path / "x.zip", "--ledger", ledger)  # fmt: skip
    assert (there.returncode, "already" in there.stderr) == (2, True)


def test_a_page_is_understood_by_a_stranger(home: Path, tmp_path: Path) -> None:
    """What a single turn carries, compares, and calls by a code is told on its page."""
    file = tmp_path / "ledger.sqlite"
    asked = ("ask", "--json", "--ledger", file, "8月张江和临港的收缴率", "和去年同期比")
    lines = run(home, *asked, WENSHU_LEDGER_ROWS="1").stdout.splitlines()
    turn = json.loads(lines[-1])["turn_id"]
    done = run(home, "audit", "export", turn, tmp_path / "e.zip", "--ledger", file)
    assert done.returncode == 0, done.stderr
    page = (unpacked(tmp_path / "e.zip") / "index.html").read_text("utf-8")
    for wanted in (
        "提问人 local（可看全部数据）",
        "那一轮不在这份材料里",
        "<th>对比的时间</th><td>2025-08-01 起，到 2025-08-31（含）</td>",
        "<h3>这些数由什么算出</h3>",
        "<th class=number>应收（对比期） (元)</th>",
        "<td class=number>21,545,139.31</td>",
        "<th>paid 是</th><td>表 fact_payment 的求和 sum(amount)，按 bill_id 归集，没有则为 0</td>",
        "差和变化率按未取舍的数计算",
        "<td class=number>-11.35 个百分点</td>",
        "语句里的代码：P001 = 张江科技园、P002 = 临港智造园。",
        "<td>求和 sum(receivable_amount)</td>",
        "最后一行以 everything holds 开头，就是全部相符",
    ):
        assert wanted in page, wanted


def test_each_way_to_compute_a_metric_has_its_words() -> None:
    kinds = {f"kind.{name}" for name in get_args(Aggregate)} - {"kind.formula", "kind.window"}
    units = {f"unit.{name}" for name in get_args(WindowUnit)}
    windows = {f"window.{name}" for name in get_args(WindowKind)}
    assert kinds | units | windows <= set(words("zh"))


def test_both_languages_have_the_same_words() -> None:
    assert set(words("zh")) == set(words("en"))
