"""Orders from other processes to a crawl: blacklist, pause, recrawl, seeds.

`post` stores an order, atomically. The running crawl finds it within a second, obeys it, and removes it when its event
is durable. If the crawl is killed before that, the order is still there, and the next run obeys it.

    files.py       one file each, in `control/`
    memory.py      for a crawl in memory
    plausible.py   whether a command can have given an order
"""
