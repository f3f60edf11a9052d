"""Words that point at what was said before: 上面那家, 刚才那栋, 该院, 这三家, 另外两个; at the whole of it: 全园."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nl2sql.reading.tokens import Token
from semantic_layer.lexicon import Lexicon, Meaning

ONES = "[个家栋间座套份笔种类项条单件名位户张所幢处]"
_THESE = re.compile(rf"[这那](?=[\d一二两三四五六七八九十百]{{1,4}}{ONES})")
_OTHERS = re.compile(
    rf"(?:另外|其他|其它|其余|剩下|剩余|余下)的?(?:[几\d一二两三四五六七八九十]{{1,3}}{ONES}|[几两三四五六七八九十]层)的?"
)
_BACK = re.compile(rf"(?:上面|前面|刚才|刚刚|之前|方才)(?:的|说的)?(?:[这那]一?{ONES}|这|那)")
_SHORT = re.compile("(?:[该此]|(?P<whole>全|整个?))(?=[\u4e00-\u9fff])")
_PER_CHARACTER = 10


def find(text: str, lexicon: Lexicon) -> Iterator[Token]:
    """Pointers in a normalised text."""
    for match in _THESE.finditer(text):
        yield _token(match.start(), match.end(), "ref_these")
    for match in _OTHERS.finditer(text):
        yield _token(match.start(), match.end(), "complement")
    for match in _BACK.finditer(text):
        yield _token(match.start(), match.end(), "ref_this")
    for match in _SHORT.finditer(text):
        at = match.end()
        meaning = short(lexicon, text[at])
        if meaning is not None and (not match["whole"] or meaning.id in lexicon.holders):
            # 该院: the noun is cut to one character, which says little elsewhere
            yield Token(at, at + 1, "dimension", (meaning,), _PER_CHARACTER - 1.0)


def short(lexicon: Lexicon, char: str) -> Meaning | None:
    """The one dimension whose words end, else begin, with a character: 院 of 医院, 园 of 园区."""
    for edge in (-1, 0):
        found = {
            item
            for word, meanings in lexicon.table.items()
            if len(word) > 1 and word[edge] == char
            for item in meanings
            if item.kind == "dimension"
        }
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _token(start: int, end: int, kind: str) -> Token:
    return Token(start, end, kind, None, (end - start) * _PER_CHARACTER - 3.0)
