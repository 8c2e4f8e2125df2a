"""Reads the content of pages from the archive, for the Python interface and for exports (A5, S6).

A row of the catalog says where the record of a page is. Its head and body are read from there, on demand, one page at a
time; a revisit leads to the record of its original. Headers, text and deep texts are computed by the native library.
The deep pass is slow, so its result is stored with the version of its rules, and read from there the next time.

    reading.py     head and body of a page
    contents.py    everything that can be computed from them, for one crawl
    backlinks.py   the pages that link to a URL
    rows.py        the end of a URL as a row of the catalog
"""

from hondius.use.content.contents import NO_TEXT, Contents, extract_deep_text, has_deep_text, make_content_type
from hondius.use.content.reading import MAX_REVISITS, Content, ContentReader, is_text
from hondius.use.content.rows import Row, list_ends, make_row_of_end

__all__ = [
    "MAX_REVISITS",
    "NO_TEXT",
    "Content",
    "ContentReader",
    "Contents",
    "Row",
    "extract_deep_text",
    "has_deep_text",
    "is_text",
    "list_ends",
    "make_content_type",
    "make_row_of_end",
]
