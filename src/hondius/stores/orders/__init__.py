"""Orders from other processes to a crawl: blacklist, pause, recrawl, seeds.

`post` stores an order, atomically. The running crawl sees it within a second, and removes it once its event is durable.
So a crawl that is killed before obeys it at its next start.

    files.py       one file each, in `control/`
    memory.py      for a crawl in memory
    plausible.py   whether a command can have given an order
"""
