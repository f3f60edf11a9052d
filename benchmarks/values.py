"""`python -m benchmarks values`: reading among 100 thousand and a million stored values.

A database of companies, people and codes with a layer of 100 metrics is made in a temporary folder. Each
size runs in processes of its own: one reads the values and makes the index, another one maps what was saved.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb

from nl2sql.reading import RuleReader
from nl2sql.reading.scan import scan
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import load
from semantic_layer.text import normalise
from semantic_layer.values import ValueIndex, build_index

SIZES = (100_000, 1_000_000)
QUESTIONS, ROUNDS = 400, 3
LENGTHS = (100, 300, 1000, 3000, 10_000)
BARS = {
    100_000: "p50 < 1 ms, p95 < 3 ms",
    1_000_000: "p95 < 5 ms; memory < 1,200 MB",
}
CITIES = ("上海", "北京", "深圳", "广州", "杭州", "苏州", "南京", "成都", "武汉", "西安", "重庆")
FIRST = "华鑫瑞博凯恒腾云蓝海天星光明嘉盛泰安宏图远景智联创新科维德诚信达康宁美佳优越卓尚"
TRADES = ("半导体", "科技", "信息技术", "生物医药", "新能源", "智能装备", "供应链管理", "物流")
FORMS = ("有限公司", "股份有限公司", "有限责任公司", "集团有限公司", "（上海）有限公司", "分公司")
SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高"
GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英建国文辉力波宇浩然子涵欣怡梓轩"
LATIN = ("Nova", "Acme", "Orbit", "Delta", "Prime", "Vertex", "Lumen", "Atlas", "Harbor", "Summit")
KINDS = ("Industries", "Logistics", "Software", "Foods", "Holdings", "Semiconductor", "Systems")


def main() -> None:
    """Measure both sizes; with `--one FOLDER SIZE make|mapped`, be one of the processes."""
    if "--one" in sys.argv:
        at = sys.argv.index("--one")
        print(json.dumps(measured(Path(sys.argv[at + 1]), int(sys.argv[at + 2]), sys.argv[at + 3])))
        return
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), size)
            print(f"\n{size:,} stored values, 100 metrics   (bar: {BARS[size]})")
            for how in ("make", "mapped"):
                told = run(Path(folder), size, how)
                print(f"  {how}: " + "  ".join(f"{name} {value}" for name, value in told.items()))


def run(folder: Path, size: int, how: str) -> dict[str, object]:
    """Measure in another process."""
    command = [sys.executable, "-m", "benchmarks", "values", "--one", str(folder), str(size), how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(folder: Path, size: int, how: str) -> dict[str, object]:
    """Open the values, and read questions where they are mapped."""
    layer = load(folder / "layer")
    warehouse = DuckDBWarehouse(folder / "values.duckdb", memory="1GB")
    saved = folder / "values.duckdb.wenshu-index"
    before = time.perf_counter()
    values = build_index(layer, warehouse, saved)
    opened = time.perf_counter() - before
    count = len(values.base)
    ready = time.perf_counter() - before
    if how == "make":
        return {
            "read from DuckDB": f"{opened:.1f} s",
            "index ready": f"{ready:.1f} s ({time.process_time():.1f} of the processor)",
            "file": f"{saved.stat().st_size / 1e6:.0f} MB",
            "peak memory": f"{peak():.0f} MB",
            "values": count,
        }
    warehouse.close()
    reader = RuleReader(layer, values)
    start = time.perf_counter()
    reader.read("看看华芯微的应收")  # loads the sounds and the near words of the layer
    first = time.perf_counter() - start
    told: dict[str, object] = {
        "opened in": f"{ready * 1000:.0f} ms",
        "first": f"{first * 1000:.0f} ms",
    }
    for kind, asked in questions(values).items():
        took = [clock(reader, text) for _ in range(ROUNDS) for text in asked]
        told[f"\n      {kind}"] = line(took)
    told["\n      all, mixed as people ask"] = line(
        [clock(reader, text) for _ in range(ROUNDS) for text in mixed(values)]
    )
    told["\n      memory"] = f"{rss():.0f} MB (peak {peak():.0f})"
    told["\n      µs a character"] = ", ".join(
        f"{length:,}: {cost:.1f}" for length, cost in per_character(reader, values)
    )
    return told


def line(took: list[float]) -> str:
    """The middle and the 95th of a hundred."""
    ordered = sorted(took)
    p95 = ordered[int(len(ordered) * 0.95)]
    return f"p50 {statistics.median(ordered):.2f} ms, p95 {p95:.2f} ms, most {ordered[-1]:.1f} ms"


def clock(reader: RuleReader, text: str) -> float:
    """Milliseconds of the processor that reading a text takes: others may work on the machine."""
    start = time.thread_time()
    reader.read_anew(text)
    return (time.thread_time() - start) * 1000


def per_character(reader: RuleReader, values: ValueIndex) -> Iterator[tuple[int, float]]:
    """Microseconds a character, for longer and longer texts, beyond what one question may have too."""
    text = "".join(f"{question}，" for question in mixed(values))
    for length in LENGTHS:
        plain = normalise(text[:length]).text
        took = []
        for _ in range(5):
            start = time.thread_time()
            scan(plain, reader.lexicon, values)
            took.append(time.thread_time() - start)
        yield length, min(took) / length * 1e6


def questions(values: ValueIndex) -> dict[str, list[str]]:
    """Questions by how they name a value."""
    chance = random.Random(11)
    names = [values.base.entry(chance.randrange(len(values.base))).name for _ in range(QUESTIONS)]
    months = itertools.cycle(["8月", "今年", "上个月", "近3个月", "2026年"])
    ends = itertools.cycle(["的指标3", "指标7同比", "按类别看指标12", "指标5前10名", "的metric 9"])

    def ask(words: list[str]) -> list[str]:
        return [f"{next(months)}{word}{next(ends)}" for word in words]

    return {
        "no value": ask([""] * QUESTIONS),
        "a whole name": ask(names),
        "the beginning of one": ask([name[: max(4, len(name) - 4)] for name in names]),
        "a part of one": ask([name[2:6] for name in names]),
        "one wrong character": ask([wrong(name, chance) for name in names]),
        "a word nobody knows": ask(["外星蘑菇"] * 50),
    }


def mixed(values: ValueIndex) -> list[str]:
    """Questions in the shares that people ask them: 40 % no value, 35 % whole, 15 % parts, 10 % typos."""
    found = questions(values)
    shares = {"no value": 160, "a whole name": 140, "the beginning of one": 40, "a part of one": 20}
    picked = [text for kind, count in shares.items() for text in found[kind][:count]]
    picked += found["one wrong character"][:36] + found["a word nobody knows"][:4]
    random.Random(5).shuffle(picked)
    return picked


def wrong(name: str, chance: random.Random) -> str:
    """A name with one character of it changed."""
    at = chance.randrange(len(name))
    return f"{name[:at]}{chance.choice('晨诚城欣新')}{name[at + 1 :]}"


def write(folder: Path, size: int) -> None:
    """The database and its layer."""
    rows = folder / "rows.csv"
    with rows.open("w", encoding="utf-8") as file:
        for index, name in enumerate(names(size)):
            file.write(f"K{index:07},{name}\n")
    with duckdb.connect(str(folder / "values.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE party AS SELECT column0 AS party_id, column1 AS party_name "
            f"FROM read_csv('{rows}', header = false, all_varchar = true)"
        )
        connection.execute(
            "CREATE TABLE fact AS SELECT 1 AS id, 'K0000001' AS party_id, 'A' AS kind, "
            "DATE '2026-01-01' AS day, 1.0 AS amount"
        )
    rows.unlink()
    target = folder / "layer"
    target.mkdir()
    (target / "layer.yaml").write_text(LAYER, encoding="utf-8")
    (target / "thing.yaml").write_text(OBJECT + "".join(metrics()), encoding="utf-8")


LAYER = """\
wenshu: 1
layer: values
tables:
  party: {key: party_id, columns: {party_id: text, party_name: text}}
  fact:
    key: id
    columns: {id: integer, party_id: text, kind: text, day: date, amount: decimal}
    joins: {party: party}
