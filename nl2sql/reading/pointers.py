"""Words that point at what was said before: 上面那家, 刚才那栋, 该院, 这户, 这类, 这三家, 另外两个; at the whole
of it: 全园."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nl2sql.reading.tokens import Token
from semantic_layer.lexicon import Lexicon, Meaning

ONES = "[个家栋间座套份笔种类项条单件名位户张所幢处]"
_THESE = re.compile(rf"[这那](?=[\d几一二两三四五六七八九十百]{{1,4}}{ONES})")
# 这户, 这一处; not 这所有, and 那 stands for 那么 where more follows
_ONE = re.compile(
    rf"(?:这一?|那一)(?!所[有属在以]|单[看独]|位[于置]|[种类项]){ONES}(?![数量])"
    rf"|那(?![种类项]){ONES}(?=[的呢是]|\s*[,，。?？!！]|$)"
)
_KIND = re.compile(
    "(?:这一?[个种类项]?|那一?[个种类项]|[该此][种类项]?)(?:类型|类别|种类|级别|档次|等级|品类|类目|项目)"
    "|[这那]一?[类种项级档](?![数量])|[该此][类种项级档](?![数量])"
)
_KIND_EN = re.compile(
    r"\b(?:(?:this|that|the same) (?:type|kind|sort|category|item|group|class|level)"
    r"|such(?! as\b)(?: an?)?)\b(?: of\b)?"
)
_WHICH = re.compile(
    rf"哪一?(?:[个种类项]?(?:类型|级别|档次|等级|品类|类目)|(?:{ONES}|[级档])(?![数量]))"
)
_NOUN = re.compile("(?P<one>这一?|那一?)(?=[\u4e00-\u9fff])")
_LONGEST_NOUN = 6
_OTHERS = re.compile(
    rf"(?:另外|其他|其它|其余|剩下|剩余|余下)的?(?:[几\d一二两三四五六七八九十]{{1,3}}{ONES}|[几两三四五六七八九十]层)的?"
)
_BACK = re.compile(rf"(?:上面|前面|刚才|刚刚|之前|方才)(?:的|说的)?(?:[这那]一?{ONES}|这|那)")
_PARTICLE = "[的了呢吗啊吧呀哦是在于有和与及]"
_SHORT = re.compile(
    rf"(?:[该此]|[这那哪]一?个(?!{ONES})|哪|(?P<whole>全|整个?))(?![的了呢吗啊吧呀是在于有和与及])"
    "(?=[\u4e00-\u9fff])"
)
_PER_CHARACTER = 10


def find(text: str, lexicon: Lexicon) -> Iterator[Token]:
    """Pointers in a normalised text."""
    for match in _THESE.finditer(text):
        yield _token(match.start(), match.end(), "ref_these")
    for match in _OTHERS.finditer(text):
        yield _token(match.start(), match.end(), "complement")
    for match in _BACK.finditer(text):
        yield _token(match.start(), match.end(), "ref_this")
    for match in _ONE.finditer(text):
        yield _token(match.start(), match.end(), "ref_this")
    for match in _KIND.finditer(text):
        less = 3.0 * (match.end() - match.start() > 2)  # 类别 may be a word of the layer
        yield _token(match.start(), match.end(), "ref_kind", less)
    for match in _KIND_EN.finditer(text):
        yield _token(match.start(), match.end(), "ref_kind", 11.0)
    for match in _WHICH.finditer(text):
        if not _names(lexicon, text[match.end() - 1]):  # 哪栋 has a noun
            yield _token(match.start(), match.end(), "which")
    for match in _NOUN.finditer(text):
        if _before_noun(lexicon, text, match):
            more = -6.0  # 这栋 is 这 and 栋, where a building is called so
            yield _token(match.start(), match.end(), "ref_this", more)
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


def _before_noun(lexicon: Lexicon, text: str, pointer: re.Match[str]) -> bool:
    """Whether the name of a dimension follows: 这园区, 这一层. 那 stands for 那么 but before one character
    (那层的), or a noun with its measure word (那栋楼的), that ends the phrase."""
    at = pointer.end()
    ends = [end for end in range(at + 1, at + _LONGEST_NOUN + 1) if _names(lexicon, text[at:end])]
    if not ends or pointer["one"].startswith("这"):
        return bool(ends)
    short = ends[-1] == at + 1 or text[at] in ONES
    return short and text[ends[-1] : ends[-1] + 1] in ("的", "呢", "")


def _names(lexicon: Lexicon, word: str) -> bool:
    """Whether a word is the name of a dimension."""
    return any(item.kind == "dimension" for item in lexicon.table.get(word, ()))


def _token(start: int, end: int, kind: str, less: float = 0.0) -> Token:
    return Token(start, end, kind, None, (end - start) * _PER_CHARACTER - 3.0 - less)
