"""What a crawl remembers. One package a port, one file an adapter, one contract suite in `tests/contracts/`.

    disk/          where bytes go, and who may write them
    log/           the truth
    urls/          seen and queued URLs: a view
    catalog/       the partition's view, and what people ask about
    archive/       the exchanges themselves
    orders/        from other processes to the crawl
    attempts/      records of what was sent
    factory.py     the only place that names concrete stores: one `Place` for each world
    view_files.py  the files of the views in a crawl directory, and how they go away

Stores know the floor and not each other: the log and the archive reach the disk through the `Disk` port, so that a
simulation can reorder, drop and fail their writes. A new adapter is a file beside the others of its port, a line in the
port's contract suite, and a place in `factory.py` that opens it.
"""
