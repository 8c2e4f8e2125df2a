"""PageRank of pages and hosts (S8).

The links of a crawl, including those to pages that were not crawled, are read from the link segments, and native code
computes the ranks within `rank.memory` bytes. The result is a file of the crawl, `ranks`, which says to which position
of the log it belongs. It is a view: the next call replaces it if the crawl has gone on, and a deleted one is computed
again. If the crawl cannot be written, the ranks are for one call only.

    stored.py     the file: opens and computes it
    ranking.py    the pages and hosts with the highest ranks, as values
    names.py      finds the URLs of pages that are only named
"""

from hondius.use.rank.ranking import DEFAULT_MOST, CrawlRanking, RankedHost, RankedPage, rank_crawl
from hondius.use.rank.stored import open_stored

__all__ = ["DEFAULT_MOST", "CrawlRanking", "RankedHost", "RankedPage", "open_stored", "rank_crawl"]
