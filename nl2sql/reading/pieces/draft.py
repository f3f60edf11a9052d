"""The reading of one question while it is made: what the pieces share."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from nl2sql.edits import Edit, EditValue, Op, Reference, Slot
from nl2sql.numbers import Bound
from nl2sql.reading.construct import Piece
from nl2sql.reading.ranks import together
from nl2sql.reading.tokens import Rank, Token
from nl2sql.reading.types import Ambiguity, Taken
from nl2sql.slots import Among, Filter, Interval, Span
from semantic_layer.lexicon import Lexicon
from semantic_layer.model import Layer

_SINGLE = frozenset({"comparison", "grain"})
_TALK = frozenset(
    {"greet", "thanks", "bye", "help", "yes", "explain_metric", "explain_result", "catalogue"}
    | {"why", "predict", "advise", "change", "leak", "undo"}
)


class Draft:
    """Edits, references and cues of one question, as its pieces are taken one by one."""

    def __init__(self, layer: Layer, lexicon: Lexicon, text: str) -> None:
        self.layer, self.lexicon, self.text = layer, lexicon, text
        self.edits: list[Edit] = []
        self.references: list[Reference] = []
        self.ambiguities: list[Ambiguity] = []
        self.unread: list[Span] = []
        self.either: list[Span] = []  # of the unread, an or between alternatives
        self.taken: list[Taken] = []
        self.cues: set[str] = set()
        self.dims: list[tuple[str, Span, str]] = []
        self.objects: list[tuple[str, Span]] = []
        self.weak: list[tuple[str, Span, str]] = []
        self.metrics: list[tuple[str, Span]] = []
        self.limit: tuple[Rank, Span] | None = None
        self.ranked: frozenset[str] = frozenset()
        self.bounds: list[tuple[Bound, Span]] = []
        self.hinted: list[tuple[str, Span]] = []
        self.flips: list[Span] = []
        self.moved: list[Span] = []
        self.ordering: set[str] = set()
        self.counted: list[tuple[str, Span]] = []
        self.more: dict[Span, int] = {}
        self.together: tuple[int, Span] | None = None  # 两个一共: so many of what was said before
        self.which = ""  # the measure word of 哪家, 哪位

    def settle(self, tokens: list[Token]) -> list[Token]:
        """Words with two natures take the one that fits their neighbours."""
        named = any(token.kind in ("metric", "attribute") for token in tokens)
        settled: list[Token] = []
        for index, token in enumerate(tokens):
            kind = token.kind
            if kind == "metric_value":
                kind = (
                    "value"
                    if named or any(other.kind == "metric_value" for other in tokens[:index])
                    else "metric"
                )
            elif kind == "object_value":
                follows = tokens[index + 1].kind if index + 1 < len(tokens) else ""
                before = tokens[index - 1].kind if index else ""
                kind = (
                    "object"
                    if before == "ref_kind"
                    else "value"
                    if named
                    or follows in ("object", "entity", "object_value")
                    or before == "only"
                    or listed(tokens, index)
                    else "object"
                )
            settled.append(token if kind == token.kind else replace(token, kind=kind))
        return settled

    def span_of(self, piece: Piece) -> Span:
        return piece.tokens[0].start, piece.tokens[-1].end

    def say(
        self,
        slot: Slot,
        op: Op,
        value: EditValue,
        span: Span,
        note: str = "",
        others: tuple[EditValue, ...] = (),
    ) -> None:
        said = next(
            (e.value for e in self.edits if (e.slot, e.op) == (slot, op) == (e.slot, "set")), value
        )
        if slot in _SINGLE and said != value:
            self.unread.append(
                span
            )  # two grains, or 同比 and 环比 at once: neither is dropped in silence
            return
        self.edits.append(Edit(slot, op, value, span, 1.0, note, others))

    def rank(self, token: Token, dims: frozenset[str] = frozenset()) -> None:
        """Keep the ranks that are asked for; a second one that is not the same is not understood."""
        assert isinstance(token.payload, Rank)
        rank, span = token.payload, (token.start, token.end)
        if self.limit is not None:
            both = together(self.limit[0], rank)
            if both is None or (dims and self.ranked and dims != self.ranked):
                self.unread.append(span)
                return
            rank, span = both, (min(self.limit[1][0], span[0]), max(self.limit[1][1], span[1]))
        self.ranked |= dims
        self.limit = (rank, span)
        if token.note == "which":
            self.cues.add("which_of")
        if token.note in ("nth", "last_nth") and self.text.startswith("的", token.end):
            place = rank.first if token.note == "nth" else -1
            self.cues.add(f"row:{place}")  # 第二名的…: after a ranking, a row of it

    def loose(self, token: Token) -> None:
        if token.kind in _TALK:
            return
        self.unread.append((token.start, token.end))
        if token.kind == "or":
            self.either.append((token.start, token.end))

    def dimension(self, token: Token) -> str | None:
        found = token.meanings("dimension")
        return found[0].id if found else None

    def dims_in(self, piece: Piece) -> list[tuple[str, Span]]:
        return [
            (found, (token.start, token.end))
            for token in piece.tokens
            if (found := self.dimension(token)) and token.kind in ("dimension", "entity")
        ]

    def metric_ids(self, piece: Piece) -> list[tuple[str, Span]]:
        return [
            (meanings[0].id, (token.start, token.end))
            for token in piece.tokens
            if token.kind == "metric" and (meanings := token.meanings("metric"))
        ]

    def filters_of(self, token: Token) -> tuple[Filter, ...]:
        """Every filter that a value token can mean."""
        found: list[Filter] = []
        for meaning in token.meanings("value"):
            found.append(Filter(meaning.owner, Among((meaning.id,))))
        for stored in token.stored():
            found.append(Filter(stored.dimension, Among((stored.key,))))
        for several in token.several():
            found.append(Filter(several.dimension, Among(several.values)))
        return tuple(dict.fromkeys(found))

    def value_sets(self, piece: Piece) -> list[tuple[tuple[Filter, ...], Span]]:
        """The filters of a list of values: those of one dimension together."""
        sets: list[tuple[tuple[Filter, ...], Span]] = []
        for token in piece.tokens:
            if token.kind != "value":
                continue
            options = self.filters_of(token)
            self.more[token.start, token.end] = token.more
            if (
                token.note == "part"
                and len({item.field for item in options}) == 1
                and len(options) == 1
            ):
                name = token.stored()[0].name
                self.taken.append(
                    Taken(
                        (token.start, token.end), self.text[token.start : token.end], name, "part"
                    )
                )
            span = (token.start, token.end)
            merged = False
            for index, (before, where) in enumerate(sets):
                joined = _join(before, options)
                if joined:
                    sets[index] = (joined, (where[0], span[1]))
                    merged = True
                    break
            if not merged and options:
                sets.append((options, span))
        return sets


def listed(tokens: list[Token], index: int) -> bool:
    """投诉和报修: a word side by side with a value of its own dimension is one too."""
    own = {item.owner for item in tokens[index].meanings("value")}
    for step in (-1, 1):
        at = index + step
        if 0 <= at < len(tokens) and tokens[at].kind in ("and", "or"):
            at += step
        if 0 <= at < len(tokens) and tokens[at].kind == "value":
            if own & tokens[at].owners() and at != index + step:
                return True
    return False


_TIMES = {
    "minute": Decimal(1),
    "min": Decimal(1),
    "hour": Decimal(60),
    "h": Decimal(60),
    "day": Decimal(1440),
}


def interval(bound: Bound, percent: bool, unit: str | None = None) -> Interval:
    """The interval of a bound; a rate compared with 90 or 90% means 0.9, an hour against minutes is 60."""
    said, own = _TIMES.get(bound.unit or ""), _TIMES.get(unit or "")
    factor = said / own if said is not None and own is not None else Decimal(1)

    def scaled(value: Decimal | None) -> Decimal | None:
        if value is None:
            return None
        value = value / 100 if percent and not bound.percent and abs(value) > 1 else value * factor
        return Decimal(int(value)) if value == value.to_integral_value() else value

    return Interval(
        scaled(bound.low), bound.low_inclusive, scaled(bound.high), bound.high_inclusive
    )


def _join(before: tuple[Filter, ...], options: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """Values of one dimension side by side, for every dimension that both can mean."""
    joined: list[Filter] = []
    for left in before:
        for right in options:
            if (
                left.field == right.field
                and isinstance(left.test, Among)
                and isinstance(right.test, Among)
            ):
                joined.append(
                    Filter(
                        left.field,
                        Among(tuple(dict.fromkeys((*left.test.values, *right.test.values)))),
                    )
                )
    return tuple(joined)
