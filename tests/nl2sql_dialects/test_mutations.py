"""The read-back lets no changed statement pass in a dialect's own text either, its own forms included."""

import pytest
import sqlglot
from sqlglot import exp

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.dialects import read, write
from nl2sql.errors import GuardError, ReadBackError
from nl2sql.slots import Slots
from semantic_layer.model import Layer
from tests.nl2sql_compile.mutate import mutations
from tests.nl2sql_compile.questions import CLOCK, QUESTIONS
from tests.nl2sql_dialects.conftest import Three
from tests.nl2sql_dialects.test_same_rows import MORE

# A handful that has every form of a dialect.
HANDFUL = (
    "by name", "by half year", "two ranges", "pop by month", "snapshot by month", "not exists",
    "rollup condition", "date role", "list within", "a boolean filtered",
)  # fmt: skip
# Changes that change nothing, and why; that they do not is also run.
EQUIVALENT = {
    "inner expressions turned": "the columns of an inner SELECT are taken by name",
    "inner joins turned": "LEFT JOINs by key that do not build on one another",
    "by place joins turned": "LEFT JOINs by key that do not build on one another",
    "Paren bare": "parentheses that the precedence of the signs makes idle",
}


def slots_of(name: str) -> Slots:
    return QUESTIONS[name] if name in QUESTIONS else MORE[name]


def passes(sql: str, name: str, layer: Layer, dialect: str) -> bool:
    try:
        readback.check(sql, slots_of(name), layer, CLOCK, (), dialect)
    except ReadBackError:
        return False
    return True


@pytest.mark.parametrize("name", HANDFUL)
@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_no_changed_statement_passes(dialect: str, name: str, three: Three) -> None:
    layer = three.layer
    columns: dict[str, str] = {}
    for table in layer.tables.values():
        names = list(table.columns)
        columns |= dict(zip(names, names[1:] + names[:1], strict=True))
    tree = sqlglot.parse_one(three.sql(slots_of(name), dialect), dialect=dialect)
    assert isinstance(tree, exp.Select)
    count, survivors = 0, []
    for what, sql in [*mutations(tree, columns, dialect), *own_changes(tree, dialect)]:
        count += 1
        if passes(sql, name, layer, dialect):
            if what.partition(":")[0] in EQUIVALENT:
                warehouse = three.warehouses[dialect]
                assert warehouse.run(sql) == warehouse.run(tree.sql(dialect)), sql
            else:
                survivors.append(what)
    assert survivors == []
    assert count > 40


def own_changes(tree: exp.Select, dialect: str) -> list[tuple[str, str]]:
    """What a faulty pass of a dialect might have written."""
    found: list[tuple[str, str]] = []
    for index, node in enumerate(tree.walk()):
        copy = tree.copy()
        target = next(item for at, item in enumerate(copy.walk()) if at == index)
        if isinstance(node, exp.Collate | exp.Paren | exp.Substring | exp.Round | exp.Least):
            target.replace(target.this)
        elif isinstance(node, exp.Anonymous) and len(node.expressions) > 1:
            target.set("expressions", target.expressions[:-1])
        elif isinstance(node, exp.TimeToStr):
            target.set("format", exp.Literal.string("%d"))
        elif isinstance(node, exp.Cast):
            target.set("to", exp.DataType.build("TEXT"))
        elif isinstance(node, exp.Div | exp.Mul) and isinstance(node.expression, exp.Literal):
            target.replace(target.this)
        else:
            continue
        sql = copy.sql(dialect)
        if sqlglot.parse_one(sql, dialect=dialect).sql(dialect) != tree.sql(dialect):
            found.append((f"{type(node).__name__} bare: {node.sql(dialect)[:80]}", sql))
    return found


@pytest.mark.parametrize("name", [*QUESTIONS, *MORE])
@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_a_statement_reads_back_as_what_it_was_made_of(
    dialect: str, name: str, scaled_layer: Layer
) -> None:
    """The way there and back of a dialect's passes: the statement is again the same, to the letter."""
    compiled = build(Question(slots_of(name), scaled_layer, CLOCK), dialect)
    again = read(compiled.sql, scaled_layer, dialect)
    assert write(again, scaled_layer, dialect) == compiled.sql


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", "SELECT load_extension('x') AS x FROM dim_park"),
        ("sqlite", "SELECT park_id FROM sqlite_master"),
        ("sqlite", "SELECT STRFTIME('%Y', opened_on) AS x FROM dim_park"),
        ("sqlite", "SELECT DATE(opened_on, '+1 months', '-1 days') AS x FROM dim_park"),
        ("sqlite", "SELECT RANDOMBLOB(1000000000) AS x FROM dim_park"),
        ("sqlite", "SELECT park_id FROM dim_park; DELETE FROM dim_park"),
        ("sqlite", "ATTACH 'x' AS y"),
        ("sqlite", "PRAGMA query_only = OFF"),
        ("postgres", "SELECT pg_read_file('/etc/passwd') AS x FROM dim_park"),
        ("postgres", "SELECT pg_sleep(10) AS x FROM dim_park"),
        ("postgres", "SELECT park_id FROM pg_catalog.pg_class"),
        ("postgres", "SELECT CURRENT_SETTING('x') AS x FROM dim_park"),
        ("postgres", "SELECT park_id FROM dim_park FOR UPDATE"),
        ("postgres", "SELECT park_id INTO x FROM dim_park"),
        ("postgres", "WITH x AS (DELETE FROM dim_park RETURNING park_id) SELECT park_id FROM x"),
        ("postgres", "COPY dim_park TO PROGRAM 'x'"),
        ("postgres", "SELECT park_id FROM dim_park; COMMIT"),
        ("postgres", "SELECT CAST(park_id AS REGCLASS) AS x FROM dim_park"),
        ("postgres", "SELECT query_to_xml('select 1', true, true, '') AS x FROM dim_park"),
    ],
)
def test_the_guard_reads_the_dialect(dialect: str, sql: str, scaled_layer: Layer) -> None:
    with pytest.raises(GuardError):
        guard.check(sql, scaled_layer, dialect)
