"""The words of a layer, in every language, and what each can mean. Found in a text in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ahocorasick_rs import AhoCorasick, MatchKind

from semantic_layer.model import Layer
from semantic_layer.text import fold

Kind: TypeAlias = Literal[
    "metric", "dimension", "object", "value", "attribute", "topic", "role", "measure"
]


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing a word can mean. `owner` is the dimension of a value, the object of an attribute or role."""

    kind: Kind
    id: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A word of the layer at `text[start:end]`, with everything it can mean."""

    start: int
    end: int
    word: str
    meanings: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Numbered:
    """One way to speak of numbered values: `before` and `after` the numeral, and how they are stored."""

    dimension: str
    stored: str
    before: str
    after: str
    pattern: re.Pattern[str]

    def value(self, numeral: str) -> str:
        """The stored value with this numeral: 3号楼 of 三."""
        return self.stored.replace("{n}", _digits(numeral))


class Lexicon:
    """Every registered word of a layer."""

    def __init__(self, layer: Layer) -> None:
        table: dict[str, list[Meaning]] = {}
        for word, meaning in _entries(layer):
            folded = fold(word)
            if folded and meaning not in table.setdefault(folded, []):
                table[folded].append(meaning)
        self.table = {word: tuple(meanings) for word, meanings in table.items()}
        self.words = tuple(self.table)
        self.nouns = frozenset(
            word
            for word, meanings in self.table.items()
            if any(item.kind == "object" for item in meanings)
        )
        self._automaton = (
            AhoCorasick(self.words, matchkind=MatchKind.Standard) if self.words else None
        )
        self.numbered = tuple(_numbered(layer))
        self.holders = frozenset(
            name for levels in layer.chains().values() for name in levels[:-1]
        )  # dimensions that others lie within

    def find(self, text: str) -> Iterator[Hit]:
        """Every registered word in a normalised text, overlapping ones too. English words end at word borders."""
        if self._automaton is not None:
            for index, start, end in self._automaton.find_matches_as_indexes(
                text, overlapping=True
            ):
                if whole(text, start, end):
                    word = self.words[index]
                    yield Hit(start, end, word, self.table[word])
        for form in self.numbered:
            for match in form.pattern.finditer(text):
                if whole(text, match.start(), match.end()):
                    meaning = Meaning("value", form.value(match.group(1)), form.dimension)
                    yield Hit(match.start(), match.end(), match.group(), (meaning,))


def whole(text: str, start: int, end: int) -> bool:
    """Whether a span does not cut a Latin word or a number in two.

    >>> whole("rental", 0, 4), whole("q3的ai", 3, 5)
    (False, True)
    """
    if start > 0 and joined(text[start - 1], text[start]):
        return False
    return not (end < len(text) and joined(text[end - 1], text[end]))


def joined(left: str, right: str) -> bool:
    """Whether two characters side by side belong to one Latin word or number."""
    if left.isdigit() or right.isdigit():
        return (left.isdigit() and right.isdigit()) or (
            left.isascii() and right.isascii() and left.isalnum() and right.isalnum()
        )
    return left.isascii() and right.isascii() and left.isalpha() and right.isalpha()


def _entries(layer: Layer) -> Iterable[tuple[str, Meaning]]:
    for metric in layer.metrics.values():
        if not metric.hidden:
            yield metric.id, Meaning("metric", metric.id, metric.object)
            for word in metric.words.all():
                yield word, Meaning("metric", metric.id, metric.object)
                if word.startswith(_AVERAGE):
                    for short in _SHORT:
                        yield (
                            short + word.removeprefix(_AVERAGE),
                            Meaning("metric", metric.id, metric.object),
                        )
    for dimension in layer.dimensions.values():
        for word in dimension.words.all():
            yield word, Meaning("dimension", dimension.id)
        for value, words in (dimension.enum or {}).items():
            for word in (value, *words):
                yield word, Meaning("value", value, dimension.id)
        for value, words in dimension.aliases.items():
            for word in words:
                yield word, Meaning("value", value, dimension.id)
    for found in layer.objects.values():
        for word in found.words.all():
            yield word, Meaning("object", found.id)
        for word in found.measure_words.all():
            yield word, Meaning("measure", found.id)
        for attribute in found.attributes.values():
            for word in attribute.words.all():
                yield word, Meaning("attribute", attribute.id, found.id)
        for role in found.time.roles.values():
            for word in role.words.all():
                yield word, Meaning("role", role.id, found.id)
    for topic in layer.topics.values():
        for word in topic.words.all():
            yield word, Meaning("topic", topic.id)


_AVERAGE, _SHORT = "average ", ("avg ", "avg. ", "mean ")
NUMERAL = (
    r"(\d{1,4}|[一二三四五六七八九十两]{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)"
)


def _numbered(layer: Layer) -> Iterator[Numbered]:
    for dimension in layer.dimensions.values():
        if dimension.pattern is not None:
            for spoken in dimension.pattern.spoken:
                before, _, after = fold(spoken).partition("{n}")
                source = re.escape(before).replace(r"\ ", " ?") + NUMERAL + re.escape(after)
                stored = dimension.pattern.stored
                yield Numbered(dimension.id, stored, before, after, re.compile(source))


_ENGLISH = {
    name: str(number)
    for number, name in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
}
_CHINESE = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"两": 2}


def _digits(text: str) -> str:
    """A short numeral in digits.

    >>> _digits("十二"), _digits("two"), _digits("007")
    ('12', '2', '7')
    """
    if text.isdigit():
        return str(int(text))
    if text in _ENGLISH:
        return _ENGLISH[text]
    tens, ten, ones = text.partition("十")
    if not ten:
        return "".join(str(_CHINESE[char]) for char in text)
    return str((_CHINESE[tens] if tens else 1) * 10 + (_CHINESE[ones] if ones else 0))
