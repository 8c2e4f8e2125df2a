"""Which pages there are, how long each is, and what it links to. Everything follows from numbers; nothing is stored."""

from dataclasses import dataclass
from random import Random

VERSION = 1
"""Raised whenever the bytes change: an older site in the cache is then generated anew."""
HOSTS = 500
PAGES_PER_HOST = 20
SIZES = (20_000,) * 15 + (50_000,) * 28 + (100_000,) * 7
"""Of fifty pages in a row, shuffled: 48,000 on average."""
FEWEST_LINKS = 60
MOST_LINKS = 150
SECTIONS = ("journal", "guides", "people", "places", "letters")


@dataclass(frozen=True)
class Page:
    host: int
    number: int
    size: int
    links: tuple[str, ...]
    """Besides the navigation, which leads to every page of the host. In the order of their appearance."""
    port: int = 0
    """Of the server, where hosts go by their addresses; 0 where they have names."""

    @property
    def random(self) -> Random:
        return Random(f"page/{VERSION}/{self.host}/{self.number}")


def host_name(host: int) -> str:
    return f"b{host:04}.test"


def host_address(host: int) -> str:
    """127.20.0.1 and on, none ending in 0 or 255."""
    block, last = divmod(host, 254)
    return f"127.20.{block}.{last + 1}"


def origin(host: int, port: int = 0) -> str:
    """As links of the pages spell it. By address it is without a scheme: the same files then serve HTTP and HTTPS."""
    return f"//{host_address(host)}:{port}" if port else f"http://{host_name(host)}"


def directory_of(host: int, port: int = 0) -> str:
    """What a server finds in the Host field of a request, less the port."""
    return host_address(host) if port else host_name(host)


def path_of(number: int) -> str:
    """The root links to all others, and all others to the root."""
    return "/" if number == 0 else f"/{SECTIONS[number % len(SECTIONS)]}/entry-{number:02}.html"


def decode_pages(host: int, hosts: int = HOSTS, port: int = 0) -> list[Page]:
    sizes = Random(f"sizes/{VERSION}").sample(SIZES, len(SIZES))
    first = host * PAGES_PER_HOST
    return [_page(host, number, sizes[(first + number) % len(SIZES)], hosts, port) for number in range(PAGES_PER_HOST)]


def _page(host: int, number: int, size: int, hosts: int, port: int) -> Page:
    """About 80 links with the navigation: most within the host, some to other hosts of the site, some out of scope."""
    random = Random(f"links/{VERSION}/{host}/{number}")
    count = FEWEST_LINKS + int((MOST_LINKS - FEWEST_LINKS + 1) * random.random() ** 3.5)
    links = tuple(_link(host, random, hosts, port) for _ in range(count - PAGES_PER_HOST))
    return Page(host, number, size, links, port)


def _link(host: int, random: Random, hosts: int, port: int) -> str:
    choice, path = random.random(), path_of(random.randrange(PAGES_PER_HOST))
    if choice < 0.55:
        return path
    if choice < 0.70:
        return f"{path}#section-{random.randint(1, 9)}"
    if choice < 0.78:
        return f"{origin(host, port)}{path}"
    if choice < 0.88:
        return f"{origin(random.randrange(hosts), port)}{path}"
    return f"https://www.site-{random.randrange(20_000)}.example/{random.choice(SECTIONS)}/{random.randrange(1_000)}?from=b"
