"""Duplicates: recognises a body that was already seen under another URL (X1, X3).

A fingerprint is remembered when its first page ends, and for ever: at first in memory, then in the URL
store once the frame is durable. A page is never a copy of itself.
"""

from hondius.crawler.dedup.exact import UNNAMED, Copy, ExactCopies, warc_date

__all__ = ["UNNAMED", "Copy", "ExactCopies", "warc_date"]
