"""The read-back lets no changed statement pass: every small change of varied statements is refused."""

import pytest
import sqlglot
from sqlglot import exp

from nl2sql import readback
from nl2sql.compiler import Question, build
from nl2sql.errors import ReadBackError
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.model import Layer
from tests.nl2sql_compile.mutate import mutations
from tests.nl2sql_compile.questions import CLOCK, GUARDED, POLICY, QUESTIONS

# Changes that change nothing, and why; that they do not is also run.
EQUIVALENT = {
    "inner expressions turned": "the columns of an inner SELECT are taken by name",
    "inner joins turned": "LEFT JOINs by key that do not build on one another",
    "by place joins turned": "LEFT JOINs by key that do not build on one another",
}


def statement(name: str, layer: Layer) -> str:
    policy = POLICY if name in GUARDED else ()
    return build(Question(QUESTIONS[name], layer, CLOCK, policy)).sql


def passes(sql: str, name: str, layer: Layer) -> bool:
    try:
        readback.check(sql, QUESTIONS[name], layer, CLOCK, POLICY if name in GUARDED else ())
    except ReadBackError:
        return False
    return True


@pytest.fixture(scope="module")
def columns(park_layer: Layer) -> dict[str, str]:
    """For each column another one of its table."""
    found: dict[str, str] = {}
    for table in park_layer.tables.values():
        names = list(table.columns)
        found |= dict(zip(names, names[1:] + names[:1], strict=True))
    return found


def test_the_questions_are_varied(park_layer: Layer) -> None:
    kinds = (exp.Union, exp.Exists, exp.Having, exp.Window, exp.Limit, exp.Distinct, exp.In, exp.Or)
    trees = [sqlglot.parse_one(statement(name, park_layer), "duckdb") for name in QUESTIONS]
    assert len(trees) >= 40
    assert all(sum(bool(tree.find(kind)) for tree in trees) >= 1 for kind in kinds)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_statement_passes(name: str, park_layer: Layer) -> None:
    assert passes(statement(name, park_layer), name, park_layer)


def test_no_changed_statement_passes(
    park_layer: Layer, columns: dict[str, str], warehouse: DuckDBWarehouse
) -> None:
    count, survivors = 0, []
    equivalent: list[tuple[str, str]] = []
    for name in QUESTIONS:
        tree = sqlglot.parse_one(statement(name, park_layer), "duckdb")
        assert isinstance(tree, exp.Select)
        for what, sql in mutations(tree, columns):
            count += 1
            if passes(sql, name, park_layer):
                kind = what.partition(":")[0]
                if kind in EQUIVALENT:
                    equivalent.append((tree.sql("duckdb"), sql))
                else:
                    survivors.append(f"{name}: {what}")
    assert survivors == []
    assert count > 5000
    for sql, changed in equivalent:
        assert warehouse.run(sql) == warehouse.run(changed), changed


# Whole statements that are not among the small changes.
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("COUNT(*) AS bill_count", "COUNT(*) FILTER (WHERE fact_bill.bill_id > '') AS bill_count"),
        ("FROM fact_bill", "FROM fact_bill, dim_park AS p"),
        ("FROM fact_bill", "FROM (SELECT * FROM fact_bill LIMIT 10) AS fact_bill"),
        ("FROM fact_bill", "FROM other.fact_bill"),
        ("SELECT\n", "WITH fact_bill AS (SELECT * FROM fact_payment) SELECT\n"),
        ("SELECT\n", "WITH RECURSIVE x AS (SELECT 1) SELECT\n"),
        ("LEFT JOIN", "ASOF LEFT JOIN"),
        ("GROUP BY", "GROUP BY ROLLUP (park.city), "),
        ("park.park_id = early.park_id", "park.park_id = early.park_id OR TRUE"),
        ("ORDER BY", "FETCH FIRST 3 ROWS ONLY ORDER BY"),
        ("ORDER BY", "UNION ALL SELECT 'x', 'y', 1 ORDER BY"),
    ],
)
def test_other_forms_do_not_pass(old: str, new: str, park_layer: Layer) -> None:
    sql = statement("by park", park_layer)
    assert old in sql
    assert not passes(sql.replace(old, new, 1), "by park", park_layer)


def test_two_statements_do_not_pass(park_layer: Layer) -> None:
    assert not passes(statement("by park", park_layer) + "; SELECT 1", "by park", park_layer)


def test_what_a_literal_holds_cannot_pretend_to_be_a_condition(park_layer: Layer) -> None:
    """A value with quotes and words of SQL is a value, in the SQL and in the read-back."""
    sql = statement("contains", park_layer)
    assert "'100%''s'" in sql
    assert not passes(sql.replace("'100%''s'", "'100%'"), "contains", park_layer)
