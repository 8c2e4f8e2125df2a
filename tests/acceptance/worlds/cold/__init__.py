"""Cold links: a crawl of pages that name URLs of a store of 20 million, of which the system's cache has nothing.

web.py        the URLs, with the keys that the crawler gives them, and the pages that name them
server.py     the process that serves the pages
load.py       the process that crawls: the real engine, admissions and frontier, an empty cache, the event loop watched
figures.py    makes the store, and holds the figures against their bars
"""

from tests.acceptance.worlds.cold.figures import figures

__all__ = ["figures"]
