"""A layer against a database: each way they can differ is told once, with its code and its line."""

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import duckdb
import pytest

from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.errors import Issue
from semantic_layer.lint import lint
from semantic_layer.load import documents, load
from semantic_layer.model import Layer

ROOT = Path(__file__).parents[2]
PARK = ROOT / "fixtures" / "park" / "layer"

LAYER = """\
wenshu: 1
layer: small
tables:
  park:
    key: park_id
    columns: {park_id: text, name: text, city: text}
  building:
    key: building_id
    columns: {building_id: text, park_id: text, no: text}
    joins: {park: park}
  bill:
    key: [bill_id]
    columns:
      bill_id: integer
      building_id: text
      fee: text
      month: date
      amount: decimal
      paid: boolean
    joins:
      building: building
dimensions:
  park_id:
    column: park.park_id
    label: name
    values:
      P1: [张江]
      P2: [临港]
  building_no:
    column: building.no
    within: park_id
  fee:
    column: bill.fee
    enum:
      RENT: [租金]
      WATER: [水费]
  paid:
    column: bill.paid
    enum: {"true": [已付], "false": [未付]}
hierarchies: {place: [park_id, building_no]}
"""
BILL = """\
object: bill
table: bill
time: {column: month}
dimensions: [park_id, building_no, fee, paid]
metrics:
  due: {description: {zh: 应收之和}, sum: amount}
  bills:
    description: {zh: 账单数}
    count: rows
"""
DATA = """
CREATE TABLE park(park_id TEXT, name TEXT, city TEXT);
CREATE TABLE building(building_id TEXT, park_id TEXT, no TEXT);
CREATE TABLE bill(bill_id INT, building_id TEXT, fee TEXT, month DATE, amount DECIMAL(9, 2), paid BOOLEAN);
INSERT INTO park VALUES ('P1', '张江园', '上海'), ('P2', '临港园', '上海');
INSERT INTO building VALUES ('A', 'P1', '1号楼'), ('B', 'P1', '2号楼'), ('C', 'P2', '1号楼');
INSERT INTO bill VALUES (1, 'A', 'RENT', '2026-01-01', 5, true), (2, 'A', 'WATER', '2026-01-01', 7, false),
  (3, 'B', 'RENT', '2026-02-01', 5, true), (4, NULL, 'RENT', '2026-02-01', 5, true);
"""

