"""The truth of a crawl: frames in order, each complete or absent.

`append` writes a frame and returns when it is synced. A frame never changes. Frames are in segment files named by their
first sequence. The last segment grows. When it is large, it is sealed and the next one begins. Sealed segments are
compressed a little at each append, so that no commit waits for it.

Each frame is synced before the next is written, so only the newest can be torn. A bad frame at the very end was never
acknowledged, and is cut off. A bad frame anywhere else is damage: the log raises an error rather than lose the frames
after it. Only an explicit salvage continues without it. Opening syncs the last segment once: a killed process may have
written a frame without syncing it, and it is about to be read as truth.

    segments.py    the segment files: their list, header and compression
    frames.py      a frame as bytes
    format_1.py    events of the older format
    embedded.py    the log itself
    salvage.py     repairs a damaged log
    memory.py      a log without files
    partitioned.py combines the logs of several partitions
    opening.py     opens the log of a crawl directory, with any number of partitions
    subdirectory.py  the disk of one partition

The log of a cluster has partitions of records, each with one owner at a time:

    partitions.py  records, and their combined effect
    epochs.py      which records count
    outbox.py      the order in which an owner sends
"""
