"""The stores of a crawl: one package per port, one file per adapter, one contract suite per port in
`tests/contracts/`.

    disk/          where bytes go, and who may write them
    log/           the truth
    urls/          seen and queued URLs: a view
    catalog/       the partition's view, and the catalog for people
    archive/       requests and answers, as WARC files
    links/         the links of pages
    orders/        commands from other processes to the crawl
    attempts/      records of requests
    turns/         when a request may start at an address
    deep_texts/    results of the deep pass over pages: a cache
    consumers/     how far named consumers have read the log
    search/        the search index: a view
    factory.py     the only place that names concrete stores: one `Place` for each world
    view_files.py  the files of the views in a crawl directory, and how they are removed

Stores import only the floor, not each other. The log and the archive reach the disk through the `Disk` port, so that a
simulation can reorder, drop and fail their writes. A new adapter is a file in the package of its port, a line in the
port's contract suite, and a place in `factory.py` that opens it. `verify`, `rebuild` and `audit` read the files of a
crawl directory themselves, and know only the adapters named `embedded`.
"""
