"""Checks that all stores of a crawl are intact and agree with each other (S10). Changes nothing.

Everything is compared with the log. First the log is applied to a temporary reference catalog, and the catalog must
equal it row by row. Each WARC record must match its digests and be where the log says. In the URL store, URLs that
ended must be finished, and URLs that were only discovered must be queued. Memory is bounded: rows, records and frames
are read one at a time.

    report.py     the problems found, and what to do about them
    lost_frames.py what to do if a view is ahead of the log
    reference.py  the reference catalog
    catalog.py    compares the catalog with the reference
    archive.py    compares WARC files with the reference
    links.py      compares link segments with the reference
    run_files.py  checks the files of the URL store, block by block
    urls.py       compares the URL store with the reference
    near.py       compares the index of near copies with the log
    attempts.py   checks the attempt records
    verify.py     runs all of these
"""

from hondius.use.verify.report import Report
from hondius.use.verify.verify import verify_crawl

__all__ = ["Report", "verify_crawl"]
