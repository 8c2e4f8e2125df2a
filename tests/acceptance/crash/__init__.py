"""kill -9 at random moments, again and again, and disks that fill up (F5, S4, S5, S10).

A *round* is a fresh web and a fresh crawl, killed a few times and left to finish. Then the web's manifest is met,
nothing was asked for again but what a kill explains, `verify` and `audit` are clean, warcio and fastwarc accept every
WARC file, and the views that `rebuild` makes export the same bytes as those that were thrown away.

    plans.py         the kinds of rounds: without delay, polite, on a disk that fills up
    kills.py         one crawl, its runs and how each of them ended
    moments.py       waiting for the right moment
    pulse.py         how long the machine itself stands still
    orders.py        what operators ask of a crawl meanwhile, and whether it was done
    full_disk.py     a small file system, and a file that fills it
    fillings.py      a crawl on a disk that fills up, again and again
    after_kills.py   what may be asked for again, and when
    rounds.py        one round, played and judged
    dealing.py       rounds until there were enough kills; the sum of them
    state.py         what is kept of a round: so that `make crash N=1000` may be stopped and gone on with
    __main__.py      the command

Everything runs in processes of its own, as users run it; nothing of the product is called or mocked here.
"""
