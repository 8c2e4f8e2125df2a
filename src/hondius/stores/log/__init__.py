"""The truth of a crawl: frames in order, each all there or not at all.

A frame is born by `append`, which returns when it is synced, and never changes. Frames live in
segment files named by their first sequence. The last segment grows; when it is large the next one
begins, and what is sealed is compressed a little at each append, so that no commit waits for it.

Only the newest frame can be torn, for each is synced before the next is written: a bad frame at the
very end was never promised to anyone and is cut. A bad frame anywhere else is damage, and the log
says so rather than lose what follows it; only who asks for a salvage goes on without it. Opening syncs
the last segment once: a frame that a killed process had written but not yet synced is read as truth, so
it must be made one first.

    segments.py    which files there are; a segment's header; compression
    frames.py      a frame as bytes
    embedded.py    the log itself
    salvage.py     a damaged log, put together again
    memory.py      a log without files
    partitioned.py several of them as one log: one for each partition
    opening.py     opens the log of a crawl directory, however many partitions it has
    below.py       where the files of a partition lie

The log of a cluster lies in partitions, each a fold of records with one owner at a time:

    partitions.py  records, and what they come to
    epochs.py      which of them count
    outbox.py      in which order an owner sends
"""
