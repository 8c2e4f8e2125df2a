"""Seeds: where a crawl starts (D1).

`lines.py` reads a line of a seed file, `bytes_of.py` brings the lines of a file or of standard input, `source.py` cuts
them into slices. A source is read while the crawl runs, a slice at a time, on a thread of its own: a million seeds are
never in memory together. A line that is no URL is skipped and counted. A seed dies when the log has it: from then on it
is a URL like others.
"""

from hondius.crawler.seeds.lines import Seed, seeds_from_arguments, with_scheme
from hondius.crawler.seeds.source import ORDERED, SeedSource, Slice, slices_of, source_of

__all__ = [
    "ORDERED",
    "Seed",
    "SeedSource",
    "Slice",
    "seeds_from_arguments",
    "slices_of",
    "source_of",
    "with_scheme",
]
