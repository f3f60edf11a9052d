"""The reader as a whole: normalise → scan → cover → near words → construct → interpret."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from nl2sql.edits import Edit
from nl2sql.known import Known
from nl2sql.reading import pinyin
from nl2sql.reading.beside import unseen
from nl2sql.reading.cover import Cover, best, content
from nl2sql.reading.interpret import Interpreter
from nl2sql.reading.scan import kind_of, scan
from nl2sql.reading.slips import beside, cuts, doubtful
from nl2sql.reading.ties import TIE, content_of, says, tied
from nl2sql.reading.tokens import Entries, Seen, Token, everything, read_out
from nl2sql.reading.types import Ambiguity, Lang, Reading, Taken, Unread
from nl2sql.reading.wordlist import words_of
from nl2sql.slots import Contains, Filter, Span
from semantic_layer.index import Base
from semantic_layer.lexicon import Lexicon, Meaning
from semantic_layer.model import Layer
from semantic_layer.text import Normalised, normalise
from semantic_layer.values import ValueIndex

if TYPE_CHECKING:
    from nl2sql.reading.near import NearWords

LONGEST = 1000  # characters of one question
MOST_SENTENCES = 60  # of one message
NEAR_ROUNDS = 3
MOST_OFFERED = 8  # stretches left over that are given words near to them
REMEMBERED = 1024  # readings
NEXT_BEST = 8  # covers looked through for one that says something else
_SENTENCE = re.compile(
    r"[?？;；。!！\n]+|[,，](?=\s*(?:另外|还有|以及|顺便|再问|and also|also|and what|and how))"
)
_ASIDE = re.compile(r"\s*(?:顺便|另外|对了|话说|by the way|btw)")  # something else is asked
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

    def __init__(self, layer: Layer, values: ValueIndex, lexicon: Lexicon | None = None) -> None:
        self.layer, self.values = layer, values
        self.lexicon, self.words = lexicon or Lexicon(layer), words_of(layer)
        self._interpreter = Interpreter(layer, self.lexicon)
        self._read_before: tuple[Base, Known[str, Reading]] | None = None

    @lru_cache(maxsize=1)  # noqa: B019 - a reader lives as long as its layer
    def _near_words(self) -> NearWords:
        """The index of near words, made when the first word is not understood: it takes a while."""
        from nl2sql.reading.near import NearWords

        return NearWords(self.lexicon, self.values)

    def over(self, values: ValueIndex) -> RuleReader:
        """A reader of the same layer over other values."""
        return RuleReader(self.layer, values, self.lexicon)

    def _known(self, word: str, seen: Seen) -> bool:
        """Whether a word is registered: a layer's word, or a stored name, that may be seen."""
        return bool(seen((*self.lexicon.table.get(word, ()), *self.values.named(word))))

    def split(self, text: str, seen: Seen = everything) -> tuple[str, ...]:
        """The questions of one message: a piece without a subject of its own stays with its neighbour.

        More sentences than `MOST_SENTENCES` are given as they are: nobody answers as many.
        """
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
        if len(pieces) < 2:
            return (text,)
        if len(pieces) > MOST_SENTENCES:
            return tuple(pieces)
        whole = pieces[:1]
        before = self._kinds(pieces[0], seen)
        for piece in pieces[1:]:
            kinds = self._kinds(piece, seen)
            if _separate(whole[-1], before, piece, kinds):
                whole.append(piece)
                before = kinds
            else:
                whole[-1] += ("，" if whole[-1][-1:] not in "?？;；。!！\n" else "") + piece
                before |= kinds
        return tuple(whole) if len(whole) > 1 else (text,)

    def _kinds(self, text: str, seen: Seen) -> frozenset[str]:
        """The kinds of tokens in a piece of a message."""
        normalised = normalise(text[:LONGEST]).text
        cover = best(normalised, scan(normalised, self.lexicon, self.values, seen, self.words), 1)
        return frozenset(token.kind for token in cover[0].tokens) if cover else frozenset()

    def read(self, text: str, seen: Seen = everything) -> Reading:
        """The reading of one question. Text beyond the limit is reported as not understood.

        A value that the user may not see is no candidate for a part of a name or a near word, nor offered;
        what of a word's meanings may be seen, `seen` says. What was read for somebody who may see everything is
        remembered: a reading is made of the text, the layer and the values alone.
        """
        if seen is not everything:
            return self.read_anew(text, seen)
        base, before = self.values.base, self._read_before
        if before is None or before[0] is not base:
            before = self._read_before = (base, Known(REMEMBERED))
        return before[1].get(text, lambda: self.read_anew(text))

    def read_anew(self, text: str, seen: Seen = everything) -> Reading:
        """The same, whether or not it was read before."""
        normalised = normalise(text[:LONGEST])
        plain = normalised.text
        if not any(content(char) for char in plain):
            return Reading(text, language(text), "empty")
        candidates = self._candidates(plain, seen)
        covers = best(plain, candidates, 2)
        cover, taken, close = self._with_near(plain, candidates, covers[0], seen)
        if seen is not everything and (named := [*unseen(plain, cover, self.layer)]):
            cover = best(plain, [*cover.tokens, *named], 1)[0]
        reading = self._reading(text, normalised, cover, taken, close, seen)
        if len(covers) > 1 and covers[1].score >= cover.score - TIE and not reading.unread:
            said = content_of(cover.tokens)
            for other in best(plain, candidates, NEXT_BEST)[1:]:
                if other.score >= cover.score - TIE and content_of(other.tokens) != said:
                    rival = self._reading(text, normalised, other, (), {}, None)
                    reading = tied(reading, rival) or reading
        return reading

    def readings(self, text: str, seen: Seen = everything, keep: int = 2) -> tuple[Reading, ...]:
        """The best reading of a question, and the next best ones that come to something else: other edits
        or another kind of question. For whoever looks into a reading."""
        found = [self.read(text, seen)]
        if found[0].intent == "empty":
            return tuple(found)
        normalised = normalise(text[:LONGEST])
        plain = normalised.text
        candidates = self._candidates(plain, seen)
        for cover in best(plain, candidates, NEXT_BEST):
            other = self._reading(text, normalised, cover, (), {}, None)
            if len(found) < keep and all(says(other) != says(one) for one in found):
                found.append(other)
        return tuple(found)

    def _candidates(self, plain: str, seen: Seen) -> list[Token]:
        """Everything that stretches of a normalised text can be."""
        found = scan(plain, self.lexicon, self.values, seen, self.words)
        return [token for token in found if token.payload != ()]

    def _reading(
        self,
        text: str,
        normalised: Normalised,
        cover: Cover,
        taken: tuple[Taken, ...],
        close: dict[Span, tuple[str, ...]],
        offering: Seen | None,
    ) -> Reading:
        """What one cover of a text says; with words near to what it left over, of those `offering` lets pass."""
        plain = normalised.text
        cover = replace(cover, tokens=tuple(map(self._fetched, cover.tokens)))
        intent = self._interpreter.intent(cover.tokens, plain)
        draft = self._interpreter.read(cover.tokens, plain)
        unread = _joined(plain, {*cover.unread, *draft.unread})
        if len(text) > LONGEST:
            unread.append((len(plain) - 1, len(plain)))
        back = _Back(normalised)
        mentioned = tuple(
            dict.fromkeys(item.id for token in cover.tokens for item in token.meanings("metric"))
        )
        typed = any(token.note == pinyin.NOTE for token in cover.tokens)
        return Reading(
            text,
            "zh" if typed else language(text),
            intent,
            tuple(back.edit(edit) for edit in draft.edits),
            tuple(replace(item, span=back.span(item.span)) for item in draft.references),
            frozenset(draft.cues),
            tuple(back.ambiguity(item) for item in draft.ambiguities),
            tuple(
                Unread(
                    back.span(span),
                    _original(text, back.span(span)),
                    self._close(plain, span, close, offering)
                    if offering is not None and index < MOST_OFFERED and span not in draft.either
                    else (),
                    span in draft.either,
                )
                for index, span in enumerate(unread)
            ),
            tuple(replace(item, span=back.span(item.span)) for item in (*taken, *draft.taken)),
            mentioned,
            tuple(map(back.token, cover.tokens)),
            cover.score,
        )

    def _close(
        self, text: str, span: Span, close: dict[Span, tuple[str, ...]], seen: Seen
    ) -> tuple[str, ...]:
        """What a stretch is near to, and the registered words most like it."""
        return (*_within(close, span), *self._near_words().offers(text[slice(*span)], seen))

    def _with_near(
        self, text: str, candidates: list[Token], cover: Cover, seen: Seen
    ) -> tuple[Cover, tuple[Taken, ...], dict[Span, tuple[str, ...]]]:
        """Unread stretches that are a part of names, or near to a registered word, are taken as that;
        again, while that helps: the first word taken of 智造圆入住率 leaves the other one to be seen.

        Gives the cover with them, what was taken as one thing, and what each of the others is near to.
        """
        taken: tuple[Taken, ...] = ()
        close: dict[Span, tuple[str, ...]] = {}
        for _ in range(NEAR_ROUNDS):
            again, more, others = self._one_near_round(text, candidates, cover, seen)
            close |= others
            if again is cover:
                break
            cover, taken = again, (*taken, *more)
            candidates = [*candidates, *(one for one in again.tokens if one not in candidates)]
        kept = {(token.start, token.end) for token in cover.tokens if token.note == "near"}
        return cover, tuple(item for item in taken if item.span in kept), close

    def _one_near_round(
        self, text: str, candidates: list[Token], cover: Cover, seen: Seen
    ) -> tuple[Cover, tuple[Taken, ...], dict[Span, tuple[str, ...]]]:
        found: list[Token] = []
        taken: list[Taken] = []
        close: dict[Span, tuple[str, ...]] = {}
        begun = [(token.start, token.end) for token in cover.tokens if token.note == "part"]
        for start, end in (*cover.unread[:8], *doubtful(cover)):
            if any(one.start <= start and end <= one.end for one in found):
                continue
            whole = self._turned(text, cover, start, end, seen)
            if whole is not None:
                found.append(whole[0])
                taken.append(whole[1])
                continue
            near = self._near_words().find(text, start, end, begun, seen)
            if near is None or (near.why == "near" and cuts(cover, near.start, near.end)):
                continue
            piece = text[near.start : near.end]
            known = partial(self._known, seen=seen)
            if near.why == "near" and all(beside(piece, word, known) for word in near.words):
                continue
            meanings = tuple(item for item in near.payload if isinstance(item, Meaning))
            kind = kind_of(meanings) if meanings else "value"
            if len(near.words) > 1 and any(item.kind != "value" for item in meanings):
                close[start, end] = near.words
                continue
            weight = (near.end - near.start) * 10.0
            found.append(
                Token(near.start, near.end, kind, near.payload, weight, near.why, near.more)
            )
            span = (near.start, near.end)
            if near.why == "near" and len(near.words) == 1:  # of parts, the pieces say it
                taken.append(Taken(span, text[slice(*span)], near.words[0], "near"))
        if not found:
            return cover, (), close
        again = best(text, [*candidates, *found], 1)[0]
        kept = {(token.start, token.end) for token in again.tokens if token.note == "near"}
        fewer = len(again.unread) - len(cover.unread)
        if fewer > 0 or (fewer == 0 and not (kept and doubtful(cover))):
            return cover, (), close
        return again, tuple(item for item in taken if item.span in kept), close

    def _turned(
        self, text: str, cover: Cover, start: int, end: int, seen: Seen
    ) -> tuple[Token, Taken] | None:
        """企业入驻 is 入驻企业: a name whose two parts stand the other way round."""
        unread = text[start:end]
        for token in cover.tokens:
            word = text[token.start : token.end]
            if token.end == start:
                span, name = (token.start, end), unread + word
            elif token.start == end:
                span, name = (start, token.end), word + unread
            else:
                continue
            meanings = tuple(
                item for item in seen(self.lexicon.table.get(name, ())) if isinstance(item, Meaning)
            )
            if meanings and len(unread) > 1 and len(word) > 1 and not name.isascii():
                weight = (end - start + len(word)) * 10.0
                one = Token(*span, kind_of(meanings), meanings, weight, "near")
                return one, Taken(span, text[slice(*span)], name, "near")
        return None

    def _fetched(self, token: Token) -> Token:
        """A token whose values are read out."""
        if not isinstance(token.payload, Entries):
            return token
        payload, more = read_out(self.values, token.payload.entries, everything)
        return replace(token, payload=payload, more=more)


