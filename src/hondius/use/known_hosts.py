"""Finds hosts that a crawl does not know: most are misspelt."""

from collections.abc import Sequence

from hondius.errors import WrongUse
from hondius.model import PageFilter
from hondius.opening import Crawl


def list_unknown_hosts(crawl: Crawl, hosts: Sequence[str]) -> list[str]:
    """Those of which no URL has ended. `hosts`: as in `PageFilter`. An unknown one takes a walk over all URLs."""
    return [
        host for host in hosts if next(crawl.catalog.read_columns(("host",), PageFilter(hosts=(host,))), None) is None
    ]


def describe_unknown_hosts(crawl: Crawl, unknown: Sequence[str], named: str = "--host") -> str:
    """`named`: what the user wrote before the host."""
    return f"no URL of {' or '.join(unknown)} has ended in {crawl.name}: check the spelling of {named}"


def refuse_unknown_hosts(crawl: Crawl, hosts: Sequence[str], named: str = "--host") -> None:
    if unknown := list_unknown_hosts(crawl, hosts):
        raise WrongUse(describe_unknown_hosts(crawl, unknown, named))
