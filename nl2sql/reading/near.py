"""What was not read may be a part of a name, or a registered word one edit or the same pinyin away (RULES.md §2).

One thing it can be is taken as that, and said. Several values are kept, to be asked about; several words of
other kinds are offered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process

from nl2sql.reading.tokens import Meant, Seen
from semantic_layer.index import Stored
from semantic_layer.index import near as words
from semantic_layer.lexicon import Lexicon, Meaning, whole
from semantic_layer.values import ValueIndex, long_enough

SHORTEST = 3
LONGEST = 32
AROUND = 6


@dataclass(frozen=True, slots=True)
class Near:
    """`text[start:end]` taken as what `payload` says: a `part` of names, or `near` to a registered word.

    `words` are the words or names that it could be; `matched` characters are as they were said.
    """

    start: int
    end: int
    why: Literal["near", "part"]
    payload: Meant
    words: tuple[str, ...]
    matched: int


class NearWords:
    """The registered words of a layer and the names of its values, by their looks and sound."""

    def __init__(self, lexicon: Lexicon, values: ValueIndex) -> None:
        self._lexicon, self._values = lexicon, values
        self._own = words.Near(words.Near.sections(lexicon.words), lexicon.words)

    def find(self, text: str, start: int, end: int, seen: Seen) -> Near | None:
        """What an unread span, with what stands around it, is taken for: what matches the most of it."""
        part = self.part(text, start, end, seen)
        near = self.close(text, start, end, seen)
        if part is not None and (near is None or part.matched >= near.matched):
            return part
        return near

    def part(self, text: str, start: int, end: int, seen: Seen) -> Near | None:
        """The longest stretch around the span that names hold."""
        parts = self._values.base.parts
        stretches: list[tuple[int, int]] = []
        for left in range(max(0, start - AROUND), start + 1):
            most = min(left + parts.longest(text, left), end + AROUND)
            stretches += [(left, right) for right in range(most, end - 1, -1)]
        for left, right in sorted(stretches, key=lambda item: (item[0] - item[1], item[0])):
            piece = text[left:right]
            if not long_enough(piece) or not _bordered(text, left, right):
                continue
            found = seen(self._values.stored(self._values.holding(piece)))
            if found:
                names = tuple(item.name for item in found if isinstance(item, Stored))
                return Near(left, right, "part", found, names, len(piece))
        return None

    def close(self, text: str, start: int, end: int, seen: Seen) -> Near | None:
        """The longest stretch around the span that is near to a registered word, or to several."""
        for left, right in windows(text, start, end):
            piece = text[left:right]
            targets: dict[Meant, str] = {}
            for word in sorted(
                self.near(piece), key=lambda item: (abs(len(item) - len(piece)), item)
            ):
                if digits(word) == digits(piece) and (target := seen(self._target(word))):
                    targets.setdefault(target, word)
            if not targets:
                continue
            payload = tuple(dict.fromkeys(item for target in targets for item in target))
            close = tuple(targets.values())
            return Near(left, right, "near", payload, close, _matched(close[0], piece))
        return None

    def near(self, piece: str) -> set[str]:
        """Every word that sounds like `piece`; where there is none, every word one edit away from it."""
        values = self._values.base.near
        same = self._own.same_sound(piece) | values.same_sound(piece)
        return same or self._own.one_edit(piece) | values.one_edit(piece)

    def offers(self, text: str, seen: Seen, count: int = 5) -> tuple[str, ...]:
        """The registered words most like a text, to offer where nothing is near enough to take."""
        found = process.extract(
            text, self._lexicon.words, scorer=fuzz.ratio, limit=count * 4, score_cutoff=45
        )
        shown = (str(item[0]) for item in found)
        return tuple(word for word in shown if seen(self._lexicon.table[word]))[:count]

    def _target(self, word: str) -> Meant:
        """What a word means: its meanings, and the values of that name where they could be meant as well."""
        meanings: Meant = self._lexicon.table.get(word, ())
        if any(isinstance(item, Meaning) and item.kind != "value" for item in meanings):
            return meanings
        return (*meanings, *self._values.named(word))


def digits(text: str) -> str:
    """The digits of a text: these must be equal."""
    return "".join(char for char in text if char.isdigit())


def windows(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Stretches that hold an unread span, the longest first; Latin words are kept whole."""
    found = [
        (left, right)
        for left in range(max(0, start - AROUND), start + 1)
        for right in range(end, min(len(text), end + AROUND) + 1)
        if SHORTEST <= right - left <= LONGEST and _bordered(text, left, right)
    ]
    return sorted(found, key=lambda item: (item[0] - item[1], item[0]))


def _matched(word: str, piece: str) -> int:
    """How many characters of a piece are those of a word that it is near to."""
    if len(word) != len(piece):
        return min(len(word), len(piece))
    return sum(one == other for one, other in zip(word, piece, strict=True))


def _bordered(text: str, left: int, right: int) -> bool:
    return whole(text, left, right) and not text[left].isspace() and not text[right - 1].isspace()
