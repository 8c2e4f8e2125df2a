"""Hosts that must not be contacted at all. Checked before every request, whatever the scope says about the URL: a
sitemap may be outside the scope and on a blacklisted host."""

from collections.abc import Iterable
from contextlib import suppress

from hondius.native import LinkPolicy, NativeError


class Blacklist:
    """Also updates the link policy, so that blacklisted URLs are not even queued."""

    def __init__(self, links: LinkPolicy, domains: Iterable[str]) -> None:
        self._links = links
        self._everything = LinkPolicy(scope="any")
        self._is_empty = True
        """Nothing was ever on the list, as in most crawls: then requests skip the check."""
        for domain in domains:
            with suppress(NativeError):  # a forged log may have an invalid host name
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
        """The list has domains: scheme and port do not matter."""
        return self.covers(f"http://{name}")
