"""What was not read may be a part of a name, or a registered word one edit or the same pinyin away (RULES.md §2).

One thing it can be is taken as that, and said. Several values are kept, to be asked about; several words of
other kinds are offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from rapidfuzz import fuzz, process

from nl2sql.reading.tokens import Meant, Seen, few, read_out
from semantic_layer.index import Stored
from semantic_layer.index import near as words
from semantic_layer.index.sound import sound
from semantic_layer.lexicon import Lexicon, Meaning, joined, whole
from semantic_layer.values import ValueIndex, long_enough

SHORTEST = 3
LONGEST = 32
AROUND = 6


@dataclass(frozen=True, slots=True)
class Near:
    """`text[start:end]` taken as what `payload` says: a `part` of names, or `near` to a registered word.

    `words` are the words or names that it could be, `more` is how many more values than the payload has;
    `matched` characters are as they were said.
    """

    start: int
    end: int
    why: Literal["near", "part"]
    payload: Meant
    words: tuple[str, ...]
    matched: int
    more: int = 0


class NearWords:
    """The registered words of a layer and the names of its values, by their looks and sound."""

    def __init__(self, lexicon: Lexicon, values: ValueIndex) -> None:
        self._lexicon, self._values = lexicon, values
        self._own = words.Near(words.Near.sections(lexicon.words), lexicon.words)

    def find(
        self, text: str, start: int, end: int, begun: Sequence[tuple[int, int]], seen: Seen
    ) -> Near | None:
        """What an unread span, with what stands around it, is taken for: what matches the most of it.

        `begun` are stretches that were read as the beginning of a name; the name may go on in the span.
        """
        lefts, rights = around(text, start, end, begun)
        part = self.part(text, lefts, rights, seen)
        near = self.close(text, lefts, rights, seen, part.matched if part is not None else 0)
        return part if near is None or (part and part.matched >= near.matched) else near

    def part(
        self, text: str, lefts: Sequence[int], rights: Sequence[int], seen: Seen
    ) -> Near | None:
        """The longest stretch around the span that names hold."""
        parts = self._values.base.parts
        ends = {left: left + parts.longest(text, left) for left in lefts}
        for left, right in windows(text, lefts, rights, SHORTEST - 1):
            piece = text[left:right]
            if right > ends[left] or not long_enough(piece):
                continue
            found, more = read_out(self._values, self._values.holding(piece), seen)
            if found:
                names = tuple(item.name for item in found if isinstance(item, Stored))
                return Near(left, right, "part", found, names, len(piece), more)
        return None

    def close(
        self, text: str, lefts: Sequence[int], rights: Sequence[int], seen: Seen, least: int
    ) -> Near | None:
        """The longest stretch around the span, of more than `least` characters, that is near to a
        registered word, or to several."""
        for left, right in windows(text, lefts, rights, max(SHORTEST, least + 1)):
            piece = text[left:right]
            targets: dict[Meant, str] = {}
            found = self.near(piece, seen)
            for word in sorted(found, key=lambda item: (abs(len(item) - len(piece)), item)):
                if digits(word) == digits(piece):
                    targets.setdefault(found[word], word)
            if not targets:
                continue
            payload, more = few(tuple(dict.fromkeys(one for target in targets for one in target)))
            close = tuple(targets.values())
            return Near(left, right, "near", payload, close, _matched(close[0], piece), more)
        return None

    def near(self, piece: str, seen: Seen) -> dict[str, Meant]:
        """What every word that sounds like `piece` means; where there is none, every word one edit away from it.
        Of words that mean nothing which may be seen, there are none."""
        values = self._values.base.near
        if not piece.isascii():
            spoken = sound(piece)
            same = self._seen(self._own.same_sound(spoken) | values.same_sound(spoken), seen)
            if same:
                return same
        return self._seen(self._own.one_edit(piece) | values.one_edit(piece), seen)

    def _seen(self, words: set[str], seen: Seen) -> dict[str, Meant]:
        return {word: target for word in words if (target := seen(self._target(word)))}

    def offers(self, text: str, seen: Seen, count: int = 5) -> tuple[str, ...]:
        """The registered words most like a text, to offer where nothing is near enough to take."""
        found = process.extract(
            text, self._lexicon.words, scorer=fuzz.ratio, limit=None, score_cutoff=45
        )
        shown = (str(item[0]) for item in found)
        return tuple(islice((one for one in shown if seen(self._lexicon.table[one])), count))

    def _target(self, word: str) -> Meant:
        """What a word means: its meanings, and the values of that name where they could be meant as well."""
        meanings: Meant = self._lexicon.table.get(word, ())
        if any(isinstance(item, Meaning) and item.kind != "value" for item in meanings):
            return meanings
        return (*meanings, *self._values.named(word))


def digits(text: str) -> str:
    """The digits of a text: these must be equal."""
    return "".join(char for char in text if char.isdigit())


def around(
    text: str, start: int, end: int, begun: Sequence[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """Where a stretch that holds a span may begin and end: some characters or Latin words to either side,
    and what was begun within them."""
    lefts = [start]
    while len(lefts) <= AROUND and lefts[-1] > 0:
        at = lefts[-1] - 1
        while at > 0 and joined(text[at - 1], text[at]):
            at -= 1
        lefts.append(at)
    rights = [end]
    while len(rights) <= AROUND and rights[-1] < len(text):
        at = rights[-1] + 1
        while at < len(text) and joined(text[at - 1], text[at]):
            at += 1
        rights.append(at)
    lefts += [one for one, to in begun if to >= lefts[-1] > one]
    rights += [to for one, to in begun if one <= rights[-1] < to]
    return lefts, rights


def windows(
    text: str, lefts: Sequence[int], rights: Sequence[int], least: int
) -> list[tuple[int, int]]:
    """Stretches of `least` characters or more, the longest first; Latin words are kept whole."""
    found = [
        (left, right)
        for left in lefts
        for right in rights
        if least <= right - left <= LONGEST
        and whole(text, left, right)
        and not text[left].isspace()
        and not text[right - 1].isspace()
    ]
    return sorted(found, key=lambda item: (item[0] - item[1], item[0]))


def _matched(word: str, piece: str) -> int:
    """How many characters of a piece are those of a word that it is near to."""
    if len(word) != len(piece):
        return min(len(word), len(piece))
    return sum(one == other for one, other in zip(word, piece, strict=True))
