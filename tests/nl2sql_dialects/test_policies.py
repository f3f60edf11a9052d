"""A policy holds in every part of a statement: a visible row shows nothing of the hidden ones."""

from datetime import datetime

import pytest

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.errors import ReadBackError
from nl2sql.slots import Among, Filter, Slots
from semantic_layer.load import loads
from semantic_layer.protocols import Cell
from tests.nl2sql_dialects.conftest import Build

CLOCK = datetime(2026, 9, 28)
LAYER = """
wenshu: 1
layer: shops
tables:
  client:
    key: id
    columns: {id: integer, name: text}
    has_many: {deals: {table: deal, join: client}}
  shop: {key: id, columns: {id: integer, city: text, kind: text}}
  deal:
    key: id
    columns: {id: integer, client: integer, shop: integer, item: text, amount: integer}
    joins: {client: {table: client, "on": {client: id}}, shop: {table: shop, "on": {shop: id}}}
dimensions:
  name: {column: client.name}
  city: {column: shop.city}
  kind: {column: shop.kind}
  item: {column: deal.item}
objects:
  client:
    table: client
    dimensions:
      name: {}
      city: {via: deals.shop}
      kind: {via: deals.shop}
      item: {via: deals}
    rollups: {spent: {sum: amount, of: deals}}
    metrics: {clients: {count: rows}, spent_by_all: {sum: spent}}
"""
# Ann deals in both cities, Ben in the south alone; in the north Ann bought apples, in the south pears.
DATA = [
    """
CREATE TABLE client(id INT, name VARCHAR);
INSERT INTO client VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Cid');
CREATE TABLE shop(id INT, city VARCHAR, kind VARCHAR);
INSERT INTO shop VALUES (1, 'north', 'big'), (2, 'south', 'big'), (3, 'north', 'small');
CREATE TABLE deal(id INT, client INT, shop INT, item VARCHAR, amount INT);
INSERT INTO deal VALUES
  (1, 1, 1, 'apples', 10), (2, 1, 2, 'pears', 200), (3, 2, 2, 'apples', 4000), (4, 3, 3, 'figs', 70000)
"""
]
NORTH = (Filter("city", Among(("north",))),)
BOTH_RULES = (*NORTH, Filter("kind", Among(("big",))))


@pytest.mark.parametrize(
    ("slots", "policy", "rows"),
    [
        # Ann and Cid are seen, Ben is not
        (Slots("client", ("clients",)), NORTH, [(2,)]),
        # she bought pears, but in the south: nobody who is seen bought any
        (
            Slots("client", ("clients",), filters=(Filter("item", Among(("pears",))),)),
            NORTH,
            [(0,)],
        ),
        # her spending there is not seen either
        (Slots("client", ("spent_by_all",)), NORTH, [(70010,)]),
        (
            Slots("client", ("clients",), ("city",)),
            NORTH,
            [("north", 2)],
        ),
        (
            Slots("client", ("clients",), ("item",)),
            NORTH,
            [("apples", 1), ("figs", 1)],
        ),
        # two rules hold for one and the same deal: in the north, in a big shop
        (Slots("client", ("clients", "spent_by_all")), BOTH_RULES, [(1, 10)]),
        # without the attribute, nobody
        (Slots("client", ("clients",)), (Filter("city", Among(())),), [(0,)]),
    ],
)
def test_rows_of_a_many_side_are_limited_too(
    slots: Slots, policy: tuple[Filter, ...], rows: list[tuple[Cell, ...]], small: Build
) -> None:
    layer = loads(LAYER)
    for engine, warehouse in small(layer, DATA).items():
        sql = build(Question(slots, layer, CLOCK, policy), warehouse.dialect).sql
        readback.check(sql, slots, layer, CLOCK, policy, warehouse.dialect)
        guard.check(sql, layer, warehouse.dialect)
        assert list(warehouse.run(sql).rows) == rows, engine


def test_a_statement_without_the_policy_does_not_pass() -> None:
    layer = loads(LAYER)
    slots = Slots(
        "client", ("clients", "spent_by_all"), filters=(Filter("item", Among(("figs",))),)
    )
    sql = build(Question(slots, layer, CLOCK)).sql
    with pytest.raises(ReadBackError):
        readback.check(sql, slots, layer, CLOCK, NORTH)
    guarded = build(Question(slots, layer, CLOCK, NORTH)).sql
    assert (
        guarded.count("city = 'north'") == 3
    )  # of the clients, of the deals filtered, of the sums
    for index in range(3):
        parts = guarded.split("city = 'north'")
        parts[index : index + 2] = [f"{parts[index]}city = 'south'{parts[index + 1]}"]
        with pytest.raises(ReadBackError):
            readback.check("city = 'north'".join(parts), slots, layer, CLOCK, NORTH)
