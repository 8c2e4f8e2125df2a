"""The seeds of a crawl, each with what became of it (O1).

The log has them: a frame that brings seeds is marked. The catalog tells how a seed ended, or why it was put off.
Reads only, and while the crawl runs, too.
"""

from hondius.use.seeds.listing import ListedSeed, list_seeds

__all__ = ["ListedSeed", "list_seeds"]
