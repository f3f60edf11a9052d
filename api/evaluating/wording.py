"""The words of evaluation reports, in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources

import yaml

from dialogue.evaluation import QuestionSet


@lru_cache(maxsize=2)
def words(lang: str) -> dict[str, str]:
    """The words of a language."""
    text = resources.files("api.evaluating").joinpath("words", f"{lang}.yaml").read_text("utf-8")
    return {str(key): str(value) for key, value in yaml.safe_load(text).items()}


def word(lang: str, key: str, **facts: object) -> str:
    """A text in a language, filled in."""
    return words(lang)[key].format(**facts)


def told_in(sets: Iterable[QuestionSet], wanted: str = "") -> str:
    """The language of a report: the wanted one, else the one that most dialogues are in."""
    spoken = Counter(
        "en" if dialogue.lang == "en" else "zh" for item in sets for dialogue in item.dialogues
    )
    return wanted or spoken.most_common(1)[0][0]
