"""Names that are words of SQL are put in quotes, whatever sqlglot knows of a dialect's words."""

from __future__ import annotations

from sqlglot import exp

_WORDS = """
add all alter analyse analyze and any array as asc asymmetric autoincrement between both by
case cast check collate column commit constraint create cross current_date current_time
current_timestamp current_user default deferrable delete desc distinct do drop else end
escape except exists false fetch first following for foreign from full function grant group
having if in index initially inner insert intersect interval into is isnull join key last
leading left like limit natural not nothing notnull null offset on only or order outer over
partition placing preceding primary range rank references returning right row rows select
session_user set some symmetric table then to trailing transaction true unbounded union
unique update user using value values view when where window with
"""
WORDS = frozenset(_WORDS.split())  # those that PostgreSQL or SQLite reserve


def quote(tree: exp.Expr, dialect: str) -> None:
    """Quote the names that need it, in place."""
    for name in tree.find_all(exp.Identifier):
        text = name.name
        if text.lower() in WORDS or (dialect == "postgres" and text != text.lower()):
            name.set("quoted", True)
