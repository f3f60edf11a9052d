"""`python -m benchmarks fuzz MINUTES`: texts of up to 200 characters that nobody would write are read.

Words of the layer, stored values, times, digits, emoji, SQL, right-to-left and zero-width characters, in any
order and cut anywhere. A text that raises is printed, and the exit code is 1; so are the slowest.
"""

from __future__ import annotations

import random
import sys
import time
import traceback

from api.settings import Places
from api.wiring import open_app
from nl2sql.reading import RuleReader
from nl2sql.reading.wordlist import word_list

LONGEST, BAR = 200, 50.0
ODD = (
    "SELECT * FROM fact_bill; DROP TABLE fact_bill --",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "../../etc/passwd",
    "\u202eمرحبا\u202c",
    "שלום",
    "\u200b\u200d\ufeff",
    "👨‍👩‍👧‍👦",
    "🏢📈",
    "e\u0301\u0301\u0301",
    "ﷺ",
    "ǅİıß",
    "㈱①Ⅻ½",
    "１２３４５６",
    "\x00\x07\x1b[31m",
    "\n\t\r\u2028",
    "\ud83d",
    "張江科技園",
    "𠀀𠮷",
    "999999999999999999999999999999",
    "1e309",
    "-0.0",
    "二十二亿三千万五百",
    "9999年99月99日",
    "2月30日",
    "前0名",
    "第零个",
    "近0天",
    "50%%%",
    "“\"'",
)
TIMES = (
    "8月",
    "上个月",
    "近3个月",
    "2026年前三季度",
    "截至8月底",
    "周一到周五",
    "国庆",
    "last 7 days",
    "since 2025",
    "Q3",
    "2026-08-01",
    "8/1",
    "明年",
    "两三年前到现在",
)
MARKS = "，。？！；、,.?!;:：（）()[]{}<>=+-*/%￥$#@&|~ \n"


def fragments(reader: RuleReader) -> list[str]:
    """What texts are put together from."""
    base = reader.values.base
    names = [base.entry(at).name for at in range(0, len(base), max(1, len(base) // 500))]
    return [*reader.lexicon.words, *word_list().categories, *names, *TIMES, *ODD, *MARKS]


def text(chance: random.Random, parts: list[str]) -> str:
    """A text of up to 200 characters."""
    size = chance.choice((5, 20, 60, LONGEST))
    found = ""
    while len(found) < size:
        kind = chance.random()
        if kind < 0.7:
            piece = chance.choice(parts)
            if chance.random() < 0.2:
                piece = piece[: chance.randrange(len(piece) + 1)]
        elif kind < 0.85:
            piece = str(chance.choice((chance.randrange(100), chance.randrange(10**9), 3.14)))
        else:
            piece = chr(chance.choice((chance.randrange(0x3000), chance.randrange(0x110000))))
        found += piece
    return found[:size]


def cost(reader: RuleReader, asked: str) -> float:
    """Milliseconds of the processor for reading a text, the least of three times."""
    took = []
    for _ in range(3):
        start = time.thread_time()
        reader.read_anew(asked)
        took.append(time.thread_time() - start)
    return min(took) * 1000


def main() -> None:
    """Read for so many minutes."""
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    reader = open_app(Places.find(), record=False).world.reader
    parts, seed = fragments(reader), time.time_ns()
    chance = random.Random(seed)
    end, count, failed = time.monotonic() + minutes * 60, 0, 0
    slowest: list[tuple[float, str]] = []
    while time.monotonic() < end:
        asked, count = text(chance, parts), count + 1
        try:
            start = time.thread_time()
            for piece in reader.split(asked):
                reader.read_anew(piece)
            if (time.thread_time() - start) * 1000 > BAR / 2:
                slowest = sorted([*slowest, (cost(reader, asked), asked)], reverse=True)[:5]
        except Exception:
            failed += 1
            print(ascii(asked))
            traceback.print_exc()
    print(f"seed {seed}: {count:,} texts, {failed} raised; the slowest (bar {BAR:g} ms):")
    for took, asked in slowest:
        print(f"  {took:.1f} ms {asked!a}")
    sys.exit(1 if failed or (slowest and slowest[0][0] > BAR) else 0)
