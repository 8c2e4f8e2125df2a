"""The pages: 20, 50 and 100 KB, 60 to 150 links, every second one gzipped. Everything follows from numbers."""

import zlib
from collections.abc import Iterator
from random import Random

PAGES_PER_HOST = 20
SIZES = (20_000,) * 3 + (50_000,) * 6 + (100_000,)
FEWEST_LINKS, MOST_LINKS = 60, 150
PARAGRAPHS = 400
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
WORDS = (
    "harbour meadow lantern copper winter letter garden engine village mirror silver thunder market window forest "
    "bridge captain morning orchard paper island violet granite compass feather river candle saddle tower wagon "
    "the a of and with without under above before after near beyond quietly often never always"
).split()

Parts = list[bytes]
"""A body in pieces; most of them are shared between pages."""


def host_name(host: int) -> str:
    return f"h{host:04}.test"


def host_address(host: int) -> str:
    """127.21.0.1 and on, none ending in 0 or 255."""
    block, last = divmod(host, 254)
    return f"127.21.{block}.{last + 1}"


def path_of(number: int) -> str:
    return "/" if number == 0 else f"/articles/{number:02}.html"


def site(hosts: int) -> Iterator[tuple[str, str, Parts, bool]]:
    """(host, path, body, whether it is gzipped) of every page; a host's root links to all of its pages."""
    paragraphs = [_paragraph(Random(f"paragraph/{number}")) for number in range(PARAGRAPHS)]
    for host in range(hosts):
        for number in range(PAGES_PER_HOST):
            parts = _page(Random(f"page/{host}/{number}"), host, number, hosts, paragraphs)
            is_gzipped = bool((host + number) % 2)
            yield host_name(host), path_of(number), _gzipped(parts) if is_gzipped else parts, is_gzipped


def _page(random: Random, host: int, number: int, hosts: int, paragraphs: Parts) -> Parts:
    title = f"{_phrase(random, 5)} {host}-{number}"
    menu = "".join(f'<li><a href="{path_of(other)}">{_phrase(random, 2)}</a></li>\n' for other in range(PAGES_PER_HOST))
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="description" content="{_phrase(random, 12)}">\n'
        f'<link rel="canonical" href="http://{host_name(host)}{path_of(number)}"></head>\n'
        f"<body><header><nav><ul>\n{menu}</ul></nav></header>\n<main><h1>{title}</h1>\n".encode()
    ]
    size = random.choice(SIZES)
    count = random.randint(FEWEST_LINKS, MOST_LINKS) - PAGES_PER_HOST
    links = [_link(random, host, hosts) for _ in range(count)]
    length, given = len(parts[0]), 0
    while length < size:
        due = links[given : count * length // size][:4]
        given += len(due)
        parts += [random.choice(paragraphs), *due]
        length += sum(map(len, parts[-1 - len(due) :]))
    return [*parts, *links[given:], b"</main><footer><p>&copy; nobody</p></footer></body></html>\n"]


def _link(random: Random, host: int, hosts: int) -> bytes:
    """Most stay on the host, some lead to another one, some out of scope."""
    chance, path = random.random(), path_of(random.randrange(PAGES_PER_HOST))
    if chance < 0.75:
        href = path
    elif chance < 0.88:
        href = f"http://{host_name(random.randrange(hosts))}{path}"
    else:
        href = f"https://www.elsewhere-{random.randrange(5_000)}.example/{random.randrange(1_000)}?from={host}"
    return f'<p><a class="reference" href="{href}">{_phrase(random, 3)}</a></p>\n'.encode()


def _paragraph(random: Random) -> bytes:
    sentences = " ".join(f"{_phrase(random, 14).capitalize()}." for _ in range(6))
    return f'<div class="block"><p>{sentences} <em>{_phrase(random, 4)}</em> &amp; so on.<br></p></div>\n'.encode()


def _phrase(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def _gzipped(parts: Parts) -> Parts:
    deflate = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return [b"".join([*map(deflate.compress, parts), deflate.flush()])]
