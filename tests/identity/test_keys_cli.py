"""`wenshu keys …`: whole processes, exit codes, JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.clock import epoch
from api.identity.keys import KeyFile


def run(home: Path, *args: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "api.main", "keys", *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, "WENSHU_HOME": str(home), "PYTHONUTF8": "1", **env},
        timeout=120,
        check=False,
    )


def test_add_list_revoke(tmp_path: Path) -> None:
    done = run(tmp_path, "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"there are no keys in {tmp_path / 'keys.json'}\n"
    done = run(
        tmp_path,
        "add",
        "Ann 的报表",
        *("--scope", "user", "--scope", "auditor", "--user", "ann", "--tenant", "acme"),
        *("--attribute", "park_id=P001,P002", "--attribute", "park_id=P003"),
        *("--expires", "2099-01-01", "--origin", "https://app.example.com"),
    )
    assert done.returncode == 0, done.stderr
    key = done.stdout.strip()
    found = KeyFile(tmp_path / "keys.json").principal(key, None, epoch())
    assert (found.user.id, found.scopes) == ("acme/ann", frozenset({"user", "auditor"}))
    assert found.attributes == (("park_id", ("P001", "P002", "P003")),)
    assert found.everything is False
    listed = run(tmp_path, "list").stdout
    assert listed == (
        f"{found.key_id}  active   Ann 的报表  acme/ann  user,auditor  park_id=P001,P002,P003  "
        "until 2099-01-01T00:00:00+00:00  https://app.example.com\n"
    )
    done = run(tmp_path, "revoke", found.key_id)
    assert done.returncode == 0
    assert done.stdout.startswith(f"key {found.key_id} (Ann 的报表) is revoked since 20")
    (told,) = [json.loads(line) for line in run(tmp_path, "list", "--json").stdout.splitlines()]
    assert (told["state"], told["expires"]) == ("revoked", "2099-01-01T00:00:00Z")
    assert "digest" not in told


def test_in_json_and_another_file(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "service.json"
    done = run(tmp_path, "add", "bot", "--all-data", "--json", WENSHU_KEYS=str(file))
    told = json.loads(done.stdout)
    assert (told["user"], told["tenant"], told["scopes"]) == ("bot", "default", ["user"])
    assert (told["everything"], told["state"]) == (True, "active")
    assert KeyFile(file).principal(told["key"], None, epoch()).user.everything is True
    done = run(tmp_path, "revoke", told["id"], "--json", "--keys", file)
    assert json.loads(done.stdout)["state"] == "revoked"
    assert not (tmp_path / "keys.json").exists()


def test_a_key_that_sees_nothing_is_told(tmp_path: Path) -> None:
    assert "where a row policy applies it sees nothing" in run(tmp_path, "add", "ann").stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("ann", "--scope", "root"), "there is no scope 'root': it is one of user, analyst"),
        (("ann", "--attribute", "park_id"), "written NAME=VALUE,VALUE"),
        (("ann", "--attribute", "park_id=P001,"), "written NAME=VALUE,VALUE"),
        (("ann", "--attribute", "a=b", "--all-data"), "leave one of them out"),
        (("ann", "--expires", "soon"), "an end is written 2027-01-01"),
        (("ann", "--expires", "2020-01-01"), "would have expired already"),
        (("ann", "--origin", "app.example.com"), "an origin is written https://host"),
        ((" ann",), "a name has 1 to 200 visible characters"),
    ],
)
def test_what_no_key_can_be(tmp_path: Path, args: tuple[str, ...], says: str) -> None:
    done = run(tmp_path, "add", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert not (tmp_path / "keys.json").exists()


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text("{", encoding="utf-8")
    for command in (("list",), ("add", "ann"), ("revoke", "0a1b2c3d")):
        done = run(tmp_path, *command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"the key file {tmp_path / 'keys.json'} is broken: ")
        assert len(done.stderr.splitlines()) == 1


def test_no_such_key(tmp_path: Path) -> None:
    done = run(tmp_path, "revoke", "0a1b2c3d")
    assert done.returncode == 2
    assert "there is no key '0a1b2c3d'" in done.stderr


def test_what_the_keys_do_not_need_is_not_imported(tmp_path: Path) -> None:
    heavy = ("cryptography", "joserfc", "limits", "fastapi", "sqlalchemy", "duckdb", "dialogue")
    code = (
        f"import sys; sys.argv=['wenshu', 'keys', 'list', '--keys', {str(tmp_path / 'k')!r}]\n"
        "from api.main import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code, end\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
