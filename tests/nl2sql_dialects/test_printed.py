"""One test × every dialect: the SQL is printed and parsed where no server can be had.

What sqlglot reads in a dialect's text is turned back into DuckDB's and run: the rows are the same, or
the gap is marked as ibis marks them: `never` for what a dialect cannot say (it is refused), `notimpl`
for what is not put right here yet. A mark that no longer holds fails.
"""

import pytest
import sqlglot
from sqlglot import exp

from nl2sql.compiler import Question, build
from nl2sql.dialects.others import GAPS
from nl2sql.errors import QuestionError, WarehouseError
from nl2sql.slots import Slots
from semantic_layer.load import loads
from tests.nl2sql_compile.questions import CLOCK, QUESTIONS
from tests.nl2sql_dialects.conftest import Three
from tests.nl2sql_dialects.engines import near
from tests.nl2sql_dialects.test_same_rows import MORE
from tests.nl2sql_dialects.test_small import MEDIAN

ALL = {**QUESTIONS, **MORE}
# what a question needs that a dialect may not have
NEEDS = {
    "two ranges": {"MICROSECOND"},
    "pop by week": {"MICROSECOND", "WEEK"},
    "yoy by week": {"WEEK"},
}
# (dialect, question): why it is not the same yet
ALIASES = (
    "sqlglot groups by aliases in BigQuery, which DuckDB finds ambiguous beside columns so named"
)
NOTIMPL: dict[tuple[str, str], str] = {
    **{
        ("doris", name): "MICROSECONDS_DIFF is Doris's own; sqlglot does not translate it back"
        for name in ("two ranges", "pop by week")
    },
    **{
        ("spark", name): "sqlglot reads Spark's DATEDIFF(MICROSECOND, …) back as days"
        for name in ("two ranges", "pop by week")
    },
    **{
        ("bigquery", name): ALIASES
        for name in (
            "by park", "snapshot unasked", "once per", "having of one fact", "measured elsewhere",
            "date role", "exactly", "a boolean filtered", "floors", "members of pairs",
            "names that contain", "by day", "by a many side among members",
            "a sum over rows by what they have gathered",
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dialect", GAPS)
def test_it_is_printed_and_parsed(dialect: str, name: str, three: Three) -> None:
    question = Question(ALL[name], three.layer, CLOCK)
    if NEEDS.get(name, set()) & set(GAPS[dialect]):  # never
        with pytest.raises(QuestionError, match="not-in-dialect"):
            build(question, dialect)
        return
    sql = build(question, dialect).sql
    (tree,) = sqlglot.parse(sql, dialect=dialect)
    assert isinstance(tree, exp.Select)
    warehouse = three.warehouses["duckdb"]
    wanted = warehouse.run(build(question).sql).rows
    try:
        found = warehouse.run(tree.sql("duckdb")).rows
        same = [[near(cell) for cell in row] for row in found] == [list(row) for row in wanted]
        why = "other rows"
    except WarehouseError as error:
        same, why = False, str(error)
    if (dialect, name) in NOTIMPL:
        assert not same, "no longer a gap: take its mark away"
        pytest.xfail(NOTIMPL[dialect, name])
    assert same, why


@pytest.mark.parametrize("what", ["MEDIAN", "PERCENTILE"])
@pytest.mark.parametrize("dialect", GAPS)
def test_a_percentile_is_printed_or_refused(dialect: str, what: str) -> None:
    text = MEDIAN if what == "MEDIAN" else MEDIAN.replace("median: n", "percentile: n, at: 0.9")
    layer = loads("wenshu: 1\nlayer: small\n" + text)
    question = Question(Slots(None, ("middle",), ("k",)), layer, CLOCK)
    if what in GAPS[dialect]:  # never
        with pytest.raises(QuestionError, match="not-in-dialect"):
            build(question, dialect)
        return
    (tree,) = sqlglot.parse(build(question, dialect).sql, dialect=dialect)
    assert isinstance(tree, exp.Select)
