"""A metric said by a part of its word: 响应最慢, 处理超过48小时 where 响应时长 is registered; 多少盒 for 盒数."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from nl2sql.reading.tokens import Token
from semantic_layer.lexicon import Lexicon, Meaning, whole

_TAIL = re.compile("(?:时长|时间|用时|耗时|分钟数?|小时数?)$| (?:time|minutes|hours)$")
_MEAN = "平均"
_FAST = re.compile(
    r"(?:得|的|时|速度)?\s*(?:是|也|都)?(?:最|比较|更|第[一二三四五六七八九\d]{1,2})?[慢快久长短]"
    r"的?(?:前?[\d一二两三四五六七八九十]{1,3}[个单件笔条次位张]?)?的?"
)
_LONG = re.compile(
    r"(?:时长|时间|用时|用了|花了|了|的|is|was|took|takes)?\s*"
    r"(?:超过|超出|超|大于|高于|多于|不足|不到|低于|小于|少于|不超过|至少|达到|在"
    r"|over|above|under|within|more than|less than|at least)?"
    r"\s*(?:了|有)?[\d一二三四五六七八九十两半.]{1,6}\s*(?:个)?(?:多)?"
    r"(?:分钟|小时|钟头|天|minutes?|mins?|hours?|hrs?|h\b|days?)"
    r"(?:以上|以下|以内|之内|或以上|或以下|及以上|及以下)?的?\s*"
)
_COUNT = re.compile(r"(?:多少|几)(?=[\u4e00-\u9fff])")
_PER_CHARACTER = 10


@dataclass(frozen=True, slots=True)
class _Stem:
    """What a stem can mean: the metric of a mean, and the attribute of single rows."""

    metric: Meaning | None = None
    attribute: Meaning | None = None


def find(text: str, lexicon: Lexicon) -> Iterator[Token]:
    """Parts of metrics' words, where what stands beside them tells that a metric is meant."""
    yield from _spans(text, lexicon)
    for match in _COUNT.finditer(text):
        for end in (match.end() + 2, match.end() + 1):
            meaning = _counted(lexicon).get(text[match.end() : end])
            if meaning is not None and end <= len(text):
                yield _token(match.end(), end, "metric", meaning)


def _spans(text: str, lexicon: Lexicon) -> Iterator[Token]:
    for stem, found in _stems(lexicon).items():
        if stem not in text:
            continue
        for match in re.finditer(re.escape(stem), text):
            start, end = match.span()
            if not whole(text, start, end):
                continue
            mean = text.endswith(_MEAN, 0, start)
            begin = start - len(_MEAN) if mean else start
            fast, long = _FAST.match(text, end), _LONG.match(text, end)
            if fast is not None:
                single = not mean and "object" in _after(text, fast.end(), lexicon)
            elif long is not None:
                single = not mean and "dimension" not in _after(text, long.end(), lexicon)
            else:
                continue
            if single and found.attribute is not None:
                yield _token(start, end, "attribute", found.attribute)
            elif found.metric is not None:
                yield _token(begin, end, "metric", found.metric)


def _after(text: str, at: int, lexicon: Lexicon) -> set[str]:
    """What the word at a place is: 响应超过1小时的园区 is about each park, …的工单 about single ones."""
    words = [word for word in lexicon.table if text.startswith(word, at)]
    kinds = {str(item.kind) for item in lexicon.table[max(words, key=len)]} if words else set[str]()
    return kinds if not {"dimension", "object"} <= kinds else kinds - {"object"}


def _token(start: int, end: int, kind: str, meaning: Meaning) -> Token:
    return Token(start, end, kind, (meaning,), (end - start) * _PER_CHARACTER - 2.0)


@lru_cache(maxsize=8)
def _stems(lexicon: Lexicon) -> dict[str, _Stem]:
    """响应 of 响应时长 (a metric) and 响应用时 (an attribute): one meaning of each kind, or none."""
    metrics: dict[str, set[Meaning]] = {}
    attributes: dict[str, set[Meaning]] = {}
    for word, meanings in lexicon.table.items():
        stem = _TAIL.sub("", word).removeprefix(_MEAN).removeprefix("average ")
        if stem == word or len(stem) < 2 or not _TAIL.search(word) or stem in lexicon.table:
            continue
        for item in meanings:
            if item.kind == "metric":
                metrics.setdefault(stem, set()).add(item)
            elif item.kind == "attribute":
                attributes.setdefault(stem, set()).add(item)
    return {
        stem: _Stem(_only(metrics.get(stem)), _only(attributes.get(stem)))
        for stem in {*metrics, *attributes}
    }


def _only(found: set[Meaning] | None) -> Meaning | None:
    return next(iter(found)) if found is not None and len(found) == 1 else None


@lru_cache(maxsize=8)
def _counted(lexicon: Lexicon) -> dict[str, Meaning]:
    """盒 of 药品盒数: what a metric counts by, where no other one does and the layer has no such word."""
    found: dict[str, set[Meaning]] = {}
    for word, meanings in lexicon.table.items():
        if word.endswith("数") and len(word) > 3:
            for size in (1, 2):
                for item in meanings:
                    if item.kind == "metric":
                        found.setdefault(word[-1 - size : -1], set()).add(item)
    return {
        unit: next(iter(items))
        for unit, items in found.items()
        if len(items) == 1 and unit not in lexicon.table
    }
