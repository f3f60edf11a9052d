"""What clients send and get, as the description of the service shows it.

Answers are made by `turn_json` and sent as they are: these models describe them, and tests hold the two
together; nothing is validated twice at run time.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

LONGEST_TEXT = 20_000  # characters of a message
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
A_SESSION = "0c8a3a52-6a6b-4d0e-9c52-1f3f6f0f5b11"
A_TURN = "7d9f0f6e-3b7e-4a5e-8f43-6a2a5f1f8c02"
Id = Annotated[str, Field(min_length=1, max_length=200)]
SEEN = "^[^\\x00-\\x1f\\x7f]*$"  # no control characters: some databases take none
_ID = "^[A-Za-z0-9-]+$"
SessionId = Annotated[str, Path(min_length=1, max_length=64, pattern=_ID, examples=[A_SESSION])]
TurnId = Annotated[str, Path(min_length=1, max_length=64, pattern=_ID, examples=[A_TURN])]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def _off(value: bool) -> bool:
    if value:
        raise ValueError("this service searches nothing but its own data")
    return value


class Question(_In):
    """A question, or a reply to the one that is open, in words."""

    question: Text = Field(examples=["张江科技园2026年8月各楼栋空置房源数"])
    web_search: Annotated[bool, AfterValidator(_off)] = Field(
        False,
        description="Whether the web may be searched: this service has no search, and refuses true",
        json_schema_extra={"const": False},
    )


class Choose(_In):
    """A click on options of the question that is open, by their ids."""

    choose: Id | Annotated[list[Id], Field(min_length=1, max_length=100)] = Field(
        examples=["receivable_amount"]
    )


class EditOne(_In):
    """One change of a slot: the form of `value` is the slot's (docs/http.md)."""

    slot: str = Field(max_length=40, examples=["filters"])
    op: Literal["set", "add", "remove", "clear"] = "set"
    value: Any = Field(None, examples=[{"park_id": ["P001"]}])


class EditTurn(_In):
    """Slots changed by hand: a turn like any other."""

    edit: list[EditOne] = Field(min_length=1, max_length=100)


class Undo(_In):
    """Back to the slots before the last turn that changed them."""

    undo: Literal[True]


class Keep(_In):
    """Take back what a topic switch has let go: all of it, or by key or words."""

    keep: Literal[True] | Annotated[list[Id], Field(min_length=1, max_length=100)]


TurnIn: TypeAlias = Question | Choose | EditTurn | Undo | Keep


class SessionIn(_In):
    """A new session; its first question is its title until it is renamed."""

    title: str = Field("", max_length=120)


class Rename(_In):
    """A session's new name."""

    title: str = Field(min_length=1, max_length=120)


class SessionOut(BaseModel):
    """A session."""

    session_id: str
    title: str
    created: str = Field(description="An instant in ISO form, in the zone of the layer")
    updated: str
    turns: int


class SessionsOut(BaseModel):
    """A user's sessions, the one used last first. `next` is the `before` of the next page."""

    sessions: list[SessionOut]
    next: str | None = None


class Span(BaseModel):
    """Where a slot's value came from."""

    source: str = Field(examples=["said", "carried", "default"])
    turn: int
    span: tuple[int, int] | None = None


class ChipPartOut(BaseModel):
    """One of the things a chip holds."""

    value: str = Field(examples=["P001"])
    label: str = Field(examples=["张江科技园"])


class ChipOut(BaseModel):
    """A value of a slot in words, and where it came from."""

    key: str = Field(examples=["filters.park_id"])
    words: str = Field(examples=["张江科技园"])
    source: str = Field(examples=["said", "carried", "default"])
    turn: int
    origin: str = Field(description="Where it came from, in words; empty where this turn said it")
    parts: list[ChipPartOut]
    negated: bool = Field(description="Whether the parts are what is left out")


class ChangesOut(BaseModel):
    """What a turn kept, set and dropped, by slot keys."""

    kept: list[str]
    set: list[str]
    dropped: list[str]


class OptionOut(BaseModel):
    """A candidate to click."""

    id: str
    label: str
    hint: str


class ClarificationOut(BaseModel):
    """One question back. `more` candidates can be named, though they are not listed; `several` tells whether more
    than one can be chosen."""

    about: str
    question: str
    options: list[OptionOut]
    more: int
    several: bool


class OptionsOut(BaseModel):
    """Candidates of a question back, listed with it or not."""

    options: list[OptionOut]
    more: bool


class AlternativeOut(BaseModel):
    """What an assumption could be instead; `edit` is a request that makes it so."""

    label: str
    edit: list[dict[str, Any]]


class AssumptionOut(BaseModel):
    """What was not said and was filled in."""

    slot: str
    value: str
    alternatives: list[AlternativeOut]


class SwitchOut(BaseModel):
    """A topic switch, and what no longer holds."""

    rule: Literal["object", "words", "whole"]
    dropped: list[str]


class ColumnOut(BaseModel):
    """A column of a result."""

    id: str
    label: str
    kind: str
    unit: str | None
    format: str | None


Kind: TypeAlias = Literal["line", "bars", "grouped", "stacked"]


class ChartOut(BaseModel):
    """What the rows can be drawn as, by ids of columns (docs/cli.md)."""

    kind: Kind
    x: list[str] = Field(description="What tells the groups apart: a dimension, its parents first")
    series: list[str] = Field(description="The same of the lines or bars of a group; may be empty")
    values: list[str] = Field(description="What is drawn; several stand beside one another")
    kinds: list[Kind] = Field(description="What it may be switched to")
    partial: list[str] = Field(description="Buckets that are not whole")


