"""The YAML format of a layer, version 1: what a file may say. `docs/semantic_layer.md` explains it.

These models are the published JSON Schema (`wenshu check --schema`); what they mean together
(references, joins, expressions) is resolved in `build.py` into `model.py`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from semantic_layer.spoken import SpokenSpec

ColumnType = Literal["text", "integer", "decimal", "float", "date", "timestamp", "boolean", "epoch"]
EpochUnit = Literal["seconds", "milliseconds", "microseconds"]
SPAN = r"^[1-9][0-9]* (day|week|month|quarter|year)s?$"
Unasked = Literal["newest", "year_to_date", "all", "ask"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _short(field: str) -> BeforeValidator:
    """A plain string stands for the mapping with just `field` set."""
    return BeforeValidator(lambda value: {field: value} if isinstance(value, str) else value)


def _one_or_many(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _named(value: object) -> object:
    """A plain list of names stands for names without further settings."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return {item: {} for item in value}
    return value


class WordsSpec(_Part):
    """What people call a thing, by language; the first word is its label."""

    zh: list[str] = []
    en: list[str] = []


class TextSpec(_Part):
    """A text in the languages of the service."""

    zh: str = ""
    en: str = ""


class JoinSpec(_Part):
    """A way to exactly one row of another table. Without `on`, this table holds that table's key columns."""

    table: str
    on: dict[str, str] | None = Field(None, description="columns here → columns there")


class HasManySpec(_Part):
    """The other direction: the rows of another table whose join leads here."""

    table: str
    join: str = Field(description="the join of that table that leads here")
    where: str | None = None


class ColumnSpec(_Part):
    """A column: its type and, of a decimal, the digits after its point; of a moment, its clock.

    A database without exact decimals (SQLite) holds a decimal as the whole number of its smallest
    unit, 12.34 with scale 2 as 1234; any other holds it as a decimal, and the scale changes nothing.

    A timestamp shows the business time of `calendar.timezone`, unless it says the `zone` whose clock
    it shows. An epoch is a whole number of some unit since 1970 began in UTC.
    """

    type: ColumnType
    scale: Annotated[int, Field(ge=0, le=12)] | None = None
    zone: str | None = None
    unit: EpochUnit | None = None

    @model_validator(mode="after")
    def _of_its_type(self) -> ColumnSpec:
        if self.scale is not None and self.type != "decimal":
            raise ValueError("only a decimal has a scale")
        if self.zone is not None and self.type != "timestamp":
            raise ValueError("only a timestamp has a zone")
        if (self.unit is not None) != (self.type == "epoch"):
            raise ValueError(
                "only an epoch has a unit"
                if self.type != "epoch"
                else "an epoch says its unit: {type: epoch, unit: seconds}"
            )
        return self


_TYPES = {"enum": list(get_args(ColumnType)), "type": "string"}
_COLUMN_SCHEMA = {
    "anyOf": [
        _TYPES,
        {
            "type": "object",
            "description": "a decimal with the digits after its point, "
            "a timestamp with the zone it is stored in, an epoch with its unit",
            "properties": {
                "type": _TYPES,
                "scale": {"type": "integer", "minimum": 0, "maximum": 12},
                "zone": {"type": "string", "examples": ["UTC"]},
                "unit": {"enum": list(get_args(EpochUnit)), "type": "string"},
            },
            "required": ["type"],
            "additionalProperties": False,
        },
    ]
}


class TableSpec(_Part):
    """A physical table: its columns with their types, its key, and how it joins."""

    key: Annotated[list[str], BeforeValidator(_one_or_many)] = []
    source: str | None = Field(None, description="the table's name in the warehouse, if another")
    columns: dict[str, Annotated[ColumnSpec, _short("type"), WithJsonSchema(_COLUMN_SCHEMA)]]
    joins: dict[str, Annotated[JoinSpec, _short("table")]] = {}
    has_many: dict[str, HasManySpec] = {}


class PatternSpec(_Part):
    """Values that carry a number: how they are stored, and how they are spoken."""

    stored: str
    spoken: list[str]


class DimensionSpec(_Part):
    """By what results are grouped and filtered."""

    words: WordsSpec = WordsSpec()
    description: TextSpec = TextSpec()
    column: str = Field(description="table.column")
    label: str | None = Field(None, description="column of the same table that people see")
    within: str | None = Field(None, description="the dimension inside which values are unique")
    enum: dict[str, list[str]] | None = None
    values: dict[str, list[str]] = Field({}, description="other names of stored values")
    pattern: PatternSpec | None = None
    indexed: bool = Field(True, description="whether stored values are looked up in questions")


class PolicySpec(_Part):
    """Rows a user may see: those whose dimension is among the user's attribute."""

    attribute: str
    dimension: str


class TopicSpec(_Part):
    """Words that name a subject but no single metric."""

    words: WordsSpec
    metrics: list[str]


class RoleSpec(_Part):
    """One of several dates of an object."""

    words: WordsSpec = WordsSpec()
    column: str | None = None
    looks: Literal["back", "ahead"] = "back"


class TimeSpec(_Part):
    """When an object's rows happened, and which period is meant when none is said."""

    column: str | None = None
    snapshot: bool = False
    per: Annotated[
        list[str],
        BeforeValidator(_one_or_many),
        Field(description="of snapshots: each of these keys has a last row of its own"),
    ] = []
    unasked: Unasked = "all"
    looks: Literal["back", "ahead"] = "back"
    roles: dict[str, RoleSpec] = {}


