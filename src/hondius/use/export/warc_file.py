"""The first record of a WARC file."""

from hondius import __version__
from hondius.native import WarcSettings, warc_information
from hondius.opening import Crawl


def make_information(crawl: Crawl, name: str, at: float) -> bytes:
    """The `warcinfo` record: by whom, with what, and when the file was made."""
    settings = WarcSettings(software=f"Hondius/{__version__}", operator=crawl.settings.fetch.contact)
    return warc_information(settings, name, at)
