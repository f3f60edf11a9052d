"""The command line, as a user meets it: whole processes, exit codes, JSON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.http.services import free_port

WENSHU = [sys.executable, "-m", "api.main"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, park_database: Path) -> Path:
    path = tmp_path_factory.mktemp("home")
    (path / "park.duckdb").symlink_to(park_database)
    return path


def run(home: Path, *args: str, text: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "WENSHU_HOME": str(home), "COLUMNS": "120", "PYTHONUTF8": "1"}
    return subprocess.run(
        [*WENSHU, *args],
        capture_output=True,
        text=True,
        env=env,
        input=text,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def opened(home: Path) -> Path:
    """A home in which the index of values was saved by an earlier command: making it needs the sounds."""
    assert run(home, "read", "8月张江的收缴率").returncode == 0
    assert (home / "park.duckdb.wenshu-index").exists()
    return home


HEAVY = (
    "duckdb",
    "sqlglot",
    "pydantic",
    "sqlalchemy",
    "opencc",
    "pypinyin",
    "rapidfuzz",
    "rich",
    "yaml",
)


@pytest.mark.parametrize(
    ("command", "spared"),
    [
        (["--help"], HEAVY),
        (["read", "--json", "8月张江的收缴率"], ("sqlalchemy", "rich", "rapidfuzz", "pypinyin")),
        (["explain", "--json", "8月张江的收缴率"], ("sqlalchemy", "rich", "rapidfuzz", "pypinyin")),
        (["ask", "8月张江的收缴率"], ("sqlalchemy", "pygments", "rapidfuzz", "pypinyin")),
        (["ask", "--json", "8月张江的收缴率"], ("sqlalchemy", "rich", "rapidfuzz", "pypinyin")),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_what_a_command_does_not_need_is_not_imported(
    opened: Path, command: list[str], spared: tuple[str, ...]
) -> None:
    code = (
        f"import sys; sys.argv={['wenshu', *command]!r}\n"
        "from api.main import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code, end\n"
        f"print([m for m in {spared!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "WENSHU_HOME": str(opened), "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_ask_in_json(home: Path) -> None:
    done = run(home, "ask", "--json", "8月张江的收缴率是多少", "临港呢")
    assert done.returncode == 0, done.stderr
    first, second = [json.loads(line) for line in done.stdout.splitlines()]
    assert first["outcome"] == "answer"
    assert second["slots"]["filters"] == {"park_id": ["P002"]}
    assert second["changes"]["set"] == ["filters.park_id"]
    assert second["provenance"]["time"]["source"] == "carried"
    assert second["as_of"] == "2026-09-28T00:00:00"
    assert first["sql"].startswith("WITH") or first["sql"].startswith("SELECT")


def test_a_request_is_a_question_a_chip_undo_or_keep(home: Path) -> None:
    chip = '{"edit": [{"slot": "filters", "value": {"park_id": ["P002"]}}]}'
    done = run(home, "ask", "张江8月的收缴率", chip, "/undo", "现在空置率", "/keep", "--json")
    turns = [json.loads(line) for line in done.stdout.splitlines()]
    assert [turn["outcome"] for turn in turns] == ["answer"] * 5
    places = [turn["slots"]["filters"].get("park_id") for turn in turns]
    assert places == [["P001"], ["P002"], ["P001"], None, ["P001"]]
    assert turns[1]["provenance"]["filters.park_id"]["source"] == "edited"


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ('{"edit": [{"slot": "mood"}]}', "edit[0].slot: one of metrics"),
        ('{"undo": ', "line 1, column"),
    ],
)
def test_what_is_no_request_is_a_usage_error(home: Path, request_: str, says: str) -> None:
    done = run(home, "ask", "张江8月的收缴率", request_, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert says in run(home, "chat", text=f"{request_}\n").stdout


def test_a_narrow_terminal_cuts_no_number(home: Path) -> None:
    env = {**os.environ, "WENSHU_HOME": str(home), "COLUMNS": "36", "PYTHONUTF8": "1"}
    command = [*WENSHU, "ask", "今年各园区应收、实收和欠费"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    table = done.stdout.partition("┡")[2]
    assert table
    assert "…" not in table


def test_amounts_are_strings_in_json(home: Path) -> None:
    done = run(home, "ask", "--json", "8月张江应收")
    assert isinstance(json.loads(done.stdout)["result"]["rows"][0][0], str)


def test_demo_once_then_replay_in_another_process(home: Path) -> None:
    played = run(home, "demo", "--once")
    assert played.returncode == 0, played.stdout + played.stderr
    for words in (
        "> 张江科技园2026年8月各楼栋空置房源数",
        "已换话题，不再沿用：张江科技园、1号楼、2026年9月",
        "same",
    ):
        assert words in played.stdout
    replayed = run(home, "replay", "--all", "--json")
    assert replayed.returncode == 0, replayed.stdout
    counts = json.loads(replayed.stdout)
    assert counts["turns"] >= 6
    assert counts["same"] == counts["turns"]


def test_the_demo_serves_the_page_until_it_is_stopped(home: Path) -> None:
    """Told in one line; the conversation that was played is in the page's list; a second one finds the port taken."""
    port = free_port()
    env = {**os.environ, "WENSHU_HOME": str(home), "WENSHU_PORT": str(port), "PYTHONUTF8": "1"}
    out, err = subprocess.PIPE, subprocess.PIPE
    demo = subprocess.Popen([*WENSHU, "demo"], env=env, text=True, stdout=out, stderr=err)
    try:
        assert demo.stdout is not None
        told = next(line for line in demo.stdout if "http://" in line)
        place = f"http://127.0.0.1:{port}"
        assert told == f"对话页 · the chat page: {place}/ （Ctrl-C 结束 · stops it）\n"
        with httpx.Client(base_url=place, timeout=30) as client:
            assert "page/app.js" in client.get("/").text
            (played,) = client.get("/v1/sessions").json()["sessions"]
            assert (played["title"], played["turns"]) == ("张江科技园2026年8月各楼栋空置房源数", 6)
            history = client.get(f"/v1/sessions/{played['session_id']}").json()["history"]
            assert [turn["outcome"] for turn in history] == ["answer"] * 5 + ["explain"]
        code = "from api.commands.serve import page; raise SystemExit(page(None, 'x', []))"
        command = [sys.executable, "-c", code]
        second = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        assert second.returncode == 2
        taken = f"port {port} is taken, choose another: WENSHU_PORT={port + 1} make demo"
        assert taken in second.stderr
        demo.send_signal(signal.SIGINT)
        _, complained = demo.communicate(timeout=60)
        assert (demo.returncode, complained) == (0, "")
    finally:
        demo.kill()
        demo.wait()


