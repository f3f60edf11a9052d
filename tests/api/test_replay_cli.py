"""`wenshu replay` and `wenshu impact`, as an auditor and an analyst meet them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest

from tests.api.test_audit import home, ledger, run

__all__ = ["home", "ledger"]

PARK = Path("fixtures/park/layer")


@pytest.fixture
def next_layer(tmp_path: Path) -> Path:
    folder = tmp_path / "next"
    shutil.copytree(PARK, folder)
    bill = folder / "bill.yaml"
    text = bill.read_text("utf-8")
    assert "formula: received_amount / receivable_amount" in text
    text = text.replace(
        "formula: received_amount / receivable_amount",
        "formula: received_amount / (receivable_amount + 1)",
    )
    bill.write_text(text, "utf-8")
    return folder


def test_a_session_a_time_and_all(home: Path, ledger: Path) -> None:
    every = run(home, "replay", "--all", "--ledger", ledger)
    assert (every.returncode, every.stdout) == (0, "2 turns: 2 the same\n")
    none = run(home, "replay", "--until", "2001-01-01", "--json", "--ledger", ledger)
    assert (none.returncode, json.loads(none.stdout)["turns"]) == (1, 0)
    later = run(home, "replay", "--since", "2001-01-01", "--json", "--ledger", ledger)
    assert json.loads(later.stdout) == {
        "turns": 2, "same": 2, "same_slots_and_sql": 2, "interrupted": 0, "causes": {}, "different": [],
    }  # fmt: skip
    assert run(home, "replay", "nothing", "--ledger", ledger).returncode == 2


def test_a_diff_that_an_auditor_can_read(home: Path, ledger: Path, next_layer: Path) -> None:
    data = home / "park.duckdb"
    now = ("--layer", next_layer, "--warehouse", data, "--ledger", ledger)
    done = run(home, "replay", "--all", *now)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "2 turns: 0 the same, 2 definition"
    for line in ("  definition", "    sql", "      --- then", "      +++ now", "    rows"):
        assert line in done.stdout.splitlines()
    assert "+ 1" in done.stdout
    told = json.loads(run(home, "replay", "--all", "--json", *now).stdout)
    assert told["causes"] == {"definition": 2}
    assert told["different"][0]["changed"].keys() == {"definition"}


@pytest.mark.parametrize(
    ("change", "causes", "shown"),
    [
        (
            "update fact_payment set amount = amount + 1 where bill_id in (select bill_id from "
            "fact_bill where park_id = 'P001' and bill_month = date '2026-08-01')",
            {"data": 1},
            "sum of collection_rate: 0.9188730439",
        ),
    ],
    ids=["a changed row"],
)
def test_a_cause_in_the_data_is_named(
    home: Path, ledger: Path, tmp_path: Path, change: str, causes: dict[str, int], shown: str
) -> None:
    data = tmp_path / "changed.duckdb"
    shutil.copy(home / "park.duckdb", data)
    with duckdb.connect(str(data)) as connection:
        connection.execute(change)
    now = ("--warehouse", data, "--ledger", ledger)
    done = run(home, "replay", "--all", "--json", *now)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert (told["turns"], told["same_slots_and_sql"], told["causes"]) == (2, 2, causes)
    (verdict,) = told["different"]
    assert verdict["question"] == "8月张江的收缴率"
    assert verdict["changed"].keys() == {"data"}
    (turn,) = [verdict["turn_id"]]
    assert shown in run(home, "replay", turn, *now).stdout


def test_what_was_erased_is_named(home: Path, ledger: Path) -> None:
    what = ("--containing", "临港呢", "--why", "asked to", "--yes")
    assert run(home, "audit", "erase", *what, "--ledger", ledger).returncode == 0
    told = json.loads(run(home, "replay", "--all", "--json", "--ledger", ledger).stdout)
    assert (told["same"], told["causes"]) == (1, {"erased": 1})


def test_impact(home: Path, ledger: Path, next_layer: Path) -> None:
    done = run(home, "impact", next_layer, "--ledger", ledger)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[:4] == [
        "2 turns: 0 the same, 2 change",
        "  sql: 2",
        "  numbers: 2",
        "  metrics in them: collection_rate 2",
    ]
    told = json.loads(run(home, "impact", next_layer, "--json", "--ledger", ledger).stdout)
    assert (told["turns"], told["changed"], told["kinds"]) == (2, 2, {"sql": 2, "numbers": 2})
    same = run(home, "impact", PARK, "--ledger", ledger)
    assert (same.returncode, same.stdout) == (0, "2 turns: 2 the same, 0 change\n")


def test_errors_of_the_new_layer_are_told_with_their_place(
    home: Path, ledger: Path, next_layer: Path
) -> None:
    head = next_layer / "layer.yaml"
    head.write_text(head.read_text("utf-8").replace("currency:", "curency:"), "utf-8")
    done = run(home, "impact", next_layer, "--ledger", ledger)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{head}:" in done.stderr
    assert "unknown-key" in done.stderr
