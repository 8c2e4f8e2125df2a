"""What people ask about: pages, fetches, hosts, errors (S2). A view: the log is the truth.

A row is born and changed by `apply`, which takes synced frames in order and stores the last one's
sequence in the same transaction. So the file may lag behind the log after a crash, never contradict
it, and can be deleted: applying all frames again gives the same rows, for nothing in them comes
from anywhere else (no row numbers, no clock).

    schema.py      tables and the statements that fill them
    folding.py     frames → rows
    tables.py      what can be asked, and how frames are written: the same in every world
    embedded.py    the SQLite file: one writer, readers of any process beside it
    memory.py      the same tables in memory

Totals are kept as counters, not counted: `totals()` costs the same for a million pages as for ten.
"""
