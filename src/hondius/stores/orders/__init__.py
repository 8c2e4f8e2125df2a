"""Orders from other processes to a crawl: blacklist, pause, recrawl, seeds.

An order is born by `post`, whole or not at all. The running crawl sees it within a second; it is removed once its event
is durable, so a crawl that is killed before obeys it at its next start.

    files.py     one file each, in `control/`
    memory.py    for a crawl that lies in memory
"""
