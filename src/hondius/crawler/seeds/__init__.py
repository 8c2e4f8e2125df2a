"""Seeds: where a crawl starts (D1).

`lines.py` parses a line of a seed file. `file_lines.py` reads lines from a file or from standard input. `source.py`
cuts the seeds into slices. A source is read while the crawl runs, slice by slice, on its own thread: a million seeds
are never in memory at once. A line that is not a URL is skipped and counted. Once the log has a seed, it is a URL like
any other.
"""

from hondius.crawler.seeds.lines import Seed, add_scheme, describe_bad_url, parse_arguments
from hondius.crawler.seeds.source import ORDERED, SeedSource, Slice, cut_slices, make_source

__all__ = [
    "ORDERED",
    "Seed",
    "SeedSource",
    "Slice",
    "add_scheme",
    "cut_slices",
    "describe_bad_url",
    "make_source",
    "parse_arguments",
]
