"""Does the frontier hold at 50 million URLs on a million hosts, and at 200 million on four (F1, F3, U4)?

    python -m benchmarks.growth                     # all milestones: 1, 5, 20, 50 million; needs 20 GB of disk
    python -m benchmarks.growth --most 5            # a short run
    python -m benchmarks.growth --most 200 --hosts 4000000    # 100 and 200 million, too; needs 80 GB of disk
    python -m benchmarks.growth --directory /big    # where the crawl directory is made, and removed again

The parts are those of the product, unchanged: the log with a sync a frame, the URL store, the frontier, the catalog so
that a start has nothing to catch up with. `web` invents the links, `crawl` does what a crawl does to its stores, `grow`
is the process that goes from one milestone to the next, `start` the process that opens the crawl as `hondius resume`
would. `meter` counts CPU of all threads, those of the tree's compaction too, less what inventing the links takes.
`report` holds the figures against the bars and writes `benchmarks/RESULTS.md` and the plot.
"""
