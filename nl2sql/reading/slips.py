"""What is no slip of the pen, though it is near a registered word (`near.py` finds what is near)."""

from __future__ import annotations

from collections.abc import Callable

from nl2sql.reading.cover import Cover
from nl2sql.slots import Span

_PARTICLES = frozenset("的了呢吗啊吧呀哦是在有和与及")
_NEGATIONS = frozenset("未不非无没已")


def cuts(cover: Cover, start: int, end: int) -> bool:
    """Whether a stretch would cut a word in two that is read well: 费类型 in 欠费类型."""
    return any(
        token.kind != "filler"
        and (token.start < start < token.end or token.start < end < token.end)
        for token in cover.tokens
    )


def doubtful(cover: Cover) -> tuple[Span, ...]:
    """What is read as a verb that says what was done to a number, where no number is named: the 收 of
    客房收人 may be a slip instead."""
    if any(token.kind in ("metric", "metric_value", "attribute") for token in cover.tokens):
        return ()
    return tuple(
        (token.start, token.end)
        for token in cover.tokens
        if token.kind == "did" and token.end - token.start == 1
    )


def beside(piece: str, word: str, known: Callable[[str], bool]) -> bool:
    """Whether something stands beside a word that is whole, which is another word and no slip of the pen:
    税收缴率 is not 收缴率, 欠费国 is not 欠费额. A character typed twice is one, and what sounds the same.

    >>> known = {"收缴率", "欠费", "空置"}.__contains__
    >>> beside("税收缴率", "收缴率", known), beside("欠费国", "欠费额", known)
    (True, True)
    >>> beside("收缴率率", "收缴率", known), beside("空置绿", "空置率", known)
    (False, False)
    >>> beside("空置面机", "空置面积", known)
    False
    """
    if piece.isascii() or piece in (word[0] + word, word + word[-1]):
        return False
    from nl2sql.reading.near import SHORTEST
    from semantic_layer.index.sound import sound

    if len(word.strip("的了")) < len(word) and len(word.strip("的了")) < SHORTEST:
        return True  # 完成的 is two characters long, and 生成的 no slip for it
    if word in piece or (set(piece) ^ set(word)) & _NEGATIONS:  # 未完成 is not 已完成
        return True
    if sound(piece) == sound(word):
        return False
    ends = {piece[0], piece[-1]} - set(word) | {word[0], word[-1]} - set(piece)
    if ends & _PARTICLES:
        return True
    return any(
        (known(piece[:-rest]) and not set(piece[-rest:]) & set(word[-rest:]))
        or (known(piece[rest:]) and not set(piece[:rest]) & set(word[:rest]))
        for rest in (1, 2)
        if len(piece) > rest + 1
    )
