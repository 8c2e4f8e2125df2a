"""A crawl in virtual time (Q3): the product, unchanged, on a simulated web, a simulated disk and a simulated clock.

A *seed* determines a small web and everything that happens to the crawl. The crawl has many lives on one machine: it is
killed between two events or within a write, a power cut loses unsynced data, the drive fails, the disk fills up,
operators give orders. When the last URL has ended, the judges compare what the servers saw with what the log says. The
seed determines everything, so every finding can be reproduced: `make simulate SEED=17`.

    virtual_loop.py   asyncio without waiting
    web.py answers.py the simulated web and its answers
    engine.py         the engine's contract on that web
    machine.py        disk and views, and what they lose
    fate.py orders.py what happens to the crawl
    simulation.py     one seed, life by life
    judges/           what must be true at the end
    plants.py         planted bugs that must be found
    faults.py cancels.py  exceptions and cancels that must be survived
    cluster/          the same for a partitioned log with several owners
"""
