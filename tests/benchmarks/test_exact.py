"""Amounts are right to the cent and the same with any number of threads, at a size for every day.

The large one is `python -m benchmarks exact`.
"""

from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from benchmarks.exact import Made, make, money, repeated

ROWS, REPEATS = 200_000, 20


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("exact"), ROWS)


@pytest.mark.parametrize(
    ("question", "rows"), [("in all", 1), ("by shop", 20), ("by shop and month", 660)]
)
def test_one_answer_whatever_the_threads_and_it_is_the_sum_in_cents(
    made: Made, question: str, rows: int
) -> None:
    found = repeated(made, question, REPEATS)
    assert found == {made.right(question): REPEATS}
    (answer,) = found
    assert len(answer) == rows
    assert all(isinstance(cell, Decimal) for row in answer for cell in row[-3:])


def test_the_right_sums_are_those_of_the_rows(tmp_path: Path) -> None:
    """The count in cents, against the rows taken back out and added up as decimals."""
    made = make(tmp_path, 1000)
    with duckdb.connect(str(made.database), read_only=True) as connection:
        amounts = [row[0] for row in connection.execute("select amount from sale").fetchall()]
    turnover, returned = sum(amounts), sum(item for item in amounts if item < 0)
    assert len(amounts) == 1000
    assert made.right("in all") == ((turnover, returned, turnover - returned),)
    assert (money(-5), money(123456)) == (Decimal("-0.05"), Decimal("1234.56"))
