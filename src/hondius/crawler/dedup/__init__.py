"""Duplicates: recognises a body that was already seen under another URL, and texts that are nearly the same (X1-X3).

A fingerprint is remembered when the first page with the body ends: first in memory, then, once the frame is durable, in
the URL store for ever. A page is never a copy of itself. Sketches of texts are remembered in the same way, by the index
of near copies.

    exact.py       equal bodies
    near.py        texts that are nearly the same
    duplicates.py  both
"""

from hondius.crawler.dedup.duplicates import Duplicates
from hondius.crawler.dedup.exact import ORIGINAL_UNKNOWN, Copy, ExactCopies, format_warc_date
from hondius.crawler.dedup.near import NearCopies

__all__ = ["ORIGINAL_UNKNOWN", "Copy", "Duplicates", "ExactCopies", "NearCopies", "format_warc_date"]
