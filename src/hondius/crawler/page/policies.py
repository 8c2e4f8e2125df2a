"""Which URLs may be asked for, by what they are asked for as."""

from dataclasses import dataclass

from hondius.native import LinkPolicy


@dataclass(frozen=True, slots=True)
class Policies:
    """What the operator excludes is in none of them. Of the blacklist only `pages` knows, so that nothing is queued in
    vain; it is asked again before every request."""

    pages: LinkPolicy
    guessed: LinkPolicy
    """Sitemaps that nobody named: on the hosts of the scope, be it only a part of them that is to be crawled."""
    declared: LinkPolicy
    """Sitemaps that robots.txt or an index names: they may lie on any host (D2)."""

    def extend(self, href: str) -> bool:
        """Where a seed's redirect led. True where it had not joined before. `guessed` has the members of `pages`."""
        return self.pages.extend(href)

    def extend_lines(self, hrefs: str) -> str:
        """Seeds, a line each; returns those that had not joined before."""
        return self.pages.extend_lines(hrefs)
