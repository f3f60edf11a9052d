"""From tokens to a reading: pieces become edits; what is ambiguous or unread is kept and told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from nl2sql.edits import Edit, EditValue, Op, Reference, Slot, TimeMention
from nl2sql.numbers import Bound
from nl2sql.reading.construct import Piece, best_pieces
from nl2sql.reading.constructions import CONSTRUCTIONS
from nl2sql.reading.tokens import Quoted, Rank, RowNumber, Token
from nl2sql.reading.types import Ambiguity, Choice, Intent, Taken
from nl2sql.slots import (
    Among,
    Comparison,
    Contains,
    Filter,
    Having,
    Interval,
    Limit,
    Missing,
    Order,
    Span,
)
from nl2sql.times import CompareMatch, GrainMatch, TimeMatch
from semantic_layer.lexicon import Lexicon
from semantic_layer.model import Layer

_INTENTS: tuple[Intent, ...] = (
    "leak",
    "change",
    "why",
    "predict",
    "advise",
    "explain_result",
    "explain_metric",
    "catalogue",
    "undo",
)
_CHATS: tuple[Intent, ...] = ("greet", "thanks", "bye", "help")
_CONTENT = frozenset(
    {
        "metric",
        "metric_value",
        "value",
        "object",
        "object_value",
        "entity",
        "dimension",
        "time",
        "topic",
        "bound",
        "rank",
    }
)
_UNSUPPORTED = frozenset({"share", "above_average", "complement", "flip", "name_only", "or"})
_COUNTED = frozenset("多少")


class Interpreter:
    """Turns the tokens of one question into edits, under one layer."""

    def __init__(self, layer: Layer, lexicon: Lexicon) -> None:
        self.layer, self.lexicon = layer, lexicon

    def intent(self, tokens: Sequence[Token], text: str) -> Intent:
        """What kind of question the tokens make."""
        kinds = {token.kind for token in tokens if token.kind != "filler"}
        for intent in _INTENTS:
            if intent in kinds:
                return intent
        if re.match(r"what is (?!the )", text) and kinds <= {"metric", "metric_value"} and kinds:
            return "explain_metric"
        if not kinds & _CONTENT:
            for intent in _CHATS:
                if intent in kinds:
                    return intent
        return "query"

    def read(self, tokens: Sequence[Token], text: str) -> _Draft:
        """The edits that the tokens make."""
        draft = _Draft(self.layer, self.lexicon, text)
        draft.take(tokens)
        return draft


class _Draft:
    """The reading of one question while it is made."""

    def __init__(self, layer: Layer, lexicon: Lexicon, text: str) -> None:
        self.layer, self.lexicon, self.text = layer, lexicon, text
        self.edits: list[Edit] = []
        self.references: list[Reference] = []
        self.ambiguities: list[Ambiguity] = []
        self.unread: list[Span] = []
        self.taken: list[Taken] = []
        self.cues: set[str] = set()
        self.dims: list[tuple[str, Span, str]] = []
        self.objects: list[tuple[str, Span]] = []
        self.weak: list[tuple[str, Span, str]] = []
        self.metrics: list[tuple[str, Span]] = []
        self.limit: tuple[Rank, Span] | None = None
        self.bounds: list[tuple[Bound, Span]] = []
        self.hinted: list[tuple[str, Span]] = []

    # -- the whole ---------------------------------------------------------------------------

    def take(self, tokens: Sequence[Token]) -> None:
        tokens = self.settle([token for token in tokens if token.kind != "filler"])
        pieces, loose = best_pieces(tokens, CONSTRUCTIONS)
        for token in loose:
            self.loose(token)
        for piece in pieces:
            self.span_of(piece)
            getattr(self, f"on_{piece.name}")(piece)
        self.finish()

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
                kind = (
                    "value"
                    if named or follows in ("object", "entity", "object_value")
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
        self.edits.append(Edit(slot, op, value, span, 1.0, note, others))

    def loose(self, token: Token) -> None:
        if token.kind in _CHAT_LIKE:
            return
        self.unread.append((token.start, token.end))

    # -- what tokens mean --------------------------------------------------------------------

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
        return tuple(dict.fromkeys(found))

    def value_sets(self, piece: Piece) -> list[tuple[tuple[Filter, ...], Span]]:
        """The filters of a list of values: those of one dimension together."""
        sets: list[tuple[tuple[Filter, ...], Span]] = []
        for token in piece.tokens:
            if token.kind != "value":
                continue
            options = self.filters_of(token)
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

    # -- pieces ------------------------------------------------------------------------------

    def on_dims(self, piece: Piece) -> None:
        how = "each" if any(token.kind == "each" for token in piece.tokens) else "by"
        if any(token.kind in ("which", "rows_end") for token in piece.tokens):
            how = "which"
            self.cues.add("which")
        for found, span in self.dims_in(piece):
            self.dims.append((found, span, how))
            for token in piece.tokens:
                if how == "which" and token.kind == "entity" and (token.start, token.end) == span:
                    self.objects.append((token.meanings("object")[0].id, span))

    def on_dims_add(self, piece: Piece) -> None:
        for found, span in self.dims_in(piece):
            self.say("dimensions", "add", (found,), span)

    def on_dims_clear(self, piece: Piece) -> None:
        for found, span in self.dims_in(piece):
            self.say("dimensions", "remove", (found,), span)

    def on_by_grain(self, piece: Piece) -> None:
        self.on_grain(piece)

    def on_metrics(self, piece: Piece) -> None:
        self.metrics += self.metric_ids(piece)

    def on_metrics_add(self, piece: Piece) -> None:
        for found, span in self.metric_ids(piece):
            self.say("metrics", "add", (found,), span)
        self.cues.add("add")

    def on_metrics_remove(self, piece: Piece) -> None:
        for found, span in self.metric_ids(piece):
            self.say("metrics", "remove", (found,), span)

    def on_metric_order(self, piece: Piece) -> None:
        ids = self.metric_ids(piece)
        self.metrics += ids
        down = not any(token.kind == "ascending" for token in piece.tokens)
        rank = next((token for token in piece.tokens if token.kind == "rank"), None)
        if rank is not None and isinstance(rank.payload, Rank):
            self.limit = (rank.payload, (rank.start, rank.end))
        elif any(token.kind in ("sort", "descending", "ascending") for token in piece.tokens):
            self.say("order", "set", Order(ids[0][0] if ids else None, down), self.span_of(piece))
        elif piece.tokens[0].kind == "by":
            self.cues.add("by_metric")

    def on_attribute_order(self, piece: Piece) -> None:
        token = next(item for item in piece.tokens if item.kind == "attribute")
        down = not any(item.kind == "ascending" for item in piece.tokens)
        meaning = token.meanings("attribute")[0]
        rank = next((item.payload for item in piece.tokens if isinstance(item.payload, Rank)), None)
        if rank is not None:
            down = rank.descending is not False
            self.say("limit", "set", Limit(rank.last, rank.first), self.span_of(piece))
        self.say("order", "set", Order(meaning.id, down), self.span_of(piece))
        self.objects.append((meaning.owner, self.span_of(piece)))
        self.cues.add("rows")

    def on_values(self, piece: Piece) -> None:
        self.values(piece, "set")

    def on_values_noun(self, piece: Piece) -> None:
        wanted = {found for found, _ in self.dims_in(piece)}
        for token in piece.tokens:
            if token.kind == "entity":
                self.objects.append((token.meanings("object")[0].id, (token.start, token.end)))
        self.values(piece, "set", wanted)

    def on_values_add(self, piece: Piece) -> None:
        self.values(piece, "add")
        self.cues.add("add")

    def on_values_exclude(self, piece: Piece) -> None:
        named = {found for found, _ in self.dims_in(piece)}
        for options, span in self.value_sets(piece):
            options = tuple(item for item in options if item.field in named) or options
            negated = tuple(
                replace(item, test=replace(item.test, negated=True))
                for item in options
                if isinstance(item.test, Among)
            )
            self.say("filters", "set", negated[0], span, "exclude", negated[1:])

    def on_values_drop(self, piece: Piece) -> None:
        for options, span in self.value_sets(piece):
            self.say("filters", "remove", options[0], span, "", options[1:])

    def values(self, piece: Piece, op: Op, wanted: set[str] | None = None) -> None:
        sets = self.value_sets(piece)
        for token in piece.tokens:
            self.hint(token)
        if any(token.kind == "or" for token in piece.tokens) and len(sets) > 1:
            self.unread.append(self.span_of(piece))
            self.cues.add("or")
            return
        for options, span in sets:
            kept = tuple(item for item in options if wanted and item.field in wanted) or options
            several = isinstance(kept[0].test, Among) and len(kept[0].test.values) > 1
            word = self.text[span[0] : span[1]]
            part = any(
                token.note == "part" and token.start >= span[0] and token.end <= span[1]
                for token in piece.tokens
            )
            same = {item.field for item in kept}
            if part and len(kept) > 1 and len(same) == 1:
                self.ambiguities.append(
                    Ambiguity(
                        "value",
                        span,
                        word,
                        tuple(
                            Choice(_only(item), (Edit("filters", op, item, span),)) for item in kept
                        ),
                    )
                )
                continue
            self.say("filters", op, kept[0], span, "several" if several else "", kept[1:])
            if any(token.kind == "only" for token in piece.tokens):
                self.cues.add("only")

    def hint(self, token: Token) -> None:
        """大型企业 names its object too."""
        word = self.text[token.start : token.end]
        for found in self.layer.objects.values():
            if token.kind == "value" and any(
                word.endswith(item.lower()) and word != item for item in found.words.all()
            ):
                self.hinted.append((found.id, (token.start, token.end)))

    def on_unlimit(self, piece: Piece) -> None:
        self.cues.add("all")
        for token in piece.tokens:
            span = (token.start, token.end)
            if token.kind in ("dimension", "entity"):
                found = self.dimension(token)
                assert found is not None
                self.say("filters", "clear", found, span)
                if token.kind == "entity":
                    self.objects.append((token.meanings("object")[0].id, span))
            elif token.kind == "object":
                self.objects.append((token.meanings("object")[0].id, span))
            elif token.kind == "value":
                self.values(Piece("values", (token,), 0, 1), "set")

    def on_missing(self, piece: Piece) -> None:
        for found, span in self.dims_in(piece):
            self.say("filters", "set", Filter(found, Missing()), span)

    def on_contains(self, piece: Piece, negated: bool = False) -> None:
        token = piece.tokens[-1]
        assert isinstance(token.payload, Quoted)
        dims = self.dims_in(piece)
        self.say(
            "filters",
            "set",
            Filter(dims[0][0] if dims else "", Contains(token.payload.text, negated)),
            (token.start, token.end),
            "contains",
        )
        if dims:
            self.weak.append((dims[0][0], dims[0][1], "entity"))

    def on_contains_not(self, piece: Piece) -> None:
        self.on_contains(piece, True)

    # -- conditions on numbers ---------------------------------------------------------------

    def bound_in(self, piece: Piece) -> tuple[Bound, Span]:
        token = next(item for item in piece.tokens if item.kind == "bound")
        assert isinstance(token.payload, Bound)
        return token.payload, (token.start, token.end)

    def on_having(self, piece: Piece) -> None:
        bound, _ = self.bound_in(piece)
        found, span = self.metric_ids(piece)[0]
        metric = self.layer.metrics[found]
        self.say(
            "having", "set", Having(found, interval(bound, metric.percent)), self.span_of(piece)
        )
        self.metrics.append((found, span))

    def on_having_dims(self, piece: Piece) -> None:
        self.on_having(piece)
        self.which(piece)

    def which(self, piece: Piece) -> None:
        """The dimension of a relative clause is what is asked for: 欠费超过5万的租户."""
        for found, span in self.dims_in(piece)[-1:]:
            self.dims.append((found, span, "which"))

    def on_condition_object(self, piece: Piece) -> None:
        self.on_condition(piece)
        token = next(item for item in piece.tokens if item.kind in ("object", "entity"))
        self.objects.append((token.meanings("object")[0].id, (token.start, token.end)))

    def on_counted_dims(self, piece: Piece) -> None:
        bound, _ = self.bound_in(piece)
        at = next(index for index, item in enumerate(piece.tokens) if item.kind == "bound")
        token = next(item for item in piece.tokens[at:] if item.kind in ("object", "entity"))
        self.count_having(token.meanings("object")[0].id, bound, self.span_of(piece))
        named = [
            (found, span) for found, span in self.dims_in(piece) if span != (token.start, token.end)
        ]
        for found, span in named[-1:]:
            self.dims.append((found, span, "which"))

    def on_noun_bound_dims(self, piece: Piece) -> None:
        self.on_noun_bound(
            Piece(
                "noun_bound", tuple(token for token in piece.tokens if token.kind == "bound"), 0, 1
            )
        )
        self.which(piece)

    def on_condition(self, piece: Piece) -> None:
        bound, _ = self.bound_in(piece)
        token = next(item for item in piece.tokens if item.kind == "attribute")
        options = tuple(
            Filter(item.id, interval(bound, False)) for item in token.meanings("attribute")
        )
        self.say("filters", "set", options[0], self.span_of(piece), "attribute", options[1:])
        self.objects += [
            (item.owner, (token.start, token.end)) for item in token.meanings("attribute")[:1]
        ]

    def on_counted(self, piece: Piece) -> None:
        """A number of an object: so many contracts, or bills over an amount."""
        bound, _ = self.bound_in(piece)
        token = next(item for item in piece.tokens if item.kind in ("object", "entity"))
        found = self.layer.objects[token.meanings("object")[0].id]
        span = self.span_of(piece)
        main = next((item for item in found.attributes.values() if item.main), None)
        amount = (
            piece.tokens[0].kind in ("object", "entity")
            and main is not None
            and bound.unit in (None, "cny")
        )
        if amount and main is not None:
            self.say("filters", "set", Filter(main.id, interval(bound, False)), span, "attribute")
            self.objects.append((found.id, span))
        else:
            self.count_having(found.id, bound, span)

    def count_having(self, object_id: str, bound: Bound, span: Span) -> None:
        metric = self.layer.objects[object_id].default_metric
        if metric is None:
            self.unread.append(span)
            return
        self.say("having", "set", Having(metric, interval(bound, False)), span)
        self.metrics.append((metric, span))

    def on_noun_bound(self, piece: Piece) -> None:
        bound, span = self.bound_in(piece)
        if bound.gap is not None:
            word = self.text[bound.gap[0] : bound.gap[1]].strip()
            for meaning in self.lexicon.table.get(word, ()):
                if meaning.kind == "object":
                    self.count_having(meaning.id, bound, span)
                    return
        self.bounds.append((bound, span))

    def on_having_some(self, piece: Piece) -> None:
        found, span = self.metric_ids(piece)[0]
        self.say("having", "set", Having(found, Interval(Decimal(0), False)), self.span_of(piece))
        self.metrics.append((found, span))
        for dim, where in self.dims_in(piece):
            self.dims.append((dim, where, "which"))

    def on_having_none(self, piece: Piece) -> None:
        found, span = self.metric_ids(piece)[0]
        self.say(
            "having",
            "set",
            Having(found, Interval(None, True, Decimal(0), True)),
            self.span_of(piece),
        )
        self.metrics.append((found, span))
        for dim, where in self.dims_in(piece):
            self.dims.append((dim, where, "which"))

    # -- order -------------------------------------------------------------------------------

    def on_rank_dims(self, piece: Piece) -> None:
        token = next(item for item in piece.tokens if item.kind == "rank")
        assert isinstance(token.payload, Rank)
        self.limit = (token.payload, (token.start, token.end))
        self.metrics += self.metric_ids(piece)
        for found, span in self.dims_in(piece):
            self.dims.append((found, span, "rank"))

    def on_rank(self, piece: Piece) -> None:
        token = piece.tokens[0]
        assert isinstance(token.payload, Rank)
        self.limit = (token.payload, (token.start, token.end))

    def on_sorted(self, piece: Piece) -> None:
        down = not any(token.kind == "ascending" for token in piece.tokens)
        self.say("order", "set", Order(None, down), self.span_of(piece))

    # -- time --------------------------------------------------------------------------------

    def on_time(self, piece: Piece) -> None:
        token = piece.tokens[0]
        assert isinstance(token.payload, TimeMatch)
        self.say(
            "time",
            "set",
            TimeMention(self.text[token.start : token.end], token.payload.expr),
            (token.start, token.end),
        )

    def on_role(self, piece: Piece) -> None:
        token = piece.tokens[0]
        options = token.meanings("role")
        self.say("role", "set", options[0].id, (token.start, token.end), options[0].owner)

    def on_grain(self, piece: Piece) -> None:
        token = next(item for item in piece.tokens if item.kind == "grain")
        assert isinstance(token.payload, GrainMatch)
        self.say("grain", "set", token.payload.grain, (token.start, token.end))

    def on_compare(self, piece: Piece) -> None:
        token = piece.tokens[0]
        assert isinstance(token.payload, CompareMatch)
        self.say(
            "comparison",
            "set",
            Comparison(token.payload.kind, token.payload.full),
            (token.start, token.end),
        )

    def on_nocompare(self, piece: Piece) -> None:
        self.say("comparison", "clear", None, self.span_of(piece))

    def on_trend(self, piece: Piece) -> None:
        if (
            any(edit.slot == "comparison" for edit in self.edits)
            and "变化" in self.text[slice(*self.span_of(piece))]
        ):
            return  # 环比变化 is the change of a comparison
        self.say("grain", "set", "month", self.span_of(piece), "trend")
        self.cues.add("trend")

    # -- counting, listing, subjects ---------------------------------------------------------

    def on_count(self, piece: Piece) -> None:
        self.cues.add("count")
        for token in piece.tokens:
            if token.kind in ("object", "entity", "object_value"):
                self.objects.append((token.meanings("object")[0].id, (token.start, token.end)))
                if token.kind == "entity":
                    found = self.dimension(token)
                    if found is not None:
                        self.weak.append((found, (token.start, token.end), "counted"))
            elif token.kind == "measure":
                for meaning in token.meanings("measure")[:1]:
                    self.cues.add(f"measure:{meaning.id}")

    def on_object(self, piece: Piece) -> None:
        token = piece.tokens[0]
        span = (token.start, token.end)
        self.objects.append((token.meanings("object")[0].id, span))
        found = self.dimension(token)
        if found is not None:
            self.weak.append((found, span, "entity"))
        if token.meanings("topic"):
            self.cues.add("topic_word")

    def on_dim(self, piece: Piece) -> None:
        token = piece.tokens[0]
        found = self.dimension(token)
        if found is not None:
            self.weak.append((found, (token.start, token.end), "dimension"))

    def on_list(self, piece: Piece) -> None:
        self.cues.add("list")

    def on_topic(self, piece: Piece) -> None:
        token = piece.tokens[0]
        topic = self.layer.topics[token.meanings("topic")[0].id]
        self.subject(topic.metrics, (token.start, token.end), topic.id)

    def on_topic_object(self, piece: Piece) -> None:
        token = piece.tokens[0]
        found = self.layer.objects[token.meanings("object")[0].id]
        self.subject(
            tuple(name for name in found.metrics if not self.layer.metrics[name].hidden)[:7],
            (token.start, token.end),
            found.id,
        )

    def on_topic_value(self, piece: Piece) -> None:
        self.values(Piece("values", (piece.tokens[0],), 0, 1), "set")
        self.cues.add("vague")

    def subject(self, metrics: Sequence[str], span: Span, topic: str) -> None:
        word = self.text[span[0] : span[1]]
        choices = tuple(Choice(name, (Edit("metrics", "set", (name,), span),)) for name in metrics)
        self.ambiguities.append(Ambiguity("metric", span, topic or word, choices))

    # -- references and cues -----------------------------------------------------------------

    def on_ref_one(self, piece: Piece) -> None:
        self.reference("one", piece, 0)

    def on_ref_set(self, piece: Piece) -> None:
        self.reference("set", piece, 0)
        if any(token.kind == "each" for token in piece.tokens):
            self.cues.add("each_member")

    def on_ref_row(self, piece: Piece) -> None:
        token = piece.tokens[0]
        assert isinstance(token.payload, RowNumber)
        self.reference("row", piece, token.payload.index)

    def reference(self, kind: str, piece: Piece, index: int) -> None:
        dims = self.dims_in(piece)
        objects = [
            token.meanings("object")[0].id for token in piece.tokens if token.kind == "object"
        ]
        self.references.append(
            Reference(
                kind,
                self.span_of(piece),
                index,
                dims[0][0] if dims else None,
                objects[0] if objects else None,
            )  # type: ignore[arg-type]
        )

    def on_total(self, piece: Piece) -> None:
        self.cues.add("total")

    def on_instead(self, piece: Piece) -> None:
        self.cues.add("instead")

    def on_correct(self, piece: Piece) -> None:
        self.cues.add("correct")

    def on_switch(self, piece: Piece) -> None:
        self.cues.add("switch")
        for token in piece.tokens:
            if self.text[token.start : token.end].strip() in ("另外", "by the way", "btw"):
                self.cues.add("besides")
            else:
                self.cues.add("hard_switch")

    def on_cue(self, piece: Piece) -> None:
        self.cues.add(piece.tokens[0].kind)

    # -- putting it together -----------------------------------------------------------------

    def finish(self) -> None:
        """What pieces together mean: counted objects, ranked dimensions, specialised metrics."""
        self.dims_and_limit()
        self.objects_and_metrics()
        self.specialise()
        said = tuple(dict.fromkeys(name for name, _ in self.metrics))
        if said:
            spans = [span for _, span in self.metrics]
            self.say("metrics", "set", said, (min(a for a, _ in spans), max(b for _, b in spans)))
            self.ambiguities = [item for item in self.ambiguities if item.about != "metric"]
        if self.bounds:
            self.loose_bounds()
        self.place_contains()

    def dims_and_limit(self) -> None:
        each = [item for item in self.dims if item[2] == "each"]
        ranked = [item for item in self.dims if item[2] == "rank"]
        order = list(self.dims)
        wanting = (
            self.limit is not None
            or any(edit.slot == "having" for edit in self.edits)
            or self.bounds
        )
        asking = bool(self.cues & {"which", "rows_end"})
        filtered = {edit.value.field for edit in self.edits if isinstance(edit.value, Filter)}
        if not order:
            for found, span, how in self.weak:
                named = how == "dimension" and found not in filtered and "total" not in self.cues
                asked = (
                    how in ("entity", "dimension")
                    and (wanting or asking)
                    and bool(self.metrics or wanting)
                )
                if asked or named:
                    order.append((found, span, "rank" if asked else "bare"))
                    if asked:
                        ranked.append((found, span, "rank"))
        names = tuple(dict.fromkeys(name for name, _, _ in order))
        if names:
            bare = all(how == "bare" for _, _, how in order)
            self.say(
                "dimensions",
                "set",
                names,
                (min(s[0] for _, s, _ in order), max(s[1] for _, s, _ in order)),
                "bare" if bare else "",
            )
        if self.limit is not None:
            rank, span = self.limit
            per = (
                tuple(name for name, _, _ in each)
                if each and ranked and {n for n, _, _ in ranked} - {n for n, _, _ in each}
                else ()
            )
            self.say(
                "limit",
                "set",
                Limit(rank.last, rank.first, per),
                span,
                "named" if ranked else "" if rank.counted else "uncounted",
            )
            self.say(
                "order",
                "set",
                Order(None, rank.descending is not False),
                span,
                "rank" if rank.descending is not None else "undirected",
            )

    def objects_and_metrics(self) -> None:
        """An object without a metric: counted, listed, or only named."""
        if self.metrics or any(edit.slot == "metrics" for edit in self.edits):
            return
        measured = next(
            (cue.partition(":")[2] for cue in sorted(self.cues) if cue.startswith("measure:")), None
        )
        if not self.objects and "count" in self.cues and measured is not None:
            metric = self.layer.objects[measured].default_metric
            if metric is not None:
                self.metrics.append((metric, (0, 0)))
                self.cues.add("measured")
            return
        if (
            not self.objects
            and self.hinted
            and self.cues & {"list", "rows_end", "count", "which", "how_many"}
        ):
            self.objects.append(self.hinted[-1])
        if not self.objects and "list" in self.cues and self.limit is None:
            self.say("rows", "set", "", (0, 0), "current")
            return
        if not self.objects:
            return
        found = self.object_asked()
        span = next(span for name, span in self.objects if name == found)
        listed = bool(self.cues & {"list", "rows_end", "which", "rows"}) and self.limit is None
        dims = any(edit.slot == "dimensions" and edit.op == "set" for edit in self.edits)
        having = any(edit.slot == "having" for edit in self.edits)
        if "count" in self.cues or self.counting():
            metric = self.layer.objects[found].default_metric
            if metric is not None and self.layer.metrics[metric].default:
                self.metrics.append((metric, span))
                return
        if listed and not having and (not dims or self.only_own_dims(found)):
            self.edits = [
                edit for edit in self.edits if not (edit.slot == "dimensions" and edit.op == "set")
            ]
            self.say("rows", "set", found, span)
            return
        self.say("object", "set", found, span, "attribute" if self.only_attribute(found) else "")

    def only_attribute(self, found: str) -> bool:
        """Whether the object is only known by an attribute of it."""
        named = {span for edit in self.edits if edit.note == "attribute" for span in [edit.span]}
        return all(
            any(a <= span[0] and span[1] <= b for a, b in named)
            for name, span in self.objects
            if name == found
        )

    def object_asked(self) -> str:
        """The object that is asked about, when several are named: the counted or last one."""
        pure = [
            name
            for name, span in self.objects
            if not any(span == where for _, where, how in self.weak if how == "entity")
        ]
        return pure[-1] if pure else self.objects[-1][0]

    def only_own_dims(self, found: str) -> bool:
        """Whether the grouping named is just the object itself (哪些租户)."""
        words = self.layer.objects[found].words.all()
        dims = {name for name, _, _ in self.dims}
        return all(set(self.layer.dimensions[name].words.all()) & set(words) for name in dims)

    def counting(self) -> bool:
        """工单最多, the most tickets: a superlative of number counts an object."""
        if self.limit is None:
            return False
        word = self.text[self.limit[1][0] : self.limit[1][1]]
        return bool(_COUNTED & set(word)) or any(
            item in word for item in ("most", "fewest", "least", "top")
        )

    def specialise(self) -> None:
        """空置 + 房源数 is 空置房源数; 到期的 + 合同数 is 到期合同数: the metric that says it in one."""
        for index, (name, span) in enumerate(self.metrics):
            metric = self.layer.metrics[name]
            if metric.kind == "formula" or metric.where is not None:
                continue
            role = next(
                (edit for edit in self.edits if edit.slot == "role" and edit.note == metric.object),
                None,
            )
            for other in self.layer.metrics.values():
                if (
                    other.object != metric.object
                    or other.kind != metric.kind
                    or other.hidden
                    or other.where is None
                ):
                    continue
                if (other.expr.text if other.expr else None) != (
                    metric.expr.text if metric.expr else None
                ):
                    continue
                if (
                    role is not None
                    and other.time == role.value
                    and name == self.layer.objects[metric.object].default_metric
                ):
                    self.metrics[index] = (other.id, span)
                    self.edits.remove(role)
                    return
                for edit in self.edits:
                    if (
                        edit.slot == "filters"
                        and edit.op == "set"
                        and isinstance(edit.value, Filter)
                        and self.says(other.where.text, edit)
                    ):
                        self.metrics[index] = (
                            other.id,
                            (min(span[0], edit.span[0]), max(span[1], edit.span[1])),
                        )
                        self.edits.remove(edit)
                        return

    def says(self, where: str, edit: Edit) -> bool:
        """Whether a metric's own condition is just the value that a filter asks for."""
        match = re.fullmatch(r"(?:\w+\.)*(\w+) = '([^']*)'", where)
        if match is None:
            flag = re.fullmatch(r"(?:\w+\.)*(\w+)", where)
            wanted = (flag.group(1), "true") if flag else None
        else:
            wanted = (match.group(1), match.group(2))
        for item in (edit.value, *edit.others):
            if wanted and isinstance(item, Filter) and item.test == Among((wanted[1],)):
                if self.layer.dimensions[item.field].column == wanted[0]:
                    return True
        return False

    def loose_bounds(self) -> None:
        """A bare number in a turn: a condition on its one metric, or on what was asked before."""
        for bound, span in self.bounds:
            if len(self.metrics) == 1:
                metric = self.layer.metrics[self.metrics[0][0]]
                self.say("having", "set", Having(metric.id, interval(bound, metric.percent)), span)
            else:
                self.say("having", "set", Having("", interval(bound, bound.percent)), span, "bare")

    def place_contains(self) -> None:
        """A part of a name belongs to the dimension that was named, else to the one with names."""
        for index, edit in enumerate(self.edits):
            if edit.note != "contains" or not isinstance(edit.value, Filter) or edit.value.field:
                continue
            named = [name for name, _, _ in (*self.weak, *self.dims)]
            labelled = [
                item.id
                for item in self.layer.dimensions.values()
                if item.label and not item.aliases
            ]
            target = next((name for name in named if self.layer.dimensions[name].label), None) or (
                labelled[0] if labelled else ""
            )
            self.edits[index] = replace(edit, value=Filter(target, edit.value.test))


_CHAT_LIKE = frozenset({"greet", "thanks", "bye", "help", "yes"})


def interval(bound: Bound, percent: bool) -> Interval:
    """The interval of a bound; a rate compared with 90 or 90% means 0.9."""

    def scaled(value: Decimal | None) -> Decimal | None:
        if value is None:
            return None
        value = value / 100 if percent and not bound.percent and abs(value) > 1 else value
        return (
            value.normalize()
            if value == value.to_integral_value() and value.as_tuple().exponent < 0
            else value
        )  # type: ignore[operator]

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


def _only(item: Filter) -> str:
    return item.test.values[0] if isinstance(item.test, Among) else item.field
