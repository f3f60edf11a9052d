"""A small layer over parties, in SQLite-free DuckDB files, and an index made of plain names."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import duckdb

from semantic_layer.index import Base, Stored, build
from semantic_layer.load import load
from semantic_layer.model import Layer
from semantic_layer.values import ValueIndex

LAYER = """\
wenshu: 1
layer: small
tables:
  area: {key: area_id, columns: {area_id: text, area_name: text}}
  party: {key: party_id, columns: {party_id: text, party_name: text}}
  brand: {key: brand_id, columns: {brand_id: text, brand_name: text}}
  fact:
    key: id
    columns: {id: integer, area_id: text, party_id: text, brand_id: text, kind: text, day: date, amount: decimal}
    joins: {area: area, party: party, brand: brand}
dimensions:
  area: {words: {zh: [片区], en: [area]}, column: area.area_id, label: area_name}
  party: {words: {zh: [客户], en: [party]}, column: party.party_id, label: party_name}
  brand: {words: {zh: [品牌], en: [brand]}, column: brand.brand_id, label: brand_name}
  kind: {words: {zh: [类别], en: [kind]}, column: fact.kind, enum: {A: [甲类], B: [云帆]}}
policies:
  - {attribute: area, dimension: area}
"""
OBJECT = """\
object: sale
words: {zh: [订单], en: [sale]}
table: fact
time: {column: day, unasked: all}
dimensions: [area, party, brand, kind]
metrics:
  turnover: {words: {zh: [营业额], en: [turnover]}, sum: amount}
  sale_count: {words: {zh: [订单数], en: [sale count]}, count: rows}
"""
AREAS = [("A1", "东片"), ("A2", "西片")]
PARTIES = [
    ("P1", "上海华芯半导体有限公司"),
    ("P2", "苏州博瑞生物医药有限公司"),
    ("P3", "杭州远景智能装备有限公司"),
    ("P4", "深圳远景新能源有限公司"),
    ("P5", "Acme Foods Ltd"),
    ("P6", "云帆"),
    ("P7", "长风商行12号店"),
    ("P8", "青禾"),
    ("P9", "重庆瑞丰行"),
]
BRANDS = [("B1", "青禾"), ("B2", "金麦穗"), ("B3", "金麦岁")]
FACTS = [("A1", party, "B1") for party in ("P1", "P3", "P5", "P6", "P7", "P8")] + [
    ("A2", party, "B2") for party in ("P2", "P4", "P9")
]


def layer(folder: Path) -> Layer:
    """The layer."""
    (folder / "layer.yaml").write_text(LAYER, "utf-8")
    (folder / "sale.yaml").write_text(OBJECT, "utf-8")
    return load(folder)


def database(path: Path, more: list[tuple[str, str]] | None = None) -> Path:
    """The database; with more parties, if any."""
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        for name, rows in (("area", AREAS), ("party", PARTIES + (more or [])), ("brand", BRANDS)):
            connection.execute(f"CREATE TABLE {name} ({name}_id VARCHAR, {name}_name VARCHAR)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
        connection.execute(
            "CREATE TABLE fact (id INTEGER, area_id VARCHAR, party_id VARCHAR, brand_id VARCHAR, "
            "kind VARCHAR, day DATE, amount DECIMAL(12, 2))"
        )
        connection.executemany(
            "INSERT INTO fact VALUES (?, ?, ?, ?, 'A', DATE '2026-08-01', 10)",
            [(index, *fact) for index, fact in enumerate(FACTS)],
        )
    return path


def index_of(*names: str, dimension: str = "party") -> ValueIndex:
    """An index of names alone."""
    made: Future[Base] = Future()
    made.set_result(
        Base(build([Stored(dimension, f"K{at}", one) for at, one in enumerate(names)], {}))
    )
    return ValueIndex(made)