def test_chat_shows_options_and_takes_a_number(home: Path) -> None:
    done = run(home, "chat", text="张江8月收费情况怎么样\n3\n/undo\n/sql\n/nonsense\n/quit\n")
    assert done.returncode == 0, done.stderr
    assert "3. 收缴率" in done.stdout
    assert "收缴率：" in done.stdout


def test_eval_writes_the_report_and_every_turn_replays(home: Path, tmp_path: Path) -> None:
    out, ledger = tmp_path / "report.json", tmp_path / "ledger.sqlite"
    done = run(
        home,
        "eval",
        "fixtures/questions/park-hard.yaml",
        "--json",
        str(out),
        "--ledger",
        str(ledger),
    )
    assert done.returncode == 0, done.stdout
    assert "TM-14" in done.stdout
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["scores"]["turn_accuracy"] >= 0.99
    replayed = json.loads(run(home, "replay", "--all", "--ledger", str(ledger), "--json").stdout)
    assert replayed["same_slots_and_sql"] == replayed["turns"] > 100


def test_check_says_what_is_wrong_and_where(tmp_path: Path, home: Path) -> None:
    good = run(home, "check")
    assert good.returncode == 0, good.stdout
    assert good.stdout.startswith("ok: 6 objects")
    broken = tmp_path / "layer.yaml"
    broken.write_text(
        "wenshu: 1\nlayer: x\ntables:\n  t:\n    kye: id\n    columns: {id: text}\n",
        encoding="utf-8",
    )
    bad = run(home, "check", str(broken))
    assert bad.returncode == 1
    assert (
        f"{broken}:5:5: error unknown-key: there is no key `kye` here (did you mean `key`?)"
        in bad.stdout
    )
    assert run(home, "check", str(tmp_path / "nowhere")).returncode == 2


def test_read_tells_what_was_not_understood(home: Path) -> None:
    done = run(home, "read", "张江今年的利润率", "--json")
    assert done.returncode == 1
    assert [item["text"] for item in json.loads(done.stdout)["not_understood"]] == ["利润率"]
    assert run(home, "read", "张江今年的收缴率").returncode == 0


