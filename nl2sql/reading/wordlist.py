"""The construction words, from YAML: data that anyone can extend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources

import yaml
from ahocorasick_rs import AhoCorasick, MatchKind

from semantic_layer.errors import Issue
from semantic_layer.lexicon import whole
from semantic_layer.model import Layer
from semantic_layer.text import fold
from semantic_layer.yamldoc import Document

_Texts = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # plain text: `no` is a word


class WordList:
    """Construction words and their categories; found in a text in one pass.

    Words of a layer's `own` stand in its categories only, whatever the service's lists say of them.
    """

    def __init__(
        self,
        categories: Mapping[str, Sequence[str]],
        own: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.categories = _by_word(categories) | _by_word(own or {})
        self._words = list(self.categories)
        self._automaton = AhoCorasick(self._words, matchkind=MatchKind.Standard)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, category) of every word in a normalised text, overlapping ones too."""
        for index, start, end in self._automaton.find_matches_as_indexes(text, overlapping=True):
            if whole(text, start, end):
                for category in self.categories[self._words[index]]:
                    yield start, end, category


def _by_word(categories: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for category, words in categories.items():
        for word in words:
            kinds = found.setdefault(fold(word), [])
            if category not in kinds:
                kinds.append(category)
    return found


def words_of(layer: Layer) -> WordList:
    """The service's words and a layer's own."""
    return WordList(_built_in(), layer.spoken) if layer.spoken else word_list()


def clashes(documents: Sequence[Document]) -> Iterator[Issue]:
    """Construction words of a layer that the service reads otherwise: what they did, they do no more."""
    known = word_list().categories
    for document in documents:
        data = document.data if isinstance(document.data, dict) else {}
        own = data.get("words") if "object" not in data else None
        for category, words in own.items() if isinstance(own, dict) else ():
            for index, word in enumerate(words if isinstance(words, list) else ()):
                others = [kind for kind in known.get(fold(str(word)), ()) if kind != category]
                if others:
                    yield Issue(
                        "word-built-in",
                        f"`{word}` is {', '.join(others)} of itself, and {category} in this layer",
                        document.place(("words", category, index)),
                        "leave it out unless it means that to everyone who asks",
                        "warning",
                    )


@lru_cache(maxsize=1)
def word_list() -> WordList:
    """The words of every language the service speaks."""
    return WordList(_built_in())


@lru_cache(maxsize=1)
def _built_in() -> dict[str, list[str]]:
    merged: dict[str, list[str]] = {}
    for language in ("zh", "en"):
        text = (
            resources.files("nl2sql.reading")
            .joinpath("words", f"{language}.yaml")
            .read_text("utf-8")
        )
        for category, words in yaml.load(text, _Texts).items():
            merged.setdefault(category, []).extend(str(word) for word in words)
    return merged
