"""The comparison with other semantic layers: our own side of it, and a peer that cannot be installed."""

from pathlib import Path

import duckdb
import pytest

from benchmarks.peers import layers, measure, plain, rows, same, verdict
from benchmarks.peers.questions import ASKED


def test_ours_gives_the_right_rows_in_a_process_of_its_own(park_copy: Path) -> None:
    ours = layers.start("wenshu")
    assert ours is not None
    for question in ASKED:
        ours.compile(question.id, 2)
    ours.compile("nonsense", 1)
    ours.close()
    assert ours.process.returncode == 0
    assert {name: len(took) for name, took in ours.took.items()} == {item.id: 2 for item in ASKED}
    assert ours.refusals == {"nonsense": "refused: KeyError: 'nonsense'"}
    with duckdb.connect(str(park_copy), read_only=True) as connection:
        for question in ASKED:
            right = rows(connection, question.truth)
            assert verdict(connection, question, right, ours) == same(right)
            assert right


def test_wrong_rows_are_told(park_copy: Path) -> None:
    question = ASKED[3]
    layer = layers.Layer("peer", None)  # type: ignore[arg-type]
    layer.sql[question.id] = question.truth.replace("count(*)", "count(*) + 1")
    with duckdb.connect(str(park_copy), read_only=True) as connection:
        right = rows(connection, question.truth)
        assert verdict(connection, question, right, layer).startswith("WRONG: 6 rows for 6")


def test_layers_take_turns_and_each_begins_once() -> None:
    asked: list[tuple[str, str]] = []

    class Named(layers.Layer):
        def compile(self, question: str, times: int) -> None:
            asked.append((question, self.name))

    both = [Named("a", None), Named("b", None)]  # type: ignore[arg-type]
    measure(list[layers.Layer](both))
    of_first = [name for question, name in asked if question == ASKED[0].id]
    assert of_first[:8] == ["a", "b", "a", "b", "b", "a", "a", "b"]  # the first two warm up


def test_a_peer_that_cannot_be_installed_is_told_and_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(layers, "VENV", tmp_path / "venv")
    monkeypatch.setattr(layers.sys, "executable", str(tmp_path / "python"))  # no uv beside it
    assert layers.start("sidemantic") is None
    assert capsys.readouterr().out.startswith(
        "sidemantic==0.13.0 cannot be installed, left out: [Errno 2]"
    )
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize(
    ("value", "shown"), [(1.0, "1"), ("2025-01-01 00:00:00", "2025-01-01"), ("A", "A")]
)
def test_cells_are_compared_by_what_they_mean(value: object, shown: str) -> None:
    assert plain(value) == shown