class ResultOut(BaseModel):
    """The rows of an answer. Decimals are strings; `row_count` is the true number of rows."""

    columns: list[ColumnOut]
    rows: list[list[None | bool | int | float | str]]
    row_count: int
    truncated: bool
    chart: ChartOut | None = None
    labels: dict[str, dict[str, str]] = Field(
        {}, description="By column, the labels of codes, where no other column holds them"
    )


class SuggestionOut(BaseModel):
    """A next question that can be answered."""

    id: str
    label: str


class SourceOut(BaseModel):
    """A passage of a document of the layer."""

    title: str
    file: str
    heading: str
    text: str


class TurnOut(BaseModel):
    """The one answer object, the same from Python, HTTP and the command line."""

    turn_id: str
    session_id: str
    seq: int
    question: str
    outcome: Literal["answer", "clarify", "explain", "decline", "chat", "error"]
    reason: str
    text: str
    lang: Literal["zh", "en"]
    parts: list[TurnOut]
    sources: list[SourceOut]
    completed_question: str
    slots: dict[str, Any] | None
    edits: list[dict[str, Any]] | None = Field(
        description="What asks the same in a new session; null where no edits say it"
    )
    provenance: dict[str, Span]
    chips: list[ChipOut]
    changes: ChangesOut
    assumptions: list[AssumptionOut]
    switch: SwitchOut | None
    clarification: ClarificationOut | None
    result: ResultOut | None
    sql: str | None
    suggestions: list[SuggestionOut]
    not_understood: list[str]
    degraded: list[str] = Field(description="What could not be reached: memory, ledger, …")
    timings_ms: dict[str, float]
    as_of: str | None
    now: str | None
    fresh_to: str | None
    semantic_hash: str
    data_version: str
    versions: dict[str, str]
    record_hash: str = Field(
        description="Of the turn's record in the ledger; empty where unrecorded"
    )


class MarkOut(BaseModel):
    """What the caller thinks of a turn, as it was said last."""

    thumb: Literal["up", "down"]
    code: str = Field(examples=["wrong-time"])
    reason: str = Field(examples=["应该是9月"])


class SessionTurns(SessionOut):
    """A session with its turns, the oldest first, and the caller's own marks on them by turn."""

    history: list[TurnOut]
    marks: dict[str, MarkOut]


class FeedbackIn(_In):
    """A thumb, and why: a code of docs/cli.md (`wenshu feedback`), or words."""

    thumb: Literal["up", "down"] = Field(examples=["down"])
    code: str = Field("", max_length=40, examples=["wrong-time"])
    reason: str = Field("", max_length=2000, examples=["应该是9月"])


class FeedbackOut(BaseModel):
    """A mark as it was recorded."""

    turn_id: str
    session_id: str
    thumb: Literal["up", "down"]
    code: str
    hash: str


class EvaluationIn(_In):
    """Question sets as YAML (docs/evaluation.md)."""

    sets: list[Annotated[str, Field(max_length=2_000_000)]] = Field(min_length=1, max_length=20)


class FewRowsOut(BaseModel):
    """The first rows of a result, as text, and how many there are."""

    columns: list[str]
    rows: list[list[str | None]]
    count: int


class FailureOut(BaseModel):
    """A turn that did not end as expected: the questions before it, what was expected, what came.

    `code` is one of the reasons of docs/evaluation.md; `silent`: it looked like any answer.
    """

    set: str
    dialogue: str
    turn: int
    lang: str
    tags: list[str]
    before: list[str]
    question: str
    expected: list[str]
    outcome: str
    code: str = Field(examples=["wrong-value"])
    words: str
    silent: bool
    text: str
    offered: list[str]
    wanted: dict[str, Any]
    slots: dict[str, Any]
    gold: FewRowsOut | None
    got: FewRowsOut | None
    gold_sql: str
    sql: str


class EvaluationOut(BaseModel):
    """A run of question sets. When it is done, `reports` are there, the contract of `wenshu eval --json`, and
    the first 500 `failures`."""

    evaluation_id: str
    status: Literal["running", "done", "failed", "cancelled"]
    turns: int
    done: int
    started: str
    error: str = ""
    reports: list[dict[str, Any]] = []
    failures: list[FailureOut] = []


class EvaluationsOut(BaseModel):
    """Runs, the newest first, without their reports and failures."""

    evaluations: list[EvaluationOut]


class CatalogueOut(BaseModel):
    """What the caller may ask about."""

    name: str
    title: dict[str, str]
    semantic_hash: str
    data_version: str
    as_of: str = Field(description="What “today” means: a date", examples=["2026-09-28"])
    objects: list[dict[str, Any]]
    metrics: list[dict[str, Any]]
    dimensions: list[dict[str, Any]]
    examples: list[str] = Field(description="Questions to begin with")
    scopes: list[str] = Field(description="What else the caller's key is for")


class ValuesOut(BaseModel):
    """Stored values of a dimension that the caller may see."""

    dimension: str
    values: list[dict[str, str]]
    more: bool


class DifferenceOut(BaseModel):
    """What is not as it was: then, now, and the lines of a diff."""

    what: str
    then: str
    now: str
    lines: list[Any]


class FindingOut(BaseModel):
    """A cause, and how it shows."""

    cause: str = Field(examples=["data", "definition", "policy"])
    differences: list[DifferenceOut]


class VerdictOut(BaseModel):
    """The verdict on a recorded turn, taken again: `same`, or the causes of what is not."""

    turn_id: str
    session_id: str
    seq: int
    question: str
    verdict: list[str] = Field(examples=[["same"]])
    findings: list[FindingOut]
    changed: dict[str, dict[str, str]]
