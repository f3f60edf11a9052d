"""Near words: what was not read may be a registered word, one edit or the same pinyin away (RULES.md §2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pypinyin import lazy_pinyin
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from semantic_layer.lexicon import Lexicon, Meaning, whole
from semantic_layer.text import fold
from semantic_layer.values import Stored, ValueIndex

SHORTEST = 3
LONGEST = 16
MOST_NAMES = 20_000


@dataclass(frozen=True, slots=True)
class Near:
    """`text[start:end]` taken as the registered `word`."""

    start: int
    end: int
    word: str
    meanings: tuple[Meaning, ...]
    stored: tuple[Stored, ...]


class NearWords:
    """An index of registered words by their sound, and by what is left when one character goes."""

    def __init__(self, lexicon: Lexicon, values: ValueIndex) -> None:
        self._lexicon, self._values = lexicon, values
        self._sound: dict[str, set[str]] = {}
        self._shorter: dict[str, set[str]] = {}
        names = {name for name in values.names() if len(name) <= LONGEST * 2}
        if len(names) > MOST_NAMES:  # an index in memory of so many would take too long to make
            names = set()
        for word in {*lexicon.words, *names}:
            if len(word) < SHORTEST or "\n" in word:
                continue
            if not word.isascii():
                self._sound.setdefault(sound(word), set()).add(word)
            if not word.isascii() or len(word) > SHORTEST:
                for short in shortened(word):
                    self._shorter.setdefault(short, set()).add(word)

    def find(self, text: str, start: int, end: int) -> Near | None:
        """The one registered word that a stretch around an unread span is near to; the longest, if any."""
        for left, right in windows(text, start, end):
            piece = text[left:right]
            words = {word for word in self.near(piece) if digits(word) == digits(piece)}
            targets = {self._target(word) for word in words}
            if len(targets) == 1 and words:
                word = min(words, key=lambda item: (abs(len(item) - len(piece)), item))
                meanings, stored = self._target(word)
                return Near(left, right, word, meanings, stored)
        return None

    def near(self, piece: str) -> set[str]:
        """Every word one edit or the same pinyin away from `piece`."""
        same = set() if piece.isascii() else self._sound.get(sound(piece), set())
        if same:
            return same
        close: set[str] = set()
        for short in shortened(piece):
            close |= self._shorter.get(short, set())
        close |= self._shorter.get(piece, set())
        return {word for word in close if OSA.distance(word, piece, score_cutoff=1) <= 1}

    def offers(self, text: str, count: int = 5) -> tuple[str, ...]:
        """The registered words most like a text, to offer where nothing is near enough to take."""
        found = process.extract(
            text, self._lexicon.words, scorer=fuzz.ratio, limit=count, score_cutoff=45
        )
        return tuple(str(item[0]) for item in found)

    def _target(self, word: str) -> tuple[tuple[Meaning, ...], tuple[Stored, ...]]:
        return self._lexicon.table.get(word, ()), self._values.named(word)


def sound(text: str) -> str:
    """A text as it is spoken, tones left out.

    >>> sound("章江") == sound("张江")
    True
    """
    return " ".join(lazy_pinyin(fold(text)))


def digits(text: str) -> str:
    """The digits of a text: these must be equal."""
    return "".join(char for char in text if char.isdigit())


def shortened(word: str) -> Iterator[str]:
    """The word, and the word without each of its characters."""
    yield word
    for index in range(len(word)):
        yield word[:index] + word[index + 1 :]


def windows(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Stretches that hold an unread span, the longest first; Latin words are kept whole."""
    found = [
        (left, right)
        for left in range(max(0, start - 6), start + 1)
        for right in range(end, min(len(text), end + 6) + 1)
        if SHORTEST <= right - left <= LONGEST
        and whole(text, left, right)
        and not text[left].isspace()
        and not text[right - 1].isspace()
    ]
    return sorted(found, key=lambda item: (item[0] - item[1], item[0]))