# what is broken: a change to the layer (old, new), statements on the data → code file:line:column, in the message
BROKEN: list[tuple[str, tuple[str, str], str, str, str]] = [
    ("a table is gone", ("", ""), "DROP TABLE bill",
     "error missing-table layer.yaml:11:3", "no table `bill`"),
    ("a table has another name", ("    key: [bill_id]", "    source: bil\n    key: [bill_id]"), "",
     "error missing-table layer.yaml:12:5", "did you mean `bill`?"),
    ("a column is gone", ("", ""), "ALTER TABLE bill RENAME amount TO ammount",
     "error missing-column layer.yaml:18:7", "did you mean `ammount`?"),
    ("an amount is a float", ("", ""), "ALTER TABLE bill ALTER amount TYPE DOUBLE",
     "error column-type layer.yaml:18:7", "declared decimal and stored as DOUBLE (declare it float)"),
    ("a date is text", ("", ""), "ALTER TABLE bill ALTER month TYPE TEXT",
     "error column-type layer.yaml:17:7", "declared date and stored as VARCHAR"),
    ("a type of no kind", ("", ""), "ALTER TABLE park ALTER city TYPE TEXT[] USING [city]",
     "error column-type layer.yaml:6:42", "the format has no such type"),
    ("a key twice", ("", ""), "INSERT INTO bill SELECT * FROM bill WHERE bill_id = 3",
     "error key-not-unique layer.yaml:12:5", "2 rows of `bill` have the key `3`"),
    ("a part of a key", ("key: [bill_id]", "key: [month, fee]"), "",
     "error key-not-unique layer.yaml:12:5", "2 rows of `bill` have the key (`2026-02-01`, `RENT`)"),
    ("a join to many", ("joins:\n      building: building",
                        "joins:\n      building: {table: building, on: {building_id: park_id}}"),
     "UPDATE bill SET building_id = 'P1' WHERE building_id IS NOT NULL",
     "error join-cardinality layer.yaml:21:7", "leads to 2 rows of `building` where park_id is `P1`"),
    ("a join to nothing", ("", ""), "UPDATE bill SET building_id = 'Z' WHERE bill_id = 3",
     "warning join-orphans layer.yaml:21:7", "25.00% of the rows of `bill` (1) find no `building`, such as `Z`"),
    ("a value without a word", ("", ""), "UPDATE bill SET fee = 'GAS' WHERE bill_id IN (1, 4)",
     "error enum-missing layer.yaml:34:5", "does not list `GAS` (2 rows)"),
    ("a truth without a word", ("{\"true\": [已付], \"false\": [未付]}", "{\"true\": [已付]}"), "",
     "error enum-missing layer.yaml:39:5", "does not list `false` (1 rows)"),
    ("a word without a value", ("      WATER", "      GAS: [气费]\n      WATER"), "",
     "warning enum-unused layer.yaml:36:7", "no row has the value `GAS` of `fee`"),
    ("an alias of nothing", ("P2: [临港]", "P3: [临港]"), "",
     "error unknown-value layer.yaml:28:7", "no row has the value `P3` of `park_id`"),
    ("a metric undescribed", ("    description: {zh: 账单数}\n", ""), "",
     "warning metric-without-description bill.yaml:7:3", "`bills`"),
    ("a dimension unused", ("fee, paid]", "fee]"), "",
     "warning unused-dimension layer.yaml:37:3", "`paid`"),
    ("rows without a date", ("", ""), "UPDATE bill SET month = NULL WHERE bill_id = 4",
     "warning time-column-null bill.yaml:3:8", "25.00% of the rows of `bill` (1) have no `month`"),
    ("1号楼 of which park", ("    within: park_id\n", ""), "",
     "error within-not-unique layer.yaml:29:3",
     "`1号楼` of `building_no` stands under 2 different values of `park_id`"),
    ("1号楼, by guess", ("    within: park_id\n", "    # none\n"), "hierarchies",
     "warning within-not-unique layer.yaml:29:3", "such as `within: park_id`"),
    ("one name for two", ("", ""), "UPDATE park SET name = '张江园'",
     "warning label-not-unique layer.yaml:25:5", "2 values of `park_id` are called `张江园`"),
]  # fmt: skip


def found(folder: Path, change: tuple[str, str] = ("", ""), more: str = "") -> tuple[Issue, ...]:
    """What lint finds in the small layer and data, changed."""
    texts = {"layer": LAYER, "bill": BILL}
    if more == "hierarchies":  # without any, a guess is all there is
        texts["layer"] = LAYER.replace("hierarchies: {place: [park_id, building_no]}\n", "")
        more = ""
    assert not change[0] or change[0] in LAYER + BILL
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text.replace(*change, 1) if change[0] else text)
    with duckdb.connect(folder / "small.duckdb") as connection:
        connection.execute(DATA + more)
    warehouse = DuckDBWarehouse(folder / "small.duckdb")
    try:
        return lint(load(folder), documents(folder), warehouse)
    finally:
        warehouse.close()


def told(issue: Issue) -> str:
    place = f"{Path(issue.place.file).name}:{issue.place.line}:{issue.place.column}"
    return f"{issue.severity} {issue.code} {place}"


def test_nothing_is_wrong_with_what_fits(tmp_path: Path) -> None:
    assert found(tmp_path) == ()


@pytest.mark.parametrize(
    ("change", "more", "wanted", "message"),
    [row[1:] for row in BROKEN],
    ids=[row[0] for row in BROKEN],
)
def test_one_difference_one_issue(
    tmp_path: Path, change: tuple[str, str], more: str, wanted: str, message: str
) -> None:
    issues = found(tmp_path, change, more)
    assert [told(issue) for issue in issues] == [wanted]
    assert message in str(issues[0])
    assert issues[0].hint


