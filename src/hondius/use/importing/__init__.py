"""Imports archives that others made: their pages become pages of a crawl (S11). No request is sent.

Records are read by the native library, which takes any bytes (`native/src/warc/foreign.rs`). Each answer is analysed as
a fetched one is, and goes through the same commit: log, archive, links, catalog. It carries the time of its record.

An import can be repeated. A record that is not newer than what the crawl knows of its URL is skipped; so after a kill
the same command continues, and importing a file twice changes nothing.

    records.py     the records of files, and what is counted of them
    known.py       whether a record is new, and where the body of a revisit is
    run.py         reads, analyses and submits
"""

from hondius.use.importing.records import Tally
from hondius.use.importing.run import import_archives

__all__ = ["Tally", "import_archives"]
