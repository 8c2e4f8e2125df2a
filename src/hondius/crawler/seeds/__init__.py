"""Seeds: where a crawl starts (D1).

A seed is read from the command line, a file or standard input; it is parsed at once, so that a line
that is no URL is named before anything is written. It dies here: from then on it is a URL like others.
"""

from hondius.crawler.seeds.reader import Seed, seeds_from_arguments, seeds_from_lines, with_scheme

__all__ = ["Seed", "seeds_from_arguments", "seeds_from_lines", "with_scheme"]
