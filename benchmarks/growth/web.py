"""A web of any size that exists nowhere: URL number n, its host and its key are functions of n.

The first pages of all hosts come first, so that there are as many origins at every milestone. Then come pages of twelve
links nobody knew, ten on their own host and two elsewhere, hosts by a power law (Zipf-Mandelbrot, the largest of a
million has about 7,000 of 50 million URLs: no trap).
"""

from hashlib import blake2b

LINKS_PER_PAGE = 12
LINKS_OUTSIDE = 2
FLATTENING = 1_000
GOLDEN = 0x9E37_79B9_7F4A_7C15
STRIDE = 611_953
"""A prime: hosts of neighbouring rank are not neighbours."""
WORDS = (
    "amber atlas basin cedar delta ember fjord grove harbor island jetty kelp lagoon meadow north ocean "
    "prairie quarry river summit tundra upland valley willow yarrow zenith copper marble saffron velvet walnut zephyr"
).split()
SECTIONS = "news articles products people forum archive guide reviews".split()


class Web:
    def __init__(self, hosts: int) -> None:
        self._hosts = hosts
        self._spread = (hosts + FLATTENING) / FLATTENING
        self._page, self._start = -1, ""
        """The page that was asked for last, and how its own links begin."""

    def links(self, first: int, end: int) -> list[tuple[str, bytes]]:
        """The new links of one page: (href, key) of twelve numbers from `first` on, none beyond `end`."""
        return [(self.href(number), key(number)) for number in range(first, min(first + LINKS_PER_PAGE, end))]

    def href(self, number: int) -> str:
        if number < self._hosts:
            return f"{self._origin(number)}/"
        page, place = divmod(number - self._hosts, LINKS_PER_PAGE)
        if place < LINKS_OUTSIDE:
            start = self._start_of(-number, page)
        elif page == self._page:
            start = self._start
        else:
            self._page, self._start = page, self._start_of(page, page)
            start = self._start
        mixed = number * GOLDEN >> 40
        return f"{start}{WORDS[mixed & 31]}-{WORDS[mixed >> 5 & 31]}-{WORDS[mixed >> 10 & 31]}-{number}.html"

    def _start_of(self, choice: int, page: int) -> str:
        return f"{self._origin(self._host(choice))}/{SECTIONS[page & 7]}/{page}/"

    def _host(self, choice: int) -> int:
        chance = (choice * GOLDEN & 0xFFFF_FFFF_FFFF_FFFF) / 2**64
        rank = int(FLATTENING * self._spread**chance) - FLATTENING
        return rank * STRIDE % self._hosts

    def _origin(self, host: int) -> str:
        return f"https://www.{WORDS[host & 31]}-{host}.test"


def key(number: int) -> bytes:
    return blake2b(number.to_bytes(8, "little"), digest_size=16).digest()
