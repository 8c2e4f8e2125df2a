"""One run of a crawl, from its settings and seeds to its summary: for the command and for Python programs alike.

A session is prepared: settings and first seeds are checked before anything is written. Then it runs: it locks the
crawl, opens its stores, takes the seeds, runs until the crawl is over or is asked to stop, and closes everything. It
tells an `Observer` what it does. It installs no signal handler and owns no event loop.

    preparation.py        checks settings and seeds
    session.py            runs, and repairs views that break
    observer.py           who is told what happens
    seed_input.py         opens and checks the seeds that are given
    warnings.py           warnings before a crawl starts
    crawl_log.py          `crawl.log` in the crawl directory
    queue.py              the note `queue.json`
    program_hooks.py      the note `hooks.json`: hooks of a Python program
    summary.py            the figures of a run, when it is over
    failed_seeds.py       what became of the seeds if nothing was fetched
    host_restrictions.py  hosts that are not contacted now, or only slowly
"""
