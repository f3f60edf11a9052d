"""Words that mean two things: a clash within one kind is an error, across kinds a warning."""

from __future__ import annotations

from semantic_layer.building.parts import Parts, Source
from semantic_layer.format import ObjectSpec, WordsSpec
from semantic_layer.text import fold

SPOKEN = "construction word"


def check_words(parts: Parts, objects: list[tuple[str, ObjectSpec, Source]]) -> None:
    """A word claimed twice within one kind and scope is an error; across kinds it is a warning,
    and an ambiguity when it is asked."""
    claims: dict[tuple[str, str], tuple[str, Source]] = {}
    across: dict[str, tuple[str, str]] = {}

    def claim(kind: str, scope: str, owner: str, spec: WordsSpec, source: Source) -> None:
        document, loc = source
        for lang, words in (("zh", spec.zh), ("en", spec.en)):
            for index, word in enumerate(words):
                say(kind, scope, owner, word, (document, (*loc, lang, index)))

    def say(kind: str, scope: str, owner: str, word: str, at: Source) -> None:
        folded = fold(word)
        first = claims.setdefault((f"{kind} {scope}", folded), (owner, at))
        if first[0] != owner:
            where = first[1][0].place(first[1][1])
            parts.report(
                at, "word-clash", f"`{word}` already means {kind} `{first[0]}`", f"see {where}"
            )
            return
        other = across.setdefault(folded, (kind, owner))
        if other != (kind, owner) and other[0] != kind:
            parts.report(
                at,
                "word-shared",
                f"`{word}` is {kind} `{owner}` here and {other[0]} `{other[1]}` elsewhere",
                "it will be asked about where both fit"
                if SPOKEN not in (kind, other[0])
                else "as a construction word it is never read",
                "warning",
            )

    for document, head in parts.heads:
        for name, dimension in head.dimensions.items():
            claim("dimension", "", name, dimension.words, (document, ("dimensions", name, "words")))
            for field_name, values in (
                ("enum", dimension.enum or {}),
                ("values", dimension.values),
            ):
                for value, words in values.items():
                    for index, word in enumerate(words):
                        say(
                            "value",
                            name,
                            value,
                            word,
                            (document, ("dimensions", name, field_name, value, index)),
                        )
        for category, spoken in head.words.by_category().items():
            for index, word in enumerate(spoken):
                say(SPOKEN, "", category, word, (document, ("words", category, index)))
        for name, topic in head.topics.items():
            claim("topic", "", name, topic.words, (document, ("topics", name, "words")))
    for name, spec, (document, loc) in objects:
        claim("object", "", name, spec.words, (document, (*loc, "words")))
        for key, metric in spec.metrics.items():
            claim("metric", "", key, metric.words, (document, (*loc, "metrics", key, "words")))
        for key, attribute in spec.attributes.items():
            claim(
                "attribute",
                name,
                key,
                attribute.words,
                (document, (*loc, "attributes", key, "words")),
            )
