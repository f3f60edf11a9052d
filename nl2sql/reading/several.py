"""Several values in one word: 1-3号楼, 2、3号楼, buildings 1 to 3; 水电费 for 水费 and 电费."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from nl2sql.reading.tokens import Several, Token
from semantic_layer.lexicon import NUMERAL, Lexicon, Numbered, whole

MOST = 60
_TO = "[-~—–]|到|至|to"
_AND = "、|,|，|和|与|及|and|&"
_STATES = frozenset("未已在非无不待被")  # 未在租 is not 未租 and 在租
_PER_CHARACTER = 10


def find(text: str, lexicon: Lexicon) -> Iterator[Token]:
    """Tokens that stand for several values of one dimension each."""
    found: dict[tuple[int, int], tuple[Several, ...]] = {}
    for span, several in (*_numbered(text, lexicon), *_joined(text, lexicon)):
        found[span] = (*found.get(span, ()), several)
    for (start, end), options in found.items():
        weight = (end - start) * (_PER_CHARACTER + 0.5)
        yield Token(start, end, "value", tuple(dict.fromkeys(options)), weight)


def _numbered(text: str, lexicon: Lexicon) -> Iterator[tuple[tuple[int, int], Several]]:
    """Numbers in a row that share the noun: 1-3号楼, 2、3号楼."""
    if not any(char.isdigit() or char in "一二三四五六七八九十" for char in text):
        return
    for form, pattern in _rows(lexicon):
        for match in pattern.finditer(text):
            if whole(text, *match.span()):
                values = _values(match.group(), form)
                if 1 < len(values) <= MOST:
                    yield match.span(), Several(form.dimension, values)


@lru_cache(maxsize=8)
def _rows(lexicon: Lexicon) -> tuple[tuple[Numbered, re.Pattern[str]], ...]:
    """The noun stands before or after the whole row; each number may have it too."""
    found: list[tuple[Numbered, re.Pattern[str]]] = []
    for form in lexicon.numbered:
        noun = re.escape(form.before.strip())
        before, after = (rf"(?:{noun}s? ?)" if noun else ""), re.escape(form.after)
        item = f"{before and before + '?'}{NUMERAL}(?:{after})?"
        source = rf"{before}{item}(?:\s*(?:{_TO}|{_AND})\s*{item})+"
        found.append((form, re.compile(source + (f"(?<={after})" if after else ""))))
    return tuple(found)


def _values(text: str, form: Numbered) -> tuple[str, ...]:
    """The stored values of a row of numbers, and those between where a range is said.

    None where nothing is shared: 1号楼和3号楼 are two words of their own.
    """
    values: dict[int, str] = {}
    last, to = 0, False
    for part in re.finditer(rf"{NUMERAL}|(?P<to>{_TO})", text):
        if part.group("to"):
            to = True
            continue
        number = int(re.sub(r"\D", "", Numbered.value(_PLAIN, part.group())))
        if to and not last < number <= last + MOST:
            return ()
        for one in range(last + 1 if to else number, number + 1):
            values[one] = form.value(str(one))
        last, to = number, False
    ranged = re.search(_TO, text) is not None
    nouns = text.count(form.after or form.before.strip())
    return tuple(values.values()) if ranged or nouns < len(values) else ()


_PLAIN = Numbered("", "{n}", "", "", re.compile(""))


def _joined(text: str, lexicon: Lexicon) -> Iterator[tuple[tuple[int, int], Several]]:
    """Words of one list that share their last character: 水电费, 门急诊."""
    for (dimension, last), stems in _tails(lexicon).items():
        if last not in text:
            continue
        for match in re.finditer(re.escape(last), text):
            values: list[str] = []
            at = match.start()
            while True:
                stem = next((word for word in stems if text.endswith(word, 0, at)), None)
                if stem is None or stems[stem] in values:
                    break
                values.append(stems[stem])
                at -= len(stem)
            if len(values) > 1:
                yield (at, match.end()), Several(dimension, tuple(reversed(values)))


@lru_cache(maxsize=8)
def _tails(lexicon: Lexicon) -> Mapping[tuple[str, str], dict[str, str]]:
    """For each dimension with a list of values, what stands before the last character of their words."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for word, meanings in lexicon.table.items():
        if len(word) < 2 or word.isascii() or len(word) > 4:
            continue
        for item in meanings:
            if item.kind == "value" and not set(word[:-1]) & _STATES:
                stems = found.setdefault((item.owner, word[-1]), {})
                stems.setdefault(word[:-1], item.id)
    return {
        key: dict(sorted(stems.items(), key=lambda entry: -len(entry[0])))
        for key, stems in found.items()
        if len(set(stems.values())) > 1
    }
