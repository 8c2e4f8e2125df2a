"""A scenario: its name, what it adds to a host, and which hosts it suits."""

from collections.abc import Callable

import msgspec

from hondius.testweb.site import Site

MAX_SERVER_ERRORS = 4


class Scenario(msgspec.Struct, frozen=True):
    name: str
    lay: Callable[[Site, str], None]
    """Called with the host and the name of the scenario, which becomes the kind of its resources."""
    server_errors: int = 0
    needs_rules: bool = False
    needs_sitemap: bool = False

    def suits(self, site: Site) -> bool:
        if site.server_errors + self.server_errors > MAX_SERVER_ERRORS:
            return False
        return (site.has_rules or not self.needs_rules) and (site.has_sitemap or not self.needs_sitemap)

    def apply(self, site: Site) -> None:
        site.server_errors += self.server_errors
        self.lay(site, self.name)
