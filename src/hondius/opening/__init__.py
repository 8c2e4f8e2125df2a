"""The one door to a crawl: a name goes in, ports come out.

Whoever uses or operates a crawl comes through here, and never learns which world it lies in: a directory today, a
cluster later. A `Crawl` is born by `open_crawl`, which reads its settings, opens each store when it is first asked
for, also beside a running crawl, and dies with its `with` block.

    places.py       which place a name means, and the settings of a crawl there
    crawl.py        a crawl, open for reading
    url_store.py    the URL store of a crawl that rests
    threads.py      the same crawl for whoever runs an event loop

Ports block (decision 0020). A script, a command or a notebook calls them as they are, also inside a running event loop;
a program that must not block its loop asks `open_crawl_async`, which has a thread of its own.
"""

from hondius.opening.crawl import Crawl, open_crawl
from hondius.opening.places import existing, open_settings, place_of, settled

__all__ = ["Crawl", "existing", "open_crawl", "open_settings", "place_of", "settled"]
