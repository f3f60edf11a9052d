"""The reader as a whole: normalise → scan → cover → near words → construct → interpret."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from nl2sql.edits import Edit
from nl2sql.reading.cover import Cover, best, content
from nl2sql.reading.interpret import Interpreter
from nl2sql.reading.scan import kind_of, scan
from nl2sql.reading.slips import beside, cuts
from nl2sql.reading.tokens import Token
from nl2sql.reading.types import Ambiguity, Lang, Reading, Taken, Unread
from nl2sql.slots import Contains, Filter, Span
from semantic_layer.lexicon import Lexicon
from semantic_layer.model import Layer
from semantic_layer.text import Normalised, normalise
from semantic_layer.values import ValueIndex

if TYPE_CHECKING:
    from nl2sql.reading.near import NearWords

LONGEST = 1000
NEAR_ROUNDS = 3
_SENTENCE = re.compile(
    r"[?？;；。!！\n]+|[,，](?=\s*(?:另外|还有|以及|顺便|再问|and also|also|and what|and how))"
)
_CONTENT = frozenset(
    {
        "metric",
        "metric_value",
        "value",
        "time",
        "dimension",
        "entity",
        "object",
        "object_value",
        "topic",
        "predict",
        "why",
    }
)
_CORE = frozenset({"metric", "metric_value", "object", "entity", "object_value", "topic"})


class RuleReader:
    """Reads questions by rule: no network, no wait, the same reading for ever."""

    def __init__(self, layer: Layer, values: ValueIndex) -> None:
        self.layer, self.values = layer, values
        self.lexicon = Lexicon(layer)
        self._interpreter = Interpreter(layer, self.lexicon)

    @lru_cache(maxsize=1)  # noqa: B019 - a reader lives as long as its layer
    def _near_words(self) -> NearWords:
        """The index of near words, made when the first word is not understood: it takes a while."""
        from nl2sql.reading.near import NearWords

        return NearWords(self.lexicon, self.values)

    def _known(self, word: str) -> bool:
        """Whether a word is registered: a layer's word, or a stored name."""
        return word in self.lexicon.table or bool(self.values.named(word))

    def read(self, text: str) -> Reading:
        """The reading of one question. Text beyond the limit is reported as not understood."""
        return self._one(text, 0)

    def split(self, text: str) -> tuple[str, ...]:
        """The questions of one message: a piece without a subject of its own stays with its neighbour."""
        pieces: list[str] = []
        at = 0
        for match in [*_SENTENCE.finditer(text), None]:
            end = (
                len(text)
                if match is None
                else (match.end() if match.group().strip() not in (",", "，") else match.start())
            )
            piece = text[at:end]
            at = len(text) if match is None else match.end()
            if piece.strip():
                pieces.append(piece)
        whole: list[str] = []
        for piece in pieces:
            if whole and not self._separate(whole[-1], piece):
                whole[-1] += ("，" if whole[-1][-1:] not in "?？;；。!！\n" else "") + piece
            else:
                whole.append(piece)
        return tuple(whole) if len(whole) > 1 else (text,)

    def _separate(self, before: str, piece: str) -> bool:
        """Two questions: each names a subject, or the first is a question that ended and more is asked."""
        if self._has_core(piece) and self._has_core(before):
            return True
        return before.rstrip()[-1:] in "?？" and self._has_core(before) and self._has_content(piece)

    def _has_content(self, text: str) -> bool:
        normalised = normalise(text[:LONGEST]).text
        cover = best(normalised, scan(normalised, self.lexicon, self.values), 1)
        return any(token.kind in _CONTENT for token in cover[0].tokens) if cover else False

    def _has_core(self, text: str) -> bool:
        normalised = normalise(text[:LONGEST]).text
        cover = best(normalised, scan(normalised, self.lexicon, self.values), 1)
        kinds = {token.kind for token in cover[0].tokens} if cover else set()
        return bool(kinds & _CORE) or {"how_many", "measure"} <= kinds

    def _one(self, text: str, _depth: int) -> Reading:
        normalised = normalise(text[:LONGEST])
        plain = normalised.text
        lang = language(text)
        if not any(content(char) for char in plain):
            return Reading(text, lang, "empty")
        candidates = scan(plain, self.lexicon, self.values)
        covers = best(plain, candidates)
        cover, taken = self._with_near(plain, candidates, covers[0])
        intent = self._interpreter.intent(cover.tokens, plain)
        draft = self._interpreter.read(cover.tokens, plain)
        unread = sorted({*cover.unread, *draft.unread})
        if len(text) > LONGEST:
            unread.append((len(plain) - 1, len(plain)))
        back = _Back(normalised)
        mentioned = tuple(
            dict.fromkeys(item.id for token in cover.tokens for item in token.meanings("metric"))
        )
        return Reading(
            text,
            lang,
            intent,
            tuple(back.edit(edit) for edit in draft.edits),
            tuple(replace(item, span=back.span(item.span)) for item in draft.references),
            frozenset(draft.cues),
            tuple(back.ambiguity(item) for item in draft.ambiguities),
            tuple(
                Unread(
                    back.span(span),
                    _original(text, back.span(span)),
                    self._near_words().offers(plain[span[0] : span[1]]),
                )
                for span in unread
            ),
            tuple(replace(item, span=back.span(item.span)) for item in (*taken, *draft.taken)),
            mentioned,
            cover.tokens,
            covers[1].tokens if len(covers) > 1 else (),
        )

    def _with_near(
        self, text: str, candidates: list[Token], cover: Cover
    ) -> tuple[Cover, tuple[Taken, ...]]:
        """Unread stretches near one registered word are taken as that word; again, while that helps:
        the first word taken of 智造圆入住率 leaves the other one to be seen."""
        taken: tuple[Taken, ...] = ()
        for _ in range(NEAR_ROUNDS):
            again, more = self._one_near_round(text, candidates, cover)
            if not more:
                break
            cover, taken = again, (*taken, *more)
            candidates = [*candidates, *(token for token in again.tokens if token.note == "near")]
        kept = {(token.start, token.end) for token in cover.tokens if token.note == "near"}
        return cover, tuple(item for item in taken if item.span in kept)

    def _one_near_round(
        self, text: str, candidates: list[Token], cover: Cover
    ) -> tuple[Cover, tuple[Taken, ...]]:
        found: list[Token] = []
        taken: list[Taken] = []
        for start, end in cover.unread[:8]:
            near = self._near_words().find(text, start, end)
            if near is None or cuts(cover, near.start, near.end):
                continue
            if beside(text[near.start : near.end], near.word, self._known):
                continue
            payload = near.meanings or near.stored
            kind = kind_of(near.meanings) if near.meanings else "value"
            weight = (near.end - near.start) * 10.0
            found.append(Token(near.start, near.end, kind, payload, weight, "near"))
            taken.append(
                Taken((near.start, near.end), text[near.start : near.end], near.word, "near")
            )
        if not found:
            return cover, ()
        again = best(text, [*candidates, *found], 1)[0]
        if len(again.unread) >= len(cover.unread):
            return cover, ()
        kept = {(token.start, token.end) for token in again.tokens if token.note == "near"}
        return again, tuple(item for item in taken if item.span in kept)


