"""Full-text search in a crawl (S7), and the sink that sends its pages to an OpenSearch server.

The index is a view of the log. `IndexUpdate` reads the frames after the index's own cursor. It looks up each page that
ended in the catalog and puts it into the index *as it is now*; it removes a page that is gone, failed, moved, or asks
not to be indexed (D4). So when the whole log is read, the index agrees with the catalog. Reading a frame twice does no
harm, and neither does a kill at any moment: the cursor is committed together with the pages (`stores/search/`).

`hondius consumers` lists the update as the consumer `search`. That position is saved after each commit, so it is never
ahead of the index.

A query is parsed into clauses and conditions (`query.py`), the index answers with pages, and each page gets a snippet.
Nothing else is read, so a search in a warm process takes a millisecond or two.

    query.py            parses what a user writes
    indexed_text.py     what the index has of a page
    log_batches.py      the pages that ended since a cursor, in batches
    updating.py         brings the index up to date
    search.py           searches one crawl
    results.py          hits, and their snippets
    while_crawling.py   keeps the index, and the OpenSearch server, up to date while a crawl runs
    opensearch/         the sink

`hondius crawl --search` runs the update in a thread beside the crawl, and `hondius search` runs it before it searches.
"""

from hondius.use.search.indexed_text import WITHOUT_TEXT
from hondius.use.search.query import parse_query
from hondius.use.search.results import Hit, Results, Snippet
from hondius.use.search.search import Search

__all__ = ["WITHOUT_TEXT", "Hit", "Results", "Search", "Snippet", "parse_query"]
