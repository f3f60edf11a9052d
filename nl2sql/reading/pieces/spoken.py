"""How people speak: determiners that point at nothing, a year at the end, words that are taken back or denied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from nl2sql.numbers import Bound
from nl2sql.reading.tokens import Token
from nl2sql.times import TimeMatch
from nl2sql.times.model import Year

_POINTERS = frozenset({"那个", "这个", "that", "this"})
_NAMED = frozenset(
    {"value", "metric", "metric_value", "object_value", "topic", "time", "bound", "rank", "role"}
)
_GIVES_WAY = frozenset({"correct", "instead"})
_PAUSE = "，,、。…"
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERB = re.compile(r"\s+(?:is|are|was|were|has|have|had|do|does|did|expire|end|start)\b")


def spoken(tokens: Sequence[Token], text: str) -> list[Token]:
    """The tokens without empty determiners and without what the speaker took back."""
    return _both_sides(_taken_back(_denied(_dated(_pointed(tokens, text), text), text)))


def _both_sides(tokens: Sequence[Token]) -> list[Token]:
    """超过10万不到50万: a lower and an upper bound side by side are one."""
    kept: list[Token] = []
    for token in tokens:
        before = kept[-1] if kept else None
        between = (
            kept[-2] if len(kept) > 1 and before is not None and before.kind == "and" else None
        )
        first = between or before
        if (
            first is not None
            and isinstance(first.payload, Bound)
            and isinstance(token.payload, Bound)
        ):
            both = _within(first.payload, token.payload)
            if both is not None:
                del kept[-2 if between else -1 :]
                kept.append(replace(first, end=token.end, payload=both))
                continue
        kept.append(token)
    return kept


def _within(one: Bound, other: Bound) -> Bound | None:
    low, high = (one, other) if one.high is None else (other, one)
    if low.low is None or low.high is not None or high.high is None or high.low is not None:
        return None
    units = {bound.unit for bound in (low, high) if bound.unit is not None}
    if len(units) > 1 or low.gap or high.gap or low.low > high.high or low.percent != high.percent:
        return None
    return replace(
        low,
        start=min(one.start, other.start),
        end=max(one.end, other.end),
        high=high.high,
        high_inclusive=high.high_inclusive,
        unit=next(iter(units), None),
    )


def _dated(tokens: list[Token], text: str) -> list[Token]:
    """energy cost 2025; arrears in Optics Valley, 2025: a year that ends the question, or is all of it.

    Not room 2026, nor a bare 2025 after a value: that may be a name's number.
    """
    if any(token.kind == "time" for token in tokens):
        return tokens
    alone = [token for token in tokens if token.kind != "instead"]
    if len(alone) == 1 and alone[0].kind == "number" and _YEAR.fullmatch(_said(alone[0], text)):
        return [_year(token, text) if token is alone[0] else token for token in tokens]
    if len(tokens) < 2:
        return tokens
    last, before = tokens[-1], tokens[-2]
    between = text[before.end : last.start].strip()
    if (
        last.kind == "number"
        and _YEAR.fullmatch(_said(last, text))
        and not text[last.end :].strip(" ?!.？！。")
        and (between in (",", "，") or (not between and before.kind in ("metric", "metric_value")))
    ):
        return [*tokens[:-1], _year(last, text)]
    return tokens


def _said(token: Token, text: str) -> str:
    return text[token.start : token.end].strip()


def _year(token: Token, text: str) -> Token:
    """A number that is a year."""
    year = TimeMatch(token.start, token.end, Year(int(_said(token, text))))
    return replace(token, kind="time", payload=year)


def _pointed(tokens: Sequence[Token], text: str) -> list[Token]:
    """那个2号楼, 这类投诉, 张江那边, 那个，麻烦…: beside a name, or before a pause, a pointer points at nothing
    said before."""
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        if _beside_name(tokens, index, text):
            continue
        if index and _said(token, text) == "that" and _VERB.match(text, token.end):
            continue  # bookings that were cancelled
        if token.kind == "ref_this" and text[token.start : token.end].strip() in _POINTERS:
            follows = tokens[index + 1] if index + 1 < len(tokens) else None
            rest = text[token.end :].lstrip()
            adjacent = follows is not None and not text[token.end : follows.start].strip()
            if adjacent and follows is not None and follows.kind in _NAMED:
                continue
            subject = [item.kind for item in tokens[index + 1 : index + 3]]
            if subject in (["object", "vague"], ["entity", "vague"], ["object_value", "vague"]):
                continue
            if follows is not None and rest[:1] and rest[0] in _PAUSE and not text[: token.start]:
                continue
        kept.append(token)
    return kept


_PLACES = frozenset({"那边", "那里", "那儿", "there", "over there", "in there"})
_WHOSE = re.compile("(?:我们?|咱们?|俺们?|你们?|您|他们?|她们?)$")
_NAMES = frozenset({"value", "object_value", "entity", "object", "dimension"})


def _beside_name(tokens: Sequence[Token], index: int, text: str) -> bool:
    """Whether a pointer stands in apposition to a name: 张江那边, 水费这项, 张江这个园区, 这类投诉."""
    token = tokens[index]
    if token.kind not in ("ref_this", "ref_kind"):
        return False
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if before is not None and text[before.end : token.start].strip():
        before = None
    if after is not None and text[token.end : after.start].strip():
        after = None
    if _said(token, text) in _PLACES:
        named = before is not None and before.kind in _NAMES | {"ref_one", "ref_set"}
        return named or _WHOSE.search(text, 0, token.start) is not None
    if before is not None and before.kind in ("value", "object_value"):
        if token.kind == "ref_kind":
            return True
        if after is not None and after.kind in ("dimension", "entity"):
            return bool(_slot(before) & {item.id for item in after.meanings("dimension")})
    if token.kind == "ref_kind":
        metric = before is not None and before.kind in ("metric", "metric_value")
        return metric or (after is not None and after.kind == "value")
    return False


_DENIAL = re.compile("(?:并|也|可)?不是|(?:it's |it is |i said |but )?not")
_ELSE = re.compile(r"[的\s，,]*[就便]是")
_HOW = frozenset({"by", "again_by", "each", "undivide"})


def _denied(tokens: Sequence[Token], text: str) -> list[Token]:
    """不是8月，是7月; 是7月不是8月; not August but July: what is denied gives way to the other of its slot.

    Alone, 不是上海的 excludes; so it does where several are named (不是张江、临港的).
    """
    kept = list(tokens)
    for index, token in enumerate(tokens):
        if token.kind != "exclude" or _DENIAL.fullmatch(_said(token, text)) is None:
            continue
        denied, after = _said_of(tokens, index + 1)
        if not denied:
            continue
        if _ELSE.match(text, denied[-1].end):  # 不是低于1万就是高于10万: either of them
            kept = [replace(item, kind="unclear") if item is token else item for item in kept]
            continue
        slot = _slot(denied[-1])
        instead, _ = _said_of(tokens, after)
        before = [item for item in tokens[:index] if item.kind not in _GIVES_WAY]
        meant = instead[-1:] or (before[-1:] if after == len(tokens) else [])
        if not meant or not slot & _slot(meant[0]):
            continue
        also = [item for item in tokens[max(0, index - 1) : index] if item.kind == "also"]
        gone = {id(item) for item in (*also, token, *denied)}  # 也不是8月
        kept = [item for item in kept if id(item) not in gone]
    return kept


def _said_of(tokens: Sequence[Token], at: int) -> tuple[list[Token], int]:
    """What is said of a slot from a token on, 按 and 是 before it passed over, and where it ends."""
    start = at
    while at < len(tokens) and tokens[at].kind in _GIVES_WAY | _HOW:
        at += 1
    if at == len(tokens) or not _slot(tokens[at]):
        return [], start
    return [*tokens[start : at + 1]], at + 1


def _taken_back(tokens: Sequence[Token]) -> list[Token]:
    """张江，不对，是临港; 把张江改成临港: the word before gives way to the word after, if they are of one slot."""
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        after = index
        while after < len(tokens) and tokens[after].kind in _GIVES_WAY:
            after += 1
        if (
            token.kind in _GIVES_WAY
            and kept
            and after < len(tokens)
            and _slot(kept[-1]) & _slot(tokens[after])
        ):
            listed = len(kept) > 1 and kept[-2].kind in ("and", "or")
            taken = kept.pop()
            if listed:  # 张江和临港，不对，是光谷: one of them or both?
                kept.append(replace(taken, kind="unclear"))
            kept += [item for item in tokens[index:after] if item.kind == "instead"]
            index = after
            continue
        kept.append(token)
        index += 1
    return kept


def _slot(token: Token) -> set[str]:
    """What a token fills: values of one dimension fill the same slot."""
    if token.kind in ("value", "object_value"):
        return token.owners()
    kind = {"metric_value": "metric", "entity": "dimension"}.get(token.kind, token.kind)
    return {kind} if kind in ("time", "metric", "dimension", "rank", "bound", "grain") else set()
