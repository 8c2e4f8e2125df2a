"""Lists the seeds of a crawl with the result of each (O1).

The log has the seeds: frames with seeds are marked. The catalog says how a seed ended, or why it was postponed. This
only reads, and works while the crawl runs.
"""

from hondius.use.seeds.listing import ListedSeed, list_seeds

__all__ = ["ListedSeed", "list_seeds"]
