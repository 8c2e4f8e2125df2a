"""The card itself: a name, what it does to a host, and which hosts it suits."""

from collections.abc import Callable

import msgspec

from hondius.testweb.site import Site

MOST_SERVER_ERRORS = 4


class Card(msgspec.Struct, frozen=True):
    name: str
    lay: Callable[[Site, str], None]
    """Called with the host and the card's name, which names the resources."""
    server_errors: int = 0
    needs_rules: bool = False
    needs_sitemap: bool = False

    def suits(self, site: Site) -> bool:
        if site.server_errors + self.server_errors > MOST_SERVER_ERRORS:
            return False
        return (site.has_rules or not self.needs_rules) and (site.has_sitemap or not self.needs_sitemap)

    def deal(self, site: Site) -> None:
        site.server_errors += self.server_errors
        self.lay(site, self.name)
