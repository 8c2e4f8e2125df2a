"""Fixtures that several modules of this room share."""

from tests.use.small_crawl import crawl, small_crawl

__all__ = ["crawl", "small_crawl"]
