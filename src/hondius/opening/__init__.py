"""Opens a crawl by name and returns its stores as ports.

`use` and `operate` open crawls only through this package, so they do not depend on where a crawl is stored: a directory
today, a cluster later. `open_crawl` creates a `Crawl` and reads its settings. Each store is opened on first use, also
while the crawl runs in another process, and closed at the end of the `with` block.

    places.py       finds the place that a name refers to, and the settings of the crawl there
    crawl.py        a crawl, open for reading
    url_store.py    the URL store of a crawl that is not running
    threads.py      the same crawl for programs with an event loop

Ports block (decision 0020). Scripts, commands and notebooks call them directly, also inside a running event loop.
A program that must not block its loop uses `open_crawl_async`, which has its own thread.
"""

from hondius.opening.crawl import Crawl, open_crawl
from hondius.opening.places import crawl_exists, open_settings, place_of, resolve_settings

__all__ = ["Crawl", "crawl_exists", "open_crawl", "open_settings", "place_of", "resolve_settings"]