def test_several_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    more = "UPDATE bill SET fee = 'GAS', month = NULL WHERE bill_id = 2; UPDATE park SET name = 'x'"
    assert [told(issue) for issue in found(tmp_path, ("", ""), more)] == [
        "warning label-not-unique layer.yaml:25:5",
        "error enum-missing layer.yaml:34:5",
        "warning enum-unused layer.yaml:36:7",
        "warning time-column-null bill.yaml:3:8",
    ]


def test_empty_tables_say_nothing_of_values(tmp_path: Path) -> None:
    assert (
        found(tmp_path, ("", ""), "DELETE FROM bill; DELETE FROM park; DELETE FROM building") == ()
    )


def test_an_own_column_of_an_object_counts_as_a_source_of_values(tmp_path: Path) -> None:
    layer = """\
wenshu: 1
layer: two
tables:
  a: {columns: {id: integer, k: text}}
  b: {columns: {id: integer, k: text}}
dimensions:
  k: {column: a.k, enum: {x: [], y: []}}
objects:
  a: {table: a, dimensions: [k]}
  b: {table: b, dimensions: {k: {column: k}}}
"""
    (tmp_path / "layer.yaml").write_text(layer)
    with duckdb.connect(tmp_path / "two.duckdb") as connection:
        connection.execute("CREATE TABLE a AS SELECT 1 AS id, 'x' AS k")
        connection.execute("CREATE TABLE b AS SELECT 1 AS id, unnest(['y', 'z']) AS k")
    warehouse = DuckDBWarehouse(tmp_path / "two.duckdb")
    issues = lint(load(tmp_path), documents(tmp_path), warehouse)
    assert [told(issue) for issue in issues] == ["error enum-missing layer.yaml:7:20"]
    assert "`z` (1 rows)" in issues[0].message


def test_names_that_are_words_of_sql(tmp_path: Path) -> None:
    layer = """\
wenshu: 1
layer: words
tables:
  place: {key: id, source: "地 点", columns: {id: integer}}
  order:
    key: [from, to]
    columns: {from: integer, to: integer}
    joins: {group: {table: place, on: {from: id}}, order: {table: place, on: {to: id}}}
"""
    (tmp_path / "layer.yaml").write_text(layer)
    with duckdb.connect(tmp_path / "words.duckdb") as connection:
        connection.execute('CREATE TABLE "地 点" AS SELECT 1 AS id')
        connection.execute('CREATE TABLE "order" AS SELECT 1 AS "from", unnest([1, 2]) AS "to"')
    warehouse = DuckDBWarehouse(tmp_path / "words.duckdb")
    issues = lint(load(tmp_path), documents(tmp_path), warehouse)
    assert [told(issue) for issue in issues] == ["warning join-orphans layer.yaml:8:52"]
    assert "50.00% of the rows of `order` (1) find no `地 点`, such as `2`" in issues[0].message


def test_the_park_holds_what_its_layer_says_and_is_checked_fast(
    park_layer: Layer, park_database: Path
) -> None:
    warehouse = DuckDBWarehouse(park_database)
    start = perf_counter()
    assert lint(park_layer, documents(PARK), warehouse) == ()
    assert perf_counter() - start < 30


def check(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`wenshu check` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "api.main", "check", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def test_the_command_ends_with_1_where_there_are_errors(tmp_path: Path) -> None:
    found(tmp_path, ("P2: [临港]", "P3: [临港]"), "UPDATE park SET name = 'x'")
    database = tmp_path / "small.duckdb"
    done = check(tmp_path, "--against", database)
    assert done.returncode == 1
    file = tmp_path / "layer.yaml"
    assert done.stdout.splitlines() == [
        f"{file}:28:7: error unknown-value: no row has the value `P3` of `park_id` "
        "(other names are given to a value as it is stored)",
        "1 errors, 1 warnings",
    ]
    done = check(tmp_path, "--against", database, "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["ok"] is False
    assert [item["code"] for item in report["issues"]] == ["label-not-unique", "unknown-value"]
    assert (report["issues"][1]["line"], report["issues"][1]["column"]) == (28, 7)
    assert check(tmp_path).returncode == 0  # the layer itself is good


def test_the_command_ends_with_2_where_there_is_no_database(tmp_path: Path) -> None:
    done = check(PARK, "--against", tmp_path / "none.duckdb")
    assert done.returncode == 2
    assert "no database" in done.stderr
