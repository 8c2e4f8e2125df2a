"""Pages, fetches, hosts and errors, for people (S2). It is a view: the log is the truth.

Only `apply` creates and changes rows. It takes synced frames in order and stores the last sequence in the same
transaction. So after a crash the file may lag behind the log, but never contradicts it. It can be deleted: applying all
frames again gives the same rows, because rows depend on nothing but the frames (no row numbers, no clock).

    schema.py      tables and the statements that fill them
    frame_rows.py  frames → rows
    writing.py     writes the rows of frames, also if some events meet a bug
    tables.py      queries, and how frames are applied: the same in every world
    conditions.py  a filter of pages, as SQL
    values.py      which values a column may have
    embedded.py    the SQLite file: one writer, and readers in any process
    shared_memory.py  disk space for the file that SQLite's connections share
    memory.py      the same tables in memory

Totals are stored as counters: `totals()` costs the same for a million pages as for ten.

`ports.PartitionView` and `ports.Catalog` are two ports: in a directory and in memory, `Tables` implements both. An
adapter for another database implements `Catalog` alone, next to an embedded view, and has its own form of `schema.py`
and `tables.py`, which are written for SQLite. `FrameRows` computes the rows and can be shared.
"""
