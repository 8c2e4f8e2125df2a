"""Checks all against all (S10), and changes nothing.

The log is read first, for everything else is held against it: what it says is folded into a twin of the
catalog, beside it in a temporary place, and the catalog must equal its twin row by row. Each WARC record
must be what its digests say and lie where the log says; the URL store must know as finished what ended,
and as queued what was only discovered. Memory is bounded: rows, records and frames pass by one at a time.

    report.py    what was found, and what to do about it
    twin.py      what the log says, folded
    catalog.py   the catalog against its twin
    archive.py   WARC files against the twin
    links.py     link segments against the twin
    runs.py      the URL store's files, block by block
    urls.py      the URL store against the twin
    attempts.py  the records of what was sent
"""

from hondius.use.verify.report import Report
from hondius.use.verify.verify import verify_crawl

__all__ = ["Report", "verify_crawl"]
