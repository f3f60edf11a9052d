"""`python -m benchmarks load`: a layer of a thousand metrics is written and loaded."""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from pathlib import Path

from semantic_layer.load import load, resolve
from semantic_layer.yamldoc import read

OBJECTS, METRICS, ROUNDS, BAR = 40, 25, 7, 250
KINDS = ("sum: amount", "count: rows", "average: price", "count_distinct: customer_id")


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        size = sum(file.stat().st_size for file in Path(folder).glob("*.yaml"))
        layer = load(Path(folder))
        print(f"{len(layer.metrics)} metrics, {len(layer.objects)} objects, {size / 1000:.0f} kB\n")
        whole = [clock(Path(folder)) for _ in range(ROUNDS)]
        median, computing = (statistics.median(part) for part in zip(*whole, strict=True))
        print(
            f"loading: median {median:.0f} ms (bar {BAR} ms), of the processor {computing:.0f} ms"
        )
        files = sorted(Path(folder).glob("*.yaml"), key=lambda file: file.name != "layer.yaml")
        gc.disable()  # as loading does
        start = time.perf_counter()
        documents = [read(file) for file in files]
        parsed = time.perf_counter()
        resolve(documents)
        done = time.perf_counter()
        gc.enable()
        print(f"  of it reading YAML {(parsed - start) * 1000:.0f} ms")
        print(f"  validating and resolving {(done - parsed) * 1000:.0f} ms")


def clock(folder: Path) -> tuple[float, float]:
    """Milliseconds that loading takes, by the clock and of the processor."""
    start, computing = time.perf_counter(), time.process_time()
    load(folder)
    return (time.perf_counter() - start) * 1000, (time.process_time() - computing) * 1000


def write(folder: Path) -> None:
    """A layer as it is written: words in two languages, descriptions, conditions, formulas."""
    tables, dimensions = [], []
    for index in range(OBJECTS):
        tables.append(
            f"  fact_{index}:\n    key: id\n    columns: {{id: integer, customer_id: text, kind: text, "
            f"day: date, amount: decimal, price: decimal}}\n    joins: {{customer: customer}}"
        )
        dimensions.append(
            f"  kind_{index}:\n    words: {{zh: [类别{index}], en: [kind {index}]}}\n"
            f"    column: fact_{index}.kind\n    enum: {{A: [甲{index}], B: [乙{index}]}}"
        )
        (folder / f"object_{index}.yaml").write_text(an_object(index), encoding="utf-8")
    head = "wenshu: 1\nlayer: large\ntables:\n"
    head += "  customer: {key: customer_id, columns: {customer_id: text, city: text}}\n"
    head += "\n".join(tables) + "\ndimensions:\n"
    head += "  city: {words: {zh: [城市], en: [city]}, column: customer.city}\n"
    (folder / "layer.yaml").write_text(head + "\n".join(dimensions) + "\n", encoding="utf-8")


def an_object(index: int) -> str:
    """One object with its metrics; every fifth is a formula."""
    lines = [
        f"object: thing_{index}",
        f"words: {{zh: [事物{index}], en: [thing {index}]}}",
        f"table: fact_{index}",
        "time: {column: day, unasked: year_to_date}",
        f"dimensions: [city, kind_{index}]",
        "metrics:",
    ]
    for number in range(METRICS):
        name = f"metric_{index}_{number}"
        lines += [
            f"  {name}:",
            f"    words: {{zh: [指标{index}之{number}, 数{index}之{number}], en: [metric {index} {number}]}}",
            f"    description: {{zh: 事物{index}的第{number}个指标, en: Metric {number} of thing {index}}}",
        ]
        if number % 5 == 4:
            lines.append(f"    formula: metric_{index}_{number - 4} / metric_{index}_{number - 3}")
        else:
            lines.append(f"    {KINDS[number % 5]}")
            lines.append(f"    where: \"kind = 'A' and amount > {number}\"")
    return "\n".join(lines) + "\n"
