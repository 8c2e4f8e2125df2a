"""What a crawl remembers. One package a port, one file an adapter, one contract suite in `tests/contracts/`.

`disk` is where bytes go; `log` is the truth; `catalog` is a view of it that people ask; `archive`
keeps the exchanges themselves. Stores know the floor and not each other: the log and the archive
reach the disk through the `Disk` port, so that a simulation can reorder, drop and fail their writes.
"""
