"""Exports a crawl to files for other programs (S6): streaming, in a stable order, also while the crawl runs.

rows.py       converts a page of the catalog to a row
jsonl.py      writes rows as JSON lines
"""

from hondius.use.export.jsonl import export_jsonl

__all__ = ["export_jsonl"]
