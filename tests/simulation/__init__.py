"""A crawl in virtual time (Q3): the product, unchanged, on a simulated web, a simulated disk and a simulated clock.

A *seed* lays out a small web and a fate. The crawl lives many lives on one machine: it is killed between two events or
within a write, the power goes and takes what was not synced, the drive fails, the disk fills up, operators interfere.
When its last URL has ended, the judges hold what the servers saw against what the log says. Everything follows from the
seed alone, so whatever is found can be seen again: `make simulate SEED=17`.

    virtual_loop.py   asyncio without waiting
    web.py answers.py the simulated web and what it says
    engine.py         the engine's contract on that web
    machine.py        disk and views, and how they fare
    fate.py orders.py what befalls the crawl
    simulation.py     one seed, life by life
    judges/           what must be true in the end
    plants.py         bugs that must be found
    faults.py cancels.py  exceptions and cancels that must be survived
    cluster/          the same for a partitioned log with several owners
"""