def language(text: str) -> Lang:
    """The language an answer is given in: Chinese when the text has any Chinese character.

    >>> language("张江 August 的 collection rate"), language("vacancy rate")
    ('zh', 'en')
    """
    return "zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"


def _original(text: str, span: Span) -> str:
    return text[span[0] : span[1]]


class _Back:
    """Spans of the normalised text back to the original."""

    def __init__(self, normalised: Normalised) -> None:
        self._normalised = normalised

    def span(self, span: Span) -> Span:
        return self._normalised.span(*span)

    def edit(self, edit: Edit) -> Edit:
        value = edit.value
        if (
            edit.note == "contains"
            and isinstance(value, Filter)
            and isinstance(value.test, Contains)
        ):
            value = replace(
                value, test=replace(value.test, text=self._literal(value.test.text, edit.span))
            )
        return replace(edit, value=value, span=self.span(edit.span))

    def _literal(self, text: str, span: Span) -> str:
        """The text as it was written: it is matched literally."""
        at = self._normalised.text.find(text, *span)
        if at < 0:
            return text
        start, end = self._normalised.span(at, at + len(text))
        return self._normalised.original[start:end]

    def ambiguity(self, item: Ambiguity) -> Ambiguity:
        choices = tuple(
            replace(choice, edits=tuple(self.edit(edit) for edit in choice.edits))
            for choice in item.choices
        )
        return replace(item, span=self.span(item.span), choices=choices)
