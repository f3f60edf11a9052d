"""The construction words, from YAML: data that anyone can extend."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources

import yaml
from ahocorasick_rs import AhoCorasick, MatchKind

from semantic_layer.lexicon import whole
from semantic_layer.text import fold

_Texts = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # plain text: `no` is a word


class WordList:
    """Construction words and their categories; found in a text in one pass."""

    def __init__(self, categories: dict[str, list[str]]) -> None:
        self.categories: dict[str, list[str]] = {}
        for category, words in categories.items():
            for word in words:
                folded = fold(word)
                kinds = self.categories.setdefault(folded, [])
                if category not in kinds:
                    kinds.append(category)
        self._words = list(self.categories)
        self._automaton = AhoCorasick(self._words, matchkind=MatchKind.Standard)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, category) of every word in a normalised text, overlapping ones too."""
        for index, start, end in self._automaton.find_matches_as_indexes(text, overlapping=True):
            if whole(text, start, end):
                for category in self.categories[self._words[index]]:
                    yield start, end, category


@lru_cache(maxsize=1)
def word_list() -> WordList:
    """The words of every language the service speaks."""
    merged: dict[str, list[str]] = {}
    for language in ("zh", "en"):
        text = (
            resources.files("nl2sql.reading")
            .joinpath("words", f"{language}.yaml")
            .read_text("utf-8")
        )
        for category, words in yaml.load(text, _Texts).items():
            merged.setdefault(category, []).extend(str(word) for word in words)
    return WordList(merged)
