"""The commands over a ledger in PostgreSQL, by its URL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.test_audit import run


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_asked_replayed_verified_erased_archived(
    url: str, tmp_path: Path, park_database: Path
) -> None:
    (tmp_path / "park.duckdb").symlink_to(park_database)
    asked = run(tmp_path, "ask", "--json", "8月张江的收缴率", "临港呢", WENSHU_LEDGER=url)
    assert asked.returncode == 0, asked.stderr
    assert run(tmp_path, "replay", "--all", "--ledger", url).returncode == 0
    head = run(tmp_path, "audit", "head", "--ledger", url).stdout.strip()
    what = ("--containing", "临港呢", "--why", "told to", "--yes")
    assert run(tmp_path, "audit", "erase", "--ledger", url, *what).returncode == 0
    old = tmp_path / "old.sqlite"
    moved = run(tmp_path, "audit", "archive", "--before", "2999-01-01", old, "--ledger", url)
    assert moved.returncode == 0, moved.stderr
    verified = run(tmp_path, "audit", "verify", "--ledger", url, "--archive", old, "--head", head)
    assert verified.returncode == 0, verified.stdout
    backup = run(tmp_path, "audit", "backup", tmp_path / "b.sqlite", "--ledger", url)
    assert (backup.returncode, "pg_dump" in backup.stderr) == (2, True)
    nobody = run(tmp_path, "audit", "head", "--ledger", "postgresql://127.0.0.1:1/none")
    assert (nobody.returncode, "there is no ledger at" in nobody.stderr) == (2, True)