def _separate(before: str, kinds: frozenset[str], piece: str, more: frozenset[str]) -> bool:
    """Two questions: each names a subject, or the first is a question that ended and more is asked."""
    if not _has_core(kinds):
        return False
    ended = before.rstrip()[-1:] in "?？"
    return _has_core(more) or (ended and (bool(more & _CONTENT) or _ASIDE.match(piece) is not None))


def _has_core(kinds: frozenset[str]) -> bool:
    return bool(kinds & _CORE) or {"how_many", "measure"} <= kinds


def language(text: str) -> Lang:
    """The language an answer is given in: Chinese when the text has any Chinese character.

    >>> language("张江 August 的 collection rate"), language("vacancy rate")
    ('zh', 'en')
    """
    return "zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"


def _joined(text: str, spans: Iterable[Span]) -> list[Span]:
    """Spans in order; a number and its unit are one thing not understood: the 30日 of 2月30日."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start == found[-1][1] and text[start - 1].isdigit():
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _within(close: dict[Span, tuple[str, ...]], span: Span) -> tuple[str, ...]:
    """What the pieces of a stretch are near to."""
    return tuple(
        word
        for (start, end), words in close.items()
        if span[0] <= start and end <= span[1]
        for word in words
    )


def _original(text: str, span: Span) -> str:
    return text[span[0] : span[1]]


class _Back:
    """Spans of the normalised text back to the original."""

    def __init__(self, normalised: Normalised) -> None:
        self._normalised = normalised

    def span(self, span: Span) -> Span:
        return self._normalised.span(*span)

    def token(self, token: Token) -> Token:
        start, end = self.span((token.start, token.end))
        if (start, end) == (token.start, token.end):
            return token
        return replace(token, start=start, end=end)

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
        span = self.span(edit.span)
        words = _original(self._normalised.original, span)
        return replace(edit, value=value, span=span, words=words)

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
