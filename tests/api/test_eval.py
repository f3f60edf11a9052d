"""`wenshu eval` in workers: the sets' order, a run that was killed and goes on, reports of every kind."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from api.evaluating.wording import words
from dialogue.evaluation.codes import Code
from dialogue.evaluation.scores import SCORES
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify

HARD, CORE = "fixtures/questions/park-hard.yaml", "fixtures/questions/park-core.yaml"
WRONG = """
set: wrong <on> purpose
clock: 2026-09-28
dialogues:
- id: one
  lang: zh
  tags: [money]
  turns:
  - {ask: 8月张江的应收, expect: answer}
  - ask: 临港呢
    expect: answer
    slots: {filters: {park_id: [P001]}, time: [2026-08-01, 2026-09-01]}
    sql: select 1 as receivable_amount
  - {ask: "<b>利润率</b>呢", expect: clarify, about: metric, options: [collection_rate]}
"""


@pytest.fixture
def home(tmp_path: Path, park_database: Path) -> Path:
    (tmp_path / "park.duckdb").symlink_to(park_database)
    return tmp_path


def command(home: Path, *args: str | Path) -> tuple[list[str], dict[str, str]]:
    env = {**os.environ, "WENSHU_HOME": str(home), "COLUMNS": "120", "PYTHONUTF8": "1"}
    return [sys.executable, "-m", "api.main", "eval", *map(str, args)], env


def run(home: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    line, env = command(home, *args)
    return subprocess.run(line, capture_output=True, text=True, env=env, timeout=300, check=False)


def steady(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what differs every time."""
    return {name: value for name, value in report.items() if name != "latency_ms"}


def dialogues_taken(ledger: Path) -> list[str]:
    """The dialogues in a ledger, each as often as it was begun: run and number."""
    with closing(sqlite3.connect(ledger)) as connection:
        found = connection.execute("SELECT DISTINCT session_id FROM records").fetchall()
    begun = {re.match(r"eval-.{13}-\d+\.\d+\.\d+", session).group() for (session,) in found}  # type: ignore[union-attr]
    return sorted(name.rpartition("-")[2] for name in begun)


def test_workers_give_the_same_in_the_same_order(home: Path) -> None:
    alone, both = home / "alone.json", home / "both.json"
    assert run(home, HARD, CORE, "--workers", "1", "--json", alone, "--quiet").returncode == 0
    done = run(home, HARD, CORE, "--workers", "3", "--json", both, "--quiet")
    assert done.returncode == 0, done.stderr
    one, three = json.loads(alone.read_text("utf-8")), json.loads(both.read_text("utf-8"))
    assert [steady(report) for report in three] == [steady(report) for report in one]
    assert [report["set"] for report in three] == ["park-hard", "park-core"]
    for report in three:
        assert set(report["latency_ms"]) == {"p50", "p95", "reading", "compiling", "running"}
        assert 0 < report["latency_ms"]["running"]["p50"] < report["latency_ms"]["p50"]
    assert verify(SQLiteReader(home / "ledger.sqlite")).faults == []
    assert list((home / "evaluations").iterdir()) == []


def test_a_killed_run_goes_on_where_it_was(home: Path) -> None:
    line, env = command(home, HARD, "--workers", "2", "--quiet")
    process = subprocess.Popen(line, env=env, stdout=subprocess.DEVNULL)
    judged = wait_for(home / "evaluations", 8)
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    assert len(workers) >= 2
    until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    whole = (run_file := next((home / "evaluations").iterdir())).read_bytes()
    judged = whole.count(b"\n") - 1
    run_file.write_bytes(whole + b"[0, 0, 54]\t[{")  # a line that the kill cut off
    out = home / "resumed.json"
    done = run(home, HARD, "--workers", "2", "--resume", "--quiet", "--json", out)
    assert done.returncode == 0, done.stderr
    assert f"goes on after {judged} dialogues" in done.stderr
    taken = dialogues_taken(home / "ledger.sqlite")
    assert len(set(taken)) == 55
    assert (
        len(taken) - len(set(taken)) <= 2 + 2
    )  # those that the workers were at, or were done and not told
    fresh = home / "fresh.json"
    again = run(home, HARD, "--workers", "1", "--resume", "--quiet", "--json", fresh)
    assert "there is no such run to go on with" in again.stderr
    assert steady(json.loads(out.read_text("utf-8"))) == steady(
        json.loads(fresh.read_text("utf-8"))
    )
    assert verify(SQLiteReader(home / "ledger.sqlite")).faults == []