dimensions:
  party: {words: {zh: [客户], en: [party]}, column: party.party_id, label: party_name}
  kind: {words: {zh: [类别], en: [kind]}, column: fact.kind, enum: {A: [甲类], B: [乙类]}}
"""
OBJECT = """\
object: thing
words: {zh: [账目], en: [thing]}
table: fact
time: {column: day, unasked: year_to_date}
dimensions: [party, kind]
metrics:
"""


def metrics() -> Iterator[str]:
    """A hundred of them."""
    for number in range(100):
        yield f"  m{number}: {{words: {{zh: [指标{number}, 数目{number}], en: [metric {number}]}}, sum: amount}}\n"


def names(size: int) -> Iterator[str]:
    """Distinct names: six of ten Chinese companies, one English, two people, one code."""
    chance = random.Random(2026)
    seen: set[str] = set()
    while len(seen) < size:
        kind = chance.random()
        if kind < 0.6:
            core = "".join(chance.choice(FIRST) for _ in range(chance.choice((2, 3, 3))))
            name = (
                chance.choice((*CITIES, "")) + core + chance.choice(TRADES) + chance.choice(FORMS)
            )
        elif kind < 0.7:
            words = " ".join(chance.choice(LATIN) for _ in range(chance.choice((1, 2, 2))))
            name = f"{words} {chance.choice(KINDS)} {chance.randrange(1, 999)} Ltd"
        elif kind < 0.9:
            name = chance.choice(SURNAMES) + "".join(chance.choice(GIVEN) for _ in range(3))
        else:
            name = f"HT-{chance.randrange(2020, 2027)}-{chance.randrange(10**6):06}"
        if name not in seen:
            seen.add(name)
            yield name


def rss() -> float:
    """Megabytes of memory that this process has now."""
    return _status("VmRSS")


def peak() -> float:
    """The most megabytes that it had."""
    return _status("VmHWM")


def _status(name: str) -> float:
    for row in Path("/proc/self/status").read_text().splitlines():
        if row.startswith(name):
            return int(row.split()[1]) / 1000
    return 0.0
