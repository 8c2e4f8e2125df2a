"""A crawl as files that others read (S6): streaming, in an order that is the same each time, also while it runs.

rows.py       a page of the catalog as a row
content.py    the text and body of a page, from its WARC record
jsonl.py      rows as lines
"""

from hondius.use.export.jsonl import export_jsonl

__all__ = ["export_jsonl"]
