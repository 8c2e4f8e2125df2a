"""URLs of the benchmark of growth, with the keys that the crawler gives them, and pages that name them."""

import random

from benchmarks.growth.web import LINKS_PER_PAGE, Web

from hondius.native import Identity

HOST = "cold.test"
COLD_LINKS = 68
"""Links of a page that the store knows, drawn from all that it has; the others are new."""


class ColdWeb(Web):
    """`urls`: how many the store has."""

    def __init__(self, urls: int) -> None:
        super().__init__(hosts_of(urls))
        self._urls = urls
        self._identity = Identity()

    def links(self, first: int, end: int) -> list[tuple[str, bytes]]:
        """As the links of a page are admitted, with keys of the crawler's own making."""
        hrefs = [(self.href(number), None) for number in range(first, min(first + LINKS_PER_PAGE, end))]
        parsed = self._identity.batch(hrefs)
        return [(href, bytes.fromhex(key)) for href, _, key, _ in parsed if href is not None and key is not None]

    def page(self, number: int) -> bytes:
        draw = random.Random(number)
        new = range(self._urls + number * LINKS_PER_PAGE, self._urls + (number + 1) * LINKS_PER_PAGE)
        old = draw.sample(range(self._urls), COLD_LINKS)
        links = "".join(f'<a href="{self.href(link)}">{link}</a> ' for link in [*new, *old])
        return f"<title>{number}</title><p>Page {number}, in words of its own.</p>{links}".encode()


def hosts_of(urls: int) -> int:
    """A million for 20 million URLs, as in the benchmark of growth."""
    return max(1, urls // 20)
