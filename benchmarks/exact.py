"""`python -m benchmarks exact`: amounts to the cent over ten million rows, and the same with any threads.

The right sums are counted in whole cents while the rows are made. The rows mix amounts from a cent to
a hundred million, some negative, so that sums of floating-point numbers would miss cents. Questions
take the real way: a layer in YAML, slots, compiled, guarded, read back, run by the locked warehouse.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.slots import Slots
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import loads
from semantic_layer.protocols import Cell

FOLDER, ROWS, REPEATS, THREADS = Path("var/bench"), 10_000_000, 100, range(1, 9)
CLOCK = datetime(2026, 9, 28)
FIRST, DAYS, SHOPS = date(2024, 1, 1), 1000, 20
LARGEST = (100, 10_000, 1_000_000, 10_000_000_000)  # cents, each as often as the others
LAYER = """
wenshu: 1
layer: exact
tables:
  sale:
    key: sale_id
    columns: {sale_id: integer, shop: text, sold_on: date, amount: decimal}
dimensions:
  shop: {words: {en: [shop]}, column: sale.shop}
objects:
  sale:
    words: {en: [sales]}
    table: sale
    time: {column: sold_on}
    dimensions: [shop]
    metrics:
      turnover: {words: {en: [turnover]}, sum: amount}
      returned: {words: {en: [returned]}, sum: amount, where: amount < 0}
      sold: {words: {en: [sold]}, formula: turnover - returned}
"""
METRICS = ("turnover", "returned", "sold")
QUESTIONS = {
    "in all": Slots("sale", METRICS),
    "by shop": Slots("sale", METRICS, ("shop",)),
    "by shop and month": Slots("sale", METRICS, ("shop",), "month"),
}
Answer = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A database, and its sums in cents by shop and month: of everything, and of what is negative."""

    database: Path
    cents: dict[tuple[str, str], tuple[int, int]]

    def right(self, question: str) -> Answer:
        """The right rows of a question, in the order in which they are shown."""
        totals: dict[tuple[Cell, ...], list[int]] = {}
        for (shop, month), (everything, negative) in self.cents.items():
            key: tuple[Cell, ...] = {
                "in all": (),
                "by shop": (shop,),
                "by shop and month": (date.fromisoformat(month), shop),
            }[question]
            sums = totals.setdefault(key, [0, 0])
            sums[0] += everything
            sums[1] += negative
        return tuple(
            (*key, money(both), money(negative), money(both - negative))
            for key, (both, negative) in sorted(
                totals.items(), key=lambda item: [str(cell) for cell in item[0]]
            )
        )


def money(cents: int) -> Decimal:
    """Whole cents as an amount."""
    return Decimal(cents).scaleb(-2)


def make(folder: Path, rows: int) -> Made:
    """A database of so many sales and its right sums; made once in a folder."""
    database, sums = folder / f"exact-{rows}.duckdb", folder / f"exact-{rows}.json"
    if not sums.exists():
        folder.mkdir(parents=True, exist_ok=True)
        database.unlink(missing_ok=True)
        found = write(database, rows)
        sums.write_text(json.dumps([[*key, *value] for key, value in found.items()]))
    stored = json.loads(sums.read_text())
    return Made(database, {(shop, month): (both, less) for shop, month, both, less in stored})


def write(database: Path, rows: int) -> dict[tuple[str, str], tuple[int, int]]:
    """Write the rows and count their cents, the same rows every time."""
    draw = random.Random(20260928).getrandbits
    days = [FIRST + timedelta(days=number) for number in range(DAYS)]
    dates, months = [str(day) for day in days], [str(day.replace(day=1)) for day in days]
    everything: Counter[tuple[str, str]] = Counter()
    negative: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(dir=database.parent) as folder:
        file = Path(folder) / "sales.csv"
        with file.open("w", encoding="ascii") as out:
            for number in range(rows):
                bits = draw(64)
                day, shop = bits % DAYS, f"S{(bits >> 10) % SHOPS:02}"
                cents = (bits >> 24) % LARGEST[bits >> 62] + 1
                key = (shop, months[day])
                everything[key] += cents if bits & 7 else -cents
                if not bits & 7:
                    negative[key] -= cents
                sign = "" if bits & 7 else "-"
                out.write(f"{number},{shop},{dates[day]},{sign}{cents // 100}.{cents % 100:02}\n")
        columns = "{'sale_id': 'INTEGER', 'shop': 'VARCHAR', 'sold_on': 'DATE', 'amount': 'DECIMAL(14,2)'}"
        with duckdb.connect(str(database)) as connection:
            connection.execute(
                f"create table sale as select * from read_csv('{file}', header = false, columns = {columns})"
            )
    return {key: (total, negative[key]) for key, total in everything.items()}


def answers(made: Made, threads: int, times: int, question: str) -> list[Answer]:
    """The rows of a question, asked so many times of a warehouse with so many threads."""
    layer, slots = loads(LAYER), QUESTIONS[question]
    sql = build(Question(slots, layer, CLOCK)).sql
    readback.check_tree(guard.check(sql, layer), slots, layer, CLOCK)
    warehouse = DuckDBWarehouse(made.database, threads=threads)
    try:
        return [warehouse.run(sql).rows for _ in range(times)]
    finally:
        warehouse.close()


def repeated(made: Made, question: str, repeats: int) -> Counter[Answer]:
    """The different rows that a question gave, over all numbers of threads, and how often each."""
    found: Counter[Answer] = Counter()
    for position, threads in enumerate(THREADS):
        times = repeats // len(THREADS) + (position < repeats % len(THREADS))
        found.update(answers(made, threads, times, question))
    return found


def main() -> None:
    """Make, ask, compare and print."""
    begun = time.perf_counter()
    made = make(FOLDER, ROWS)
    print(f"{ROWS:,} rows ({time.perf_counter() - begun:.0f} s to make or open)\n")
    failed = False
    for question in QUESTIONS:
        right = made.right(question)
        found = repeated(made, question, REPEATS)
        same = list(found) == [right]
        failed |= not same
        figures = sum(len(row) for row in right)
        print(
            f"{question:20} {len(right):4} rows, {figures:5} cells: asked {found.total()} times with "
            f"{THREADS[0]} to {THREADS[-1]} threads, {len(found)} answer(s), "
            + ("to the cent" if same else "NOT the sums in cents")
        )
    print(f"{'for comparison':20} {floats(made)}")
    if failed:
        sys.exit(1)


def floats(made: Made) -> str:
    """What a sum of floating-point numbers gives."""
    found = set()
    for threads in THREADS:
        with duckdb.connect(str(made.database), config={"threads": threads}) as connection:
            select = "select sum(amount::double)::varchar from sale"
            found |= {connection.execute(select).fetchall()[0][0] for _ in range(5)}
    total = made.right("in all")[0][0]
    return (
        f"as DOUBLE the sum is one of {len(found)} values, such as {max(found)}; right is {total}"
    )
