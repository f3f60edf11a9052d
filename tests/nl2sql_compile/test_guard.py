"""What may not run: everything but one SELECT over registered tables, columns and functions."""

import pytest

from nl2sql import guard
from nl2sql.compiler import Question, build
from nl2sql.errors import GuardError
from semantic_layer.load import loads
from semantic_layer.model import Layer
from tests.nl2sql_compile.questions import CLOCK, GUARDED, POLICY, QUESTIONS

REFUSED = {
    "nothing": "",
    "no SQL": "((((",
    "unclosed text": "SELECT 'x",
    "two statements": "SELECT bill_id FROM fact_bill; SELECT bill_id FROM fact_bill",
    "two, one of them harmful": "SELECT 1; DROP TABLE fact_bill",
    "union at the top": "SELECT bill_id FROM fact_bill UNION ALL SELECT bill_id FROM fact_bill",
    "delete": "DELETE FROM fact_bill",
    "delete in a part": "WITH d AS (DELETE FROM fact_bill RETURNING bill_id) SELECT bill_id FROM d",
    "insert": "INSERT INTO fact_bill SELECT * FROM fact_bill",
    "insert in a part": "WITH d AS (INSERT INTO fact_bill VALUES (1) RETURNING bill_id) SELECT bill_id FROM d",
    "create": "CREATE TABLE x AS SELECT bill_id FROM fact_bill",
    "create temp": "CREATE TEMP TABLE x AS SELECT 1",
    "macro": "CREATE MACRO f(a) AS a",
    "select into": "SELECT bill_id INTO x FROM fact_bill",
    "a file": "SELECT park_id FROM '/etc/passwd'",
    "a file by name": 'SELECT park_id FROM "/etc/passwd"',
    "a parquet file": "SELECT park_id FROM 'x.parquet'",
    "read_csv": "SELECT park_id FROM read_csv('/etc/passwd')",
    "read_text": "SELECT park_id FROM read_text('/etc/passwd')",
    "read_csv as a value": "SELECT read_csv('/etc/passwd') AS park_id",
    "glob": "SELECT park_id FROM glob('/*')",
    "pragma": "PRAGMA database_list",
    "pragma function": "SELECT park_id FROM pragma_database_list()",
    "set": "SET memory_limit = '1GB'",
    "set variable": "SET VARIABLE x = 1",
    "getvariable": "SELECT getvariable('x') AS park_id",
    "prepare": "PREPARE q AS SELECT 1",
    "execute": "EXECUTE q",
    "call": "CALL pragma_version()",
    "explain": "EXPLAIN SELECT bill_id FROM fact_bill",
    "explain analyze": "EXPLAIN ANALYZE SELECT bill_id FROM fact_bill",
    "information_schema": "SELECT table_name FROM information_schema.tables",
    "a column of it that is known": "SELECT status FROM information_schema.tables",
    "duckdb_settings()": "SELECT status FROM duckdb_settings()",
    "duckdb_tables": "SELECT status FROM duckdb_tables",
    "sqlite_master": "SELECT status FROM sqlite_master",
    "query()": "SELECT status FROM query('SELECT 1 AS status')",
    "query_table()": "SELECT status FROM query_table('fact_bill')",
    "an unknown table": "SELECT bill_id FROM secret",
    "another schema": "SELECT bill_id FROM other.fact_bill",
    "another catalogue": "SELECT bill_id FROM other.main.fact_bill",
    "a part that is defined later": "WITH a AS (SELECT status FROM duckdb_tables), "
    "duckdb_tables AS (SELECT status FROM fact_contract) SELECT status FROM a",
    "a part that reads its own name": "WITH duckdb_tables AS (SELECT status FROM duckdb_tables) "
    "SELECT status FROM duckdb_tables",
    "a part of an inner statement": "SELECT status FROM duckdb_tables, "
    "(WITH duckdb_tables AS (SELECT status FROM fact_contract) SELECT status FROM duckdb_tables) AS x",
    "recursion": "WITH RECURSIVE x AS (SELECT floors FROM dim_building "
    "UNION ALL SELECT floors FROM x) SELECT floors FROM x",
    "an unknown column": "SELECT password FROM fact_bill",
    "an unknown column of a known name": "SELECT fact_bill.satisfaction FROM fact_bill",
    "all columns": "SELECT * FROM fact_bill",
    "all columns of a table": "SELECT fact_bill.* FROM fact_bill",
    "all columns by a part and a join": "WITH a AS (SELECT bill_id FROM fact_bill) "
    "SELECT * FROM a JOIN fact_bill ON a.bill_id = fact_bill.bill_id",
    "COLUMNS": "SELECT COLUMNS('.*') FROM fact_bill",
    "a row": "SELECT fact_bill FROM fact_bill",
    "an unknown function": "SELECT lower(fee_type) AS x FROM fact_bill",
    "a function of the system": "SELECT current_setting('memory_limit') AS x",
    "version()": "SELECT version() AS x",
    "getenv": "SELECT getenv('HOME') AS x",
    "sleep": "SELECT pg_sleep(10) AS x",
    "now": "SELECT now() AS x",
    "today": "SELECT bill_id FROM fact_bill WHERE due_date < current_date",
    "list of numbers": "SELECT range(1000000000) AS x",
    "generate_series": "SELECT x FROM generate_series(1, 1000000000) AS t(x)",
    "unnest": "SELECT unnest([1, 2]) AS x",
    "cross join of values": "SELECT bill_id FROM fact_bill, (VALUES (1)) AS v(x)",
    "lateral": "SELECT bill_id FROM fact_bill, LATERAL (SELECT 1 AS x) AS y",
    "sample": "SELECT bill_id FROM fact_bill USING SAMPLE 10%",
    "pivot": "PIVOT fact_bill ON fee_type USING sum(receivable_amount)",
    "qualify": "SELECT bill_id FROM fact_bill QUALIFY row_number() OVER () = 1",
    "lambda": "SELECT list_transform([1], lambda x: x) AS y",
    "parameter": "SELECT bill_id FROM fact_bill WHERE bill_id = $1",
    "copy": "COPY fact_bill TO '/tmp/x.csv'",
    "copy a query": "COPY (SELECT bill_id FROM fact_bill) TO '/tmp/x.csv'",
    "export": "EXPORT DATABASE '/tmp/x'",
    "attach": "ATTACH '/tmp/x.db' AS x",
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "checkpoint": "CHECKPOINT",
    "begin": "BEGIN TRANSACTION",
    "use": "USE other",
    "describe": "DESCRIBE fact_bill",
    "show": "SHOW TABLES",
    "summarize": "SUMMARIZE fact_bill",
}

