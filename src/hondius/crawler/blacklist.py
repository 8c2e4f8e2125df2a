"""Hosts that are not to be contacted at all: asked before every request, whatever the scope says of the URL.

A sitemap may lie outside the scope, and its host be on the blacklist all the same.
"""

from collections.abc import Iterable
from contextlib import suppress

from hondius.native import LinkPolicy, NativeError


class Blacklist:
    """Keeps the links' policy informed, too, so that what is on the list is not even queued."""

    def __init__(self, links: LinkPolicy, domains: Iterable[str]) -> None:
        self._links = links
        self._everything = LinkPolicy(scope="any")
        self._is_empty = True
        """Nothing was ever on it, as in most crawls: then no request need ask."""
        for domain in domains:
            with suppress(NativeError):  # a made-up log may name what no host is called
                self.add(domain)

    def add(self, domain: str) -> None:
        self._is_empty = False
        self._links.blacklist(domain)
        self._everything.blacklist(domain)

    def lift(self, domain: str) -> None:
        self._links.lift(domain)
        self._everything.lift(domain)

    def covers(self, origin: str) -> bool:
        return not self._is_empty and self._everything.judge(f"{origin}/") == "blacklisted"

    def covers_host(self, name: str) -> bool:
        """The list is one of domains: scheme and port do not matter."""
        return self.covers(f"http://{name}")