class ObjectDimensionSpec(_Part):
    """A dimension of an object; `via` names the joins where more than one way leads there."""

    via: str | None = None
    column: str | None = Field(
        None, description="the object's own column of these values, where no join leads to them"
    )


class AttributeSpec(_Part):
    """A value of single rows: it filters and can be listed, and is no metric."""

    words: WordsSpec = WordsSpec()
    expr: str
    unit: str | None = None
    main: bool = Field(False, description="what a bare number about a row compares with")


class RollupSpec(_Part):
    """A value of one row gathered from its many rows; 0 where there are none."""

    of: str
    sum: str | None = None
    count: Literal["rows"] | None = None
    min: str | None = None
    max: str | None = None


class MetricTimeSpec(_Part):
    """A metric with a date of its own."""

    column: str
    unasked: Unasked | None = None


class MetricSpec(_Part):
    """A number that can be asked for: exactly one of count, count_distinct, sum, average, min, max,
    median, percentile, formula, cumulative, rolling and to_date says how it is made."""

    words: WordsSpec = WordsSpec()
    description: TextSpec = TextSpec()
    count: Literal["rows"] | None = None
    count_distinct: str | None = None
    sum: str | None = None
    average: str | None = None
    min: str | None = None
    max: str | None = None
    median: str | None = None
    percentile: str | None = None
    at: Annotated[Decimal, Field(gt=0, lt=1)] | None = Field(
        None, description="of a percentile: which, 0.9 for the ninetieth"
    )
    weight: str | None = Field(None, description="of an average: what each row counts for")
    formula: str | None = None
    cumulative: str | None = Field(
        None, description="a metric, from its beginning to each period's end"
    )
    rolling: str | None = Field(
        None, description="a metric over the last `over` before each period's end"
    )
    over: Annotated[str, Field(pattern=SPAN)] | None = Field(
        None, description="of rolling: 7 days, 3 months, 4 weeks"
    )
    to_date: str | None = Field(None, description="a metric from the beginning of its `period`")
    period: Literal["week", "month", "quarter", "half", "year"] | None = None
    take: Literal["first", "last"] = Field("last", description="of snapshots: which of the period")
    additive: bool | None = Field(
        None, description="whether its groups add up to its total, where that cannot be told"
    )
    where: str | None = None
    once_per: str | None = Field(None, description="count each row of this key only once in a sum")
    from_: Annotated[str | None, Field(alias="from", description="the table it is measured on")] = (
        None
    )
    time: MetricTimeSpec | None = None
    unit: str | None = None
    percent: bool = False
    default: bool = Field(False, description="the metric meant by a bare 有多少")
    hidden: bool = False
    better: Literal["higher", "lower"] = Field("higher", description="what 最好 and worst mean")


class ObjectSpec(_Part):
    """A thing one asks about: its rows, dates, dimensions, attributes and metrics."""

    words: WordsSpec = WordsSpec()
    measure_words: WordsSpec = WordsSpec()
    description: TextSpec = TextSpec()
    table: str
    measured_on: str | None = Field(None, description="a has_many of the table: what metrics count")
    time: TimeSpec = TimeSpec()
    dimensions: Annotated[dict[str, ObjectDimensionSpec], BeforeValidator(_named)] = {}
    rollups: dict[str, RollupSpec] = {}
    attributes: dict[str, AttributeSpec] = {}
    listed: Annotated[
        list[str], Field(alias="list", description="the columns of a detail list, key first")
    ] = []
    metrics: dict[str, MetricSpec] = {}


class ObjectFile(ObjectSpec):
    """One file an object."""

    object: str


class FrontMatter(_Part):
    """What a document says of itself, before its Markdown begins."""

    title: str
    about: Annotated[list[str], BeforeValidator(_one_or_many)]
    lang: Literal["zh", "en"] | None = None
    effective: str | None = Field(None, description="the day from which it holds")


class CalendarSpec(_Part):
    """How periods are cut."""

    week_starts: Literal["monday", "sunday"] = "monday"
    fiscal_year_starts: Annotated[int, Field(ge=1, le=12)] = 1
    timezone: str = "Asia/Shanghai"


class LayerFile(_Part):
    """Any other file of a layer; the head, `layer.yaml`, names the layer and the format's version."""

    wenshu: Literal[1] | None = Field(None, description="version of this format")
    layer: str | None = None
    title: TextSpec = TextSpec()
    currency: str = "CNY"
    calendar: CalendarSpec = CalendarSpec()
    data_from: str | None = None
    clock: str | None = Field(
        None, description="the today of frozen data; without it, today is today"
    )
    tables: dict[str, TableSpec] = {}
    dimensions: dict[str, DimensionSpec] = {}
    hierarchies: dict[str, list[str]] = {}
    policies: list[PolicySpec] = []
    topics: dict[str, TopicSpec] = {}
    words: SpokenSpec = SpokenSpec()
    objects: dict[str, ObjectSpec] = {}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a layer's files: a head or shared file, or an object file."""
    definitions: dict[str, Any] = {}
    branches = []
    for part in (LayerFile, ObjectFile):
        schema = part.model_json_schema(ref_template="#/$defs/{model}")
        definitions |= schema.pop("$defs", {})
        branches.append(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "wenshu semantic layer, version 1",
        "anyOf": branches,
        "$defs": definitions,
    }
