"""All rows of an answer as a file for spreadsheets: labels instead of codes, exact numbers."""

from api.sheets.csv_file import csv_file
from api.sheets.excel import MOST_ROWS, excel
from api.sheets.table import Head, Table, facts, table
from api.sheets.words import text

__all__ = ["MOST_ROWS", "Head", "Table", "csv_file", "excel", "facts", "table", "text"]
