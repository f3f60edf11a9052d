"""From tokens to a reading's draft, and to the kind of question they make."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nl2sql.reading.pieces import Draft, take
from nl2sql.reading.tokens import Token
from nl2sql.reading.types import Intent
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

_DEFINES = re.compile(r"^what is (?!the )|是(?:什么|啥)[呢啊呀?？。]*$")  # of a metric alone
_REWRITE = frozenset({"改成", "改为", "变成"})
_ROWS = frozenset({"object", "entity", "object_value"})
_THEM = frozenset({"ref_one", "ref_this", "ref_kind", "ref_set", "ref_these", "ref_row"})
_LOOSE = frozenset({"filler", "unlimit", "each", "also"})


class Interpreter:
    """Turns the tokens of one question into edits, under one layer."""

    def __init__(self, layer: Layer, lexicon: Lexicon) -> None:
        self.layer, self.lexicon = layer, lexicon

    def intent(self, tokens: Sequence[Token], text: str) -> Intent:
        """What kind of question the tokens make."""
        kinds = {token.kind for token in tokens if token.kind != "filler"}
        if _rewrites(tokens, text):
            return "change"
        for intent in _INTENTS:
            if intent in kinds:
                return intent
        if _DEFINES.search(text) and kinds and kinds <= {"metric", "metric_value"}:
            return "explain_metric"
        if not kinds & _CONTENT:
            for intent in _CHATS:
                if intent in kinds:
                    return intent
        return "query"

    def read(self, tokens: Sequence[Token], text: str) -> Draft:
        """The edits that the tokens make."""
        draft = Draft(self.layer, self.lexicon, text)
        take(draft, tokens)
        return draft


def _theirs(kinds: Sequence[str]) -> bool:
    """Rows, or a field of theirs: 把工单, 把它们的状态."""
    if kinds[-1] in _ROWS:
        return True
    return kinds[-1] == "dimension" and bool({*kinds[:-1]} & (_ROWS | _THEM))


def _rewrites(tokens: Sequence[Token], text: str) -> bool:
    """把8月的工单改成已完成: rows and a value of theirs; 把张江改成临港 only asks anew,
    and so does 把状态改成已租."""
    for index, token in enumerate(tokens):
        if token.kind != "instead" or text[token.start : token.end] not in _REWRITE:
            continue
        if not re.search("[把将]", text[: token.start]):
            continue
        before = [item.kind for item in tokens[:index] if item.kind not in _LOOSE]
        after = [item.kind for item in tokens[index + 1 :] if item.kind not in _LOOSE]
        if before and after and _theirs(before) and after[0] in ("value", "metric_value"):
            return True
    return False
