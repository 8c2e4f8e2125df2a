"""Generates the pages: 20, 50 and 100 KB, 60 to 150 links, every second one gzipped. The output is deterministic."""

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
"""A body in pieces; pages share most of them."""


def make_host_name(host: int) -> str:
    return f"h{host:04}.test"


def make_host_address(host: int) -> str:
    """127.21.0.1 and following, without those that end in 0 or 255."""
    block, last = divmod(host, 254)
    return f"127.21.{block}.{last + 1}"


def make_path(number: int) -> str:
    return "/" if number == 0 else f"/articles/{number:02}.html"


def generate_pages(hosts: int) -> Iterator[tuple[str, str, Parts, bool]]:
    """(host, path, body, is gzipped) of every page. The root of a host links to all its pages."""
    paragraphs = [_make_paragraph(Random(f"paragraph/{number}")) for number in range(PARAGRAPHS)]
    for host in range(hosts):
        for number in range(PAGES_PER_HOST):
            parts = _make_page(Random(f"page/{host}/{number}"), host, number, hosts, paragraphs)
            is_gzipped = bool((host + number) % 2)
            yield make_host_name(host), make_path(number), _compress(parts) if is_gzipped else parts, is_gzipped


def _make_page(random: Random, host: int, number: int, hosts: int, paragraphs: Parts) -> Parts:
    title = f"{_make_phrase(random, 5)} {host}-{number}"
    menu = "".join(
        f'<li><a href="{make_path(other)}">{_make_phrase(random, 2)}</a></li>\n' for other in range(PAGES_PER_HOST)
    )
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="description" content="{_make_phrase(random, 12)}">\n'
        f'<link rel="canonical" href="http://{make_host_name(host)}{make_path(number)}"></head>\n'
        f"<body><header><nav><ul>\n{menu}</ul></nav></header>\n<main><h1>{title}</h1>\n".encode()
    ]
    size = random.choice(SIZES)
    count = random.randint(FEWEST_LINKS, MOST_LINKS) - PAGES_PER_HOST
    links = [_make_link(random, host, hosts) for _ in range(count)]
    length, given = len(parts[0]), 0
    while length < size:
        due = links[given : count * length // size][:4]
        given += len(due)
        parts += [random.choice(paragraphs), *due]
        length += sum(map(len, parts[-1 - len(due) :]))
    return [*parts, *links[given:], b"</main><footer><p>&copy; nobody</p></footer></body></html>\n"]


def _make_link(random: Random, host: int, hosts: int) -> bytes:
    """Most links stay on the host, some lead to another host, some out of scope."""
    chance, path = random.random(), make_path(random.randrange(PAGES_PER_HOST))
    if chance < 0.75:
        href = path
    elif chance < 0.88:
        href = f"http://{make_host_name(random.randrange(hosts))}{path}"
    else:
        href = f"https://www.elsewhere-{random.randrange(5_000)}.example/{random.randrange(1_000)}?from={host}"
    return f'<p><a class="reference" href="{href}">{_make_phrase(random, 3)}</a></p>\n'.encode()


def _make_paragraph(random: Random) -> bytes:
    sentences = " ".join(f"{_make_phrase(random, 14).capitalize()}." for _ in range(6))
    return f'<div class="block"><p>{sentences} <em>{_make_phrase(random, 4)}</em> &amp; so on.<br></p></div>\n'.encode()


def _make_phrase(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def _compress(parts: Parts) -> Parts:
    deflate = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return [b"".join([*map(deflate.compress, parts), deflate.flush()])]