def test_ctrl_c_keeps_what_is_judged(home: Path) -> None:
    line, env = command(home, HARD, "--workers", "2", "--quiet")
    process = subprocess.Popen(
        line,
        env=env,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # as on a terminal: a job in the background, such as CI may be, hands down that it is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(home / "evaluations", 3)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    found = re.fullmatch(r"stopped; `--resume` goes on after (\d+) dialogues\n", told)
    assert found is not None, told
    lines = next((home / "evaluations").iterdir()).read_bytes().count(b"\n")
    assert int(found.group(1)) == lines - 1 >= 3


def wait_for(folder: Path, dialogues: int) -> int:
    """Until so many dialogues are judged."""

    def judged() -> int:
        files = list(folder.iterdir()) if folder.exists() else []
        return files[0].read_bytes().count(b"\n") - 1 if files else 0

    until(lambda: judged() >= dialogues)
    return judged()


def until(true: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def test_the_reports(home: Path) -> None:
    questions = home / "wrong.yaml"
    questions.write_text(WRONG, "utf-8")
    places = {name: home / f"report.{name}" for name in ("json", "html", "markdown", "junit")}
    options = [text for name, place in places.items() for text in (f"--{name}", place)]
    done = run(home, questions, *options, "--repeat", "2")
    assert done.returncode == 0, done.stderr
    assert "6 turns in 2 rounds: the same every time" in done.stdout
    report = json.loads(places["json"].read_text("utf-8"))
    assert [turn["reason"].partition(":")[0] for turn in report["turns"]] == [
        "",
        "wrong-filter",
        "missed-ask",
    ]
    assert report["counts"]["turn_accuracy"] == [1, 3]
    assert report["by_tag"]["money"]["silent_wrong_rate"] == 0.5
    assert report["by_tag"]["lang:zh"]["counts"]["silent_wrong_rate"] == [1, 2]

    html = places["html"].read_text("utf-8")
    assert html.startswith('<!doctype html>\n<html lang="zh">')
    assert "color-scheme: light dark" in html
    assert re.findall(r"""(?:src|href)=["']?[^"'#]|url\(|@import""", html) == []  # no network
    assert "<script" not in html
    assert "<b>利润率" not in html
    assert "&lt;b&gt;利润率&lt;/b&gt;呢" in html
    for text in ("筛选的值不对", "悄悄答错", "此前的对话", "select 1 as receivable_amount", "P002"):
        assert text in html, text
    assert run(home, questions, "--html", places["html"], "--lang", "en").returncode == 0
    english = places["html"].read_text("utf-8")
    assert "a filter with another value" in english
    assert "The dialogue before it" in english

    markdown = places["markdown"].read_text("utf-8")
    assert "| 轮次正确率 | 33.3 % (1 / 3) |" in markdown
    assert "| wrong &lt;on> purpose | one 2 | 临港呢 | wrong-filter: " in markdown

    suites = ElementTree.parse(places["junit"]).getroot()
    (suite,) = suites
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    failure = suite[1].find("failure")
    assert failure is not None
    assert failure.get("type") == "wrong-filter"
    assert "park_id" in str(failure.text)


def test_compare_runs_nothing(tmp_path: Path) -> None:
    def report(name: str, ok: bool, silent: float) -> Path:
        turns = [
            {"dialogue": "d", "turn": 1, "ok": ok, "expected": "answer", "outcome": "answer"}
            | {"reason": "" if ok else "wrong-time: x"}
        ]
        scores = {"turn_accuracy": float(ok), "silent_wrong_rate": silent}
        place = tmp_path / name
        place.write_text(json.dumps({"set": "s", "scores": scores, "turns": turns}), "utf-8")
        return place

    good, bad = report("good.json", True, 0.0), report("bad.json", False, 1.0)
    worse = run(tmp_path, "--compare", good, bad)
    assert worse.returncode == 1
    assert worse.stdout.splitlines() == [
        "became wrong: s d 1 (wrong-time: x)",
        "s turn_accuracy: 1.0 → 0.0 (worse)",
        "s silent_wrong_rate: 0.0 → 1.0 (worse)",
        "0 became right, 1 became wrong",
    ]
    better = run(tmp_path, "--compare", bad, good, "--json", "-")
    assert better.returncode == 0
    found = json.loads(better.stdout)
    assert found["right"] == [{"set": "s", "dialogue": "d", "turn": 1, "right": True, "reason": "wrong-time: x"}]  # fmt: skip
    assert (found["wrong"], found["regressed"], found["unmatched"]) == ([], False, 0)
    out = tmp_path / "changes.json"
    assert run(tmp_path, "--compare", good, good, "--json", out).returncode == 0
    assert json.loads(out.read_text("utf-8"))["moved"] == []
    silent = report("silent.json", False, 0.0)
    assert run(tmp_path, "--compare", silent, bad).returncode == 1  # wrong before, now in silence
    assert run(tmp_path, "--compare", good, tmp_path / "none.json").returncode == 2
    assert run(tmp_path).returncode == 2
    assert run(tmp_path, HARD, "--compare", good, bad).returncode == 2
    assert list(tmp_path.glob("*.sqlite")) == []


def test_a_worker_that_cannot_begin_is_told(home: Path) -> None:
    from api.evaluating.bench import Installed
    from api.settings import Places
    from dialogue.evaluation import Evaluation, EvaluationError, RunFile, read_set

    places = Places.find("park", home / "none.duckdb")
    evaluation = Evaluation([read_set(Path(HARD))], 1, RunFile(home / "x.run", {}))
    nowhere = Places(places.home, places.layer, home / "none.duckdb", places.ledger, False)
    with pytest.raises(EvaluationError, match=r"there is no database at .*none.duckdb"):
        evaluation.run(Installed(nowhere, "run", 1), workers=2)


def test_both_languages_have_the_same_words_for_every_score_and_reason() -> None:
    zh, en = words("zh"), words("en")
    assert set(zh) == set(en)
    for key, text in zh.items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", en[key])), key
    assert {f"code.{code}" for code in Code} == {key for key in zh if key.startswith("code.")}
    assert {f"score.{name}" for name in SCORES} == {key for key in zh if key.startswith("score.")}