ALLOWED = {
    "a constant": "SELECT 1 AS x",
    "plain": "SELECT bill_id FROM fact_bill",
    "a trailing semicolon": "SELECT bill_id FROM fact_bill;",
    "a comment": "SELECT bill_id FROM fact_bill -- DROP TABLE fact_bill",
    "a text that looks like a statement": "SELECT bill_id FROM fact_bill WHERE fee_type = '; DROP TABLE x'",
    "count": "SELECT count(*) AS n FROM fact_bill AS b WHERE b.due_date < CAST('2026-01-01' AS DATE)",
    "a part": "WITH a AS (SELECT bill_id AS x FROM fact_bill), b AS (SELECT x FROM a) SELECT * FROM b",
}


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED)
def test_refused(sql: str, park_layer: Layer) -> None:
    with pytest.raises(GuardError):
        guard.check(sql, park_layer)


@pytest.mark.parametrize("sql", ALLOWED.values(), ids=ALLOWED)
def test_allowed(sql: str, park_layer: Layer) -> None:
    guard.check(sql, park_layer)


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_the_compiler_writes_is_allowed(name: str, park_layer: Layer) -> None:
    policy = POLICY if name in GUARDED else ()
    guard.check(build(Question(QUESTIONS[name], park_layer, CLOCK, policy)).sql, park_layer)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT 1; SELECT 2", "only one SELECT may run"),
        ("SELECT bill_id FROM secret", "table secret is not registered"),
        ("SELECT password FROM fact_bill", "column password is not registered"),
        ("SELECT getenv('HOME') AS x", "function getenv may not run"),
        ("WITH d AS (DELETE FROM fact_bill) SELECT 1 AS x", "Delete may not run"),
    ],
)
def test_the_reason_is_said(sql: str, said: str, park_layer: Layer) -> None:
    with pytest.raises(GuardError, match=said):
        guard.check(sql, park_layer)


def test_a_deep_nest_is_refused_not_a_crash(park_layer: Layer) -> None:
    with pytest.raises(GuardError):
        guard.check("SELECT " + "(" * 20_000 + "1" + ")" * 20_000, park_layer)


def test_a_table_under_another_name_in_the_warehouse() -> None:
    layer = loads("""
wenshu: 1
layer: x
tables: {bills: {source: erp.tbl_bill, columns: {id: integer}}}
""")
    guard.check("SELECT bills.id FROM erp.tbl_bill AS bills", layer)
    for sql in ("SELECT id FROM bills", "SELECT id FROM tbl_bill", "SELECT id FROM hr.tbl_bill"):
        with pytest.raises(GuardError):
            guard.check(sql, layer)
