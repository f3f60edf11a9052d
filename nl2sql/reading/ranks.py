"""Superlatives, ranks and rows: 最大的3栋, 前十, 第三多, top 5, 第二个, the last one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from nl2sql.reading.tokens import Rank, RowNumber, Token
from semantic_layer.lexicon import whole

_NUM = r"(\d{1,3}|[一二三四五六七八九十两]{1,3})"
_OF = r"(?:名|位|个|家|座|间|套|份|笔|种|类|项|条|单|件|的)?"
_JUDGED = re.compile(r"[好差]|best|worst")
_ASKED = re.compile("[哪谁](?![些几])")
_THAN = re.compile("比(?!较)")
_ONE_OF = r"[个家座间套份笔种类项条单件名位栋幢层户]"
_MORE = "高大多长久贵好强重慢"
_LESS = "低小少短便差弱轻快"
_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_CN = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_EN = r"(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)"
_BIG = r"(?:highest|most|largest|biggest|greatest|longest|top|best|slowest|maximum)"
_SMALL = r"(?:lowest|fewest|smallest|least|shortest|worst|fastest|minimum)"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "last": -1}
_ORD = r"(first|second|third|fourth|fifth|sixth|\d{1,2}(?:st|nd|rd|th)|last)"


def number(text: str) -> int:
    """A small numeral.

    >>> number("十二"), number("5"), number("two")
    (12, 5, 2)
    """
    if text.isdigit():
        return int(text)
    if text in _WORDS:
        return _WORDS[text]
    tens, ten, ones = text.partition("十")
    if not ten:
        return _CN.get(text, 0)
    return (_CN.get(tens, 0) if tens else 1) * 10 + (_CN.get(ones, 0) if ones else 0)


_RANKS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(source), form)
    for source, form in (
        (
            rf"最([{_MORE}{_LESS}])的?(?:前)?{_NUM}(?!月|号|季|年|周|天|层|[一二三四五六七八九十])[个家座间套份笔种类项条单件名位]?",
            "most",
        ),
        (rf"最([{_MORE}{_LESS}])的?(?:是)?", "most"),
        (rf"(?:排名|排行|排在)?前{_NUM}(?!季|个?月|周|天|年|半){_OF}", "top"),
        (
            rf"(?!最后一[名位])(?:倒数|后|末尾|最后){_NUM}(?!季|个?月|周|天|年|半)[名位个家栋](?!月)",
            "bottom",
        ),
        (rf"倒数第{_NUM}[名位个家栋]?", "nth_bottom"),
        (r"最后一[名位]", "last_nth"),
        (rf"(?:排名?在?)?第{_NUM}[名位]?[到至\-~—]第?{_NUM}[名位]?", "range"),
        (rf"排名?在?{_NUM}[名位]?[到至\-~—]{_NUM}[名位]", "range"),
        (rf"哪(?!一(?!十)){_NUM}{_ONE_OF}", "which"),
        (rf"which (?!one){_EN}", "which"),
        (rf"第{_NUM}([{_MORE}{_LESS}])", "nth_most"),
        (rf"(?:排名?)?第{_NUM}[名位]", "nth"),
        (rf"排名?第{_NUM}的?", "nth"),
        (r"垫底的?", "least"),
        (
            rf"(?<=.)(?:更|比较|最)?([{_MORE}{_LESS}])(?:一?些|一?点)?(?=[呢啊呀?？。!！\s]*$)",
            "more",
        ),
        (rf"top ?{_EN}", "top"),
        (rf"bottom ?{_EN}", "bottom"),
        (rf"(?:the )?{_EN} ({_BIG}|{_SMALL})", "en_count_most"),
        (rf"(?:the )?({_BIG}|{_SMALL}) {_EN}\b", "en_most_count"),
        (
            rf"(?:the )?(second|third|fourth|fifth|\d{{1,2}}(?:st|nd|rd|th)) ({_BIG}|{_SMALL})",
            "en_nth",
        ),
        (rf"(?:the |has the |with the |have the )?({_BIG}|{_SMALL})(?: of)?", "en_most"),
    )
)
_ROWS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(source), form)
    for source, form in (
        (rf"(?:刚才说的|上面的?|刚才的?)?第{_NUM}[个家栋座间套份笔种类项条单件行]", "row"),
        (r"(?:上面的?|刚才的?)?最后(?:那|一|1)[个家栋座间套份笔条]", "last"),
        (rf"(?:the )?{_ORD} (?:one|row|item|entry)", "en_row"),
    )
)


def find(text: str) -> Iterator[Token]:
    """Ranks and row numbers in a normalised text."""
    for pattern, form in _RANKS:
        if form == "more" and not _ASKED.search(text):
            continue  # 哪个高, 谁欠得多: which is most
        for match in pattern.finditer(text):
            if form == "more" and _THAN.search(text, 0, match.start()):
                continue  # 哪个园区8月比7月多: which has grown, not which is most
            if whole(text, *match.span()) and match.end() > match.start():
                rank = replace(
                    _rank(form, match),
                    unit=match.group().rstrip("的")[-1:],
                    judged=bool(_JUDGED.search(match.group())),
                )
                if rank.last > 0:
                    yield Token(
                        match.start(),
                        match.end(),
                        "rank",
                        rank,
                        _weight(match) + (8 if rank.counted else 0) + 20 * (form == "range"),
                        form,
                    )
    for pattern, form in _ROWS:
        for match in pattern.finditer(text):
            if whole(text, *match.span()):
                index = -1 if form == "last" else _row(match.group(1))
                yield Token(
                    match.start(), match.end(), "ref_row", RowNumber(index), _weight(match) + 12
                )


def _weight(match: re.Match[str]) -> float:
    return (match.end() - match.start()) * 10.0


def _row(word: str) -> int:
    if word in _ORDINALS:
        return _ORDINALS[word]
    return number(re.sub(r"(st|nd|rd|th)$", "", word))


def _rank(form: str, match: re.Match[str]) -> Rank:
    groups = match.groups()
    match form:
        case "most":
            count = number(groups[1]) if len(groups) > 1 and groups[1] else 1
            return Rank(1, count, groups[0] in _MORE, len(groups) > 1)
        case "which":
            return Rank(1, number(groups[0]), None)
        case "top":
            return Rank(1, number(groups[0]), True if match.group().startswith("top") else None)
        case "more":
            return Rank(1, 1, groups[0] in _MORE, False)
        case "least":
            return Rank(1, 1, False, False)
        case "last_nth":
            return Rank(1, 1, False)
        case "bottom":
            return Rank(1, number(groups[0]), False)
        case "nth_bottom":
            return Rank(number(groups[0]), number(groups[0]), False)
        case "range":
            return Rank(number(groups[0]), number(groups[1]), None)
        case "nth_most":
            return Rank(number(groups[0]), number(groups[0]), groups[1] in _MORE)
        case "nth":
            return Rank(number(groups[0]), number(groups[0]), None)
        case "en_count_most":
            return Rank(1, number(groups[0]), re.fullmatch(_BIG, groups[1]) is not None)
        case "en_most_count":
            return Rank(1, number(groups[1]), re.fullmatch(_BIG, groups[0]) is not None)
        case "en_nth":
            place = _row(groups[0])
            return Rank(place, place, re.fullmatch(_BIG, groups[1]) is not None)
    return Rank(1, 1, re.fullmatch(_BIG, groups[0]) is not None, False)


def together(one: Rank, other: Rank) -> Rank | None:
    """A superlative and a number said apart are one rank: 哪三个…最多, 最多的…前三; None where they differ.

    >>> together(Rank(1, 3, None), Rank(1, 1, True, False))
    Rank(first=1, last=3, descending=True, counted=True, unit='', judged=False)
    >>> together(Rank(1, 3, True), Rank(1, 5, True)) is None
    True
    """
    if one == other:
        return one
    if one.counted == other.counted:
        return None
    said, bare = (one, other) if one.counted else (other, one)
    if said.descending not in (None, bare.descending):
        return None
    return replace(said, descending=bare.descending, judged=bare.judged)
