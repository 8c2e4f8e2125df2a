"""Duplicates: recognises a body that was already seen under another URL (X1, X3).

A fingerprint is remembered when the first page with the body ends: first in memory, then, once the frame is durable, in
the URL store for ever. A page is never a copy of itself.
"""

from hondius.crawler.dedup.exact import ORIGINAL_UNKNOWN, Copy, ExactCopies, format_warc_date

__all__ = ["ORIGINAL_UNKNOWN", "Copy", "ExactCopies", "format_warc_date"]