def test_explain_shows_plan_and_sql(home: Path) -> None:
    done = run(home, "explain", "8月各园区收缴率")
    assert done.returncode == 0
    assert "fact_bill_totals" in done.stdout
    assert "SELECT" in done.stdout


def test_usage_errors(home: Path) -> None:
    assert run(home, "ask").returncode == 2
    assert (
        run(
            home, "ask", "x", "--warehouse", "/nowhere.duckdb", "--layer", "fixtures/park/layer"
        ).returncode
        == 2
    )
    assert run(home, "eval", "/nowhere.yaml").returncode == 2


def test_read_shows_each_stretch_and_the_second_best(opened: Path) -> None:
    done = run(opened, "read", "今年欠费最多的5家租户同比", "--clock", "2026-09-28")
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[0] == "query · score 136"
    assert "欠费 metric +19.0 metric outstanding_amount" in lines
    assert "set comparison yoy ← 同比" in lines
    at = lines.index("second best, 9.5 below (- only above, + only here):")
    assert lines[at + 1 :] == [
        "- 同比 compare +20.0", "+ 同 and +6.5", "+ 比 filler +4.0", "- set comparison yoy ← 同比"
    ]  # fmt: skip


def test_read_tells_what_is_not_understood(opened: Path) -> None:
    done = run(opened, "read", "--json", "看看蓝色的应收")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert [item["text"] for item in told["not_understood"]] == ["蓝色"]
    assert [(item["text"], item["kind"]) for item in told["tokens"]] == [
        ("看看", "filler"), ("的", "filler"), ("应收", "metric")
    ]  # fmt: skip
    assert told["score"] == sum(item["weight"] for item in told["tokens"]) - 24
    assert {"below", "score", "edits", "tokens"} <= set(
        told["second_best"] or {"below", "score", "edits", "tokens"}
    )


def test_a_file_of_times_is_checked(home: Path, tmp_path: Path) -> None:
    gold = Path("tests/nl2sql_times/time_gold.csv")
    done = run(home, "read", "--times", str(gold))
    assert (done.returncode, done.stdout) == (0, "125 of 125 right (100.0%)\n")
    own = tmp_path / "own.csv"
    own.write_text(
        "text,start,end_exclusive,grain,clock,looks\n"
        "12月,2026-12-01,2027-01-01,month,2026-09-28,ahead\n"
        "12月,2026-12-01,2027-01-01,month,2026-09-28,back\n"
        "工作日,2026-09-28,2026-09-29,day,,\n",
        encoding="utf-8",
    )
    done = run(home, "read", "--times", str(own))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"{own}:3: 12月: right is 2026-12-01..2027-01-01 month, found 2025-12-01..2026-01-01 month",
        f"{own}:4: 工作日: right is 2026-09-28..2026-09-29 day, found nothing",
        "1 of 3 right (33.3%)",
    ]
    done = run(home, "read", "--times", str(tmp_path / "none.csv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "none.csv" in done.stderr


def test_eval_against_an_earlier_report(home: Path, tmp_path: Path) -> None:
    questions = tmp_path / "set.yaml"
    text = (
        "set: small\nclock: 2026-09-28\ndialogues:\n- id: one\n  turns:\n"
        "  - {ask: 8月张江的应收, expect: answer}\n  - {ask: 利润率呢, expect: clarify}\n"
    )
    questions.write_text(text, encoding="utf-8")
    old, ledger = tmp_path / "old.json", tmp_path / "ledger.sqlite"
    asked = ("eval", "--quiet", "--ledger", str(ledger), str(questions))
    assert run(home, *asked, "--json", str(old), "--repeat", "2").returncode == 0
    questions.write_text(text.replace("clarify", "decline"), encoding="utf-8")
    better = run(home, *asked, "--against", str(old))
    assert better.returncode == 0, better.stderr
    assert "became right: small one 2 (missed-ask: decline" in better.stdout
    assert better.stdout.splitlines()[-1] == "1 became right, 0 became wrong"
    questions.write_text(text.replace("answer", "decline"), encoding="utf-8")
    worse = run(home, *asked, "--against", str(old))
    assert worse.returncode == 1
    assert "became wrong: small one 1 (missed-decline: answer" in worse.stdout
    old.write_text("{}", encoding="utf-8")
    assert run(home, *asked, "--against", str(old)).returncode == 2
