"""A table as CSV (RFC 4180) that spreadsheets open as it is meant."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime
from decimal import Decimal

from api.sheets.table import Head, Table, Value

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # what a spreadsheet would take for a formula


def csv_file(table: Table) -> bytes:
    """UTF-8 with a byte order mark, by which Excel knows it; numbers exact, rates as fractions."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([harmless(head.words) for head in table.heads])
    for row in table.rows:
        writer.writerow([_text(head, value) for head, value in zip(table.heads, row, strict=True)])
    return b"\xef\xbb\xbf" + file.getvalue().encode()


def harmless(words: str) -> str:
    """Text that no spreadsheet runs.

    >>> harmless("=1+1"), harmless("张江")
    ("'=1+1", '张江')
    """
    return f"'{words}" if words.startswith(FORMULA) else words


def _text(head: Head, value: Value) -> str:
    match value:
        case None:
            return ""
        case str():
            return harmless(value)
        case float():
            known = value == value and abs(value) != float("inf")
            return format(Decimal(repr(value)), "f") if known else ""
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.isoformat(" ")
        case date():
            return value.strftime("%Y-%m") if head.shape == "month" else value.isoformat()
    return str(value)
