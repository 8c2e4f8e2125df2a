"""kill -9 at random moments, again and again, and disks that fill up (F5, S4, S5, S10).

A *round* is a fresh web and a fresh crawl, killed a few times and then left to finish. Then the result must match the
web's manifest, only requests that a kill explains were repeated, `verify` and `audit` are clean, warcio and fastwarc
accept every WARC file, and rebuilt views export the same bytes as the original ones.

    plans.py         the kinds of rounds: without delay, polite, on a disk that fills up
    kills.py         one crawl, its runs and how each of them ended
    moments.py       waits for the moment of a kill
    pulse.py         how long the machine itself stalls
    orders.py        orders to the crawl meanwhile, and whether they were obeyed
    full_disk.py     a small file system, and a file that fills it
    fillings.py      a crawl on a disk that fills up, again and again
    after_kills.py   which requests may be repeated, and when
    rounds.py        runs and judges one round
    dealing.py       runs rounds until there were enough kills, and sums them up
    state.py         stores the results of rounds, so that `make crash N=1000` can be stopped and resumed
    __main__.py      the command

Everything runs in separate processes, as users run it; nothing of the product is called or mocked here.
"""
