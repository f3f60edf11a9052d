"""Brings a ledger of an older version up to date, by Alembic: one transaction, all of it or nothing."""

from __future__ import annotations

import sqlite3

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event, inspect

FIRST = "0001"


def upgrade(url: str) -> None:
    """Run every migration that the database at a URL has not had yet. Waits while another process does."""
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def opened(connection: sqlite3.Connection, _: object) -> None:
            connection.isolation_level = None  # the transaction is begun below, not by the driver
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("PRAGMA busy_timeout=60000")

        @event.listens_for(engine, "begin")
        def begun(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    config = Config()
    config.set_main_option("script_location", "dialogue.ledger:migrations")
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(8377031)")
            config.attributes["connection"] = connection
            if "alembic_version" not in inspect(connection).get_table_names():
                command.stamp(config, FIRST)  # ledgers were not numbered then
            command.upgrade(config, "head")
    finally:
        engine.dispose()
