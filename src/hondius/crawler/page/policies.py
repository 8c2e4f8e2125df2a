"""Which URLs may be requested as pages, as guessed sitemaps, as declared sitemaps, or as requisites."""

from dataclasses import dataclass

from hondius.native import LinkPolicy


@dataclass(frozen=True, slots=True)
class Policies:
    """All of them respect the operator's exclusions. Only `pages` knows the blacklist, so that nothing is queued in
    vain; the blacklist is checked again before every request."""

    pages: LinkPolicy
    guessed: LinkPolicy
    """Sitemaps that nothing names: on the hosts of the scope, even if only a part of them is crawled."""
    declared: LinkPolicy
    """Sitemaps that robots.txt or an index names: on any host (D2)."""
    requisites: LinkPolicy
    """What pages need to be shown: on any host (D7)."""

    def extend(self, href: str) -> bool:
        """Adds the target of a seed's redirect. Returns True if it was not inside before. `guessed` shares the members
        of `pages`."""
        return self.pages.extend(href)

    def extend_lines(self, hrefs: str) -> str:
        """Adds seeds, one per line. Returns those that were not inside before."""
        return self.pages.extend_lines(hrefs)
