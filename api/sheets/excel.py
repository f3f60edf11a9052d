"""A table as an Excel workbook: numbers, dates and texts as what they are, and a sheet on where they came from."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.format import Format  # type: ignore[import-untyped]
from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]

from api.sheets.table import Table, Value

MOST_ROWS = 1_048_575  # below the heads
LONGEST = 32_767  # characters of a cell
EXACT = 10**15  # whole numbers from here on would lose digits: they are identifiers, and stay text
FIRST = date(1900, 3, 1)  # Excel takes 1900 for a leap year
WIDEST = 48
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
FORMATS = {
    "number": "#,##0.00",
    "percent": "0.00%",
    "whole": "#,##0",
    "attribute": "General",
    "day": "yyyy-mm-dd",
    "month": "yyyy-mm",
    "moment": "yyyy-mm-dd hh:mm:ss",
}


def excel(
    table: Table, facts: Iterable[tuple[str, str]], names: tuple[str, str], made: datetime | None
) -> bytes:
    """The workbook; `names` are those of its sheets. At most `MOST_ROWS` rows."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, OPTIONS) as book:
        book.set_properties({"created": made} if made else {})
        bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        wrapped = book.add_format({"text_wrap": True, "valign": "top"})
        formats = {name: book.add_format({"num_format": form}) for name, form in FORMATS.items()}
        _data(book.add_worksheet(names[0]), table, bold, formats)
        origin = book.add_worksheet(names[1])
        origin.set_column(0, 0, 24)
        origin.set_column(1, 1, 100)
        for line, (name, value) in enumerate(facts):
            origin.write_string(line, 0, name, bold)
            origin.write_string(line, 1, value[:LONGEST], wrapped)
    return file.getvalue()


def _data(sheet: Worksheet, table: Table, bold: Format, formats: dict[str, Format]) -> None:
    sheet.freeze_panes(1, 0)
    for index, head in enumerate(table.heads):
        wide = 2 + sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in head.words)
        sheet.set_column(index, index, min(WIDEST, max(wide, 14 if head.shape != "text" else 18)))
    for index, head in enumerate(table.heads):
        sheet.write_string(0, index, head.words[:LONGEST], bold)
    for line, row in enumerate(table.rows, 1):
        for index, (head, value) in enumerate(zip(table.heads, row, strict=True)):
            _write(sheet, line, index, value, head.shape, formats)
    if table.count:
        sheet.autofilter(0, 0, table.count, len(table.heads) - 1)


def _write(
    sheet: Worksheet, line: int, index: int, value: Value, shape: str, formats: dict[str, Format]
) -> None:
    match value:
        case None:
            return
        case int() if abs(value) < EXACT:
            known = "whole" if shape == "number" else shape
            sheet.write_number(line, index, value, formats[known])
        case Decimal() | float() if value == value and abs(value) != float("inf"):
            known = "attribute" if shape == "attribute" else shape
            sheet.write_number(line, index, float(value), formats[known])
        case datetime() if value.tzinfo is None and value.date() >= FIRST:
            sheet.write_datetime(line, index, value, formats["moment"])
        case date() if not isinstance(value, datetime) and value >= FIRST:
            known = "month" if shape == "month" else "day"
            sheet.write_datetime(line, index, value, formats[known])
        case float():
            return
        case _:
            sheet.write_string(line, index, str(value)[:LONGEST])
