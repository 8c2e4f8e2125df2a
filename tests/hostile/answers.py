"""Answers of servers that mean no good: heads and bodies put together from pieces, then damaged."""

import gzip
from random import Random

ODD = (
    *(b"\xb2", b"-1", b"\0", b"\x01", b"\xff\xfe", b"\xef\xbb\xbf", b"99999999999999999999", b"1e9", b"\r\n ", b"\r"),
    *(b"%", b"%zz", b"\xe2\x80\xae", b"<!---->", b"]]>", b",", b";", b'"', b"=", b" " * 50, b"\xd0\xbf", b"nan", b""),
)
STATUSES = (
    *(b"200 OK",) * 6,
    b"301 Moved",
    b"304 Not Modified",
    b"404 x",
    b"429 x",
    b"503 x",
    b"500 x",
    b"206 x",
    b"999",
)
HEADERS = (
    *((b"Retry-After", value) for value in (b"3", b"Sun, 06 Nov 2094 08:49:37 GMT", b"31 Feb", b"\xb2")),
    *((b"Cache-Control", value) for value in (b"max-age=60", b"max-age=\xb2", b'max-age="', b"=,=,")),
    *((b"Location", value) for value in (b"/2", b"//", b"http://h1.test/\xd0\xbf", b"mailto:x", b"http://[", b"")),
    *((b"ETag", value) for value in (b'"v1"', b'"a\x01b"', b'"\xe9"', b'W/"', b"x" * 2_000)),
    *((b"Last-Modified", value) for value in (b"Sun, 06 Nov 1994 08:49:37 GMT", b"\x7f", b"never")),
    *((b"Link", value) for value in (b'</3>; rel="next"', b"<", b"<>;rel", b"</4>;rel=canonical," * 50)),
    *((b"Content-Encoding", value) for value in (b"gzip", b"br", b"identity", b"gzip, gzip, gzip")),
    *((b"Content-Length", value) for value in (b"0", b"-5", b"1", b"99999999999999999999")),
    *((b"X-Robots-Tag", value) for value in (b"noindex, nofollow", b"hondius: none", b":::")),
    *((b"Date", value) for value in (b"Sun, 06 Nov 1994 08:49:37 GMT", b"\xb2")),
    (b"Transfer-Encoding", b"chunked"),
)
TYPES = (
    b"text/html",
    b"text/plain",
    b"application/xml",
    b"application/gzip",
    b"text/html; charset=utf-16",
    b"image/png",
    b"\xb2/x",
)
LINKS = b"".join(b"<a href=/%d>%d</a>" % (number, number) for number in range(8))
LISTED = b"".join(b"<url><loc>http://h%d.test/%d</loc></url>" % (number % 4, number) for number in range(8))
URLSET = b"<?xml version='1.0'?><urlset>" + LISTED + b"</urlset>"
BODIES = (
    b"<html><title>t</title><body>words " + LINKS,
    b"<!---->" * 200 + b"<html>" + LINKS,
    b"<" + b"a href=x " * 500 + b">",
    b"<meta charset=x><base href='//'><meta http-equiv=refresh content='0;url=/5'>" + LINKS,
    URLSET,
    gzip.compress(URLSET),
    b"<sitemapindex><sitemap><loc>http://h0.test/map.xml</loc></sitemap></sitemapindex>",
    b"<rss><channel><item><link>http://h1.test/1</link></item></channel></rss>",
    b"<feed><entry><link href='/6'/></entry></feed>",
    b"http://h2.test/1\nhttp://h3.test/2\n",
    b"User-agent: *\nDisallow: /7\nCrawl-delay: \xb2\nSitemap: http://h0.test/map.xml\nSitemap: /x\n",
    b"User-agent: hondius\nDisallow: " + b"*a" * 200 + b"$\nCrawl-delay: 1e400\n",
    b"",
)


def hostile_answer(chance: Random) -> tuple[bytes, bytes]:
    """A head and a body."""
    headers = chance.sample(HEADERS, chance.randrange(6))
    if chance.random() < 0.9:
        headers.append((b"Content-Type", chance.choice(TYPES)))
    lines = [b"HTTP/1.1 " + chance.choice(STATUSES), *(name + b": " + value for name, value in headers)]
    head, body = b"\r\n".join([*lines, b"", b""]), chance.choice(BODIES)
    if chance.random() < 0.3:
        head = damage(head, chance)
    if chance.random() < 0.5:
        body = damage(body, chance)
    return head or b"\n", body


def damage(data: bytes, chance: Random) -> bytes:
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(data) + 1)
        end = place + chance.randrange(1 + min(40, len(data) - place))
        match chance.randrange(4):
            case 0:
                data = data[:place] + data[end:]
            case 1:
                data = data[:place] + chance.choice(ODD) + data[place:]
            case 2:
                data = data[:end] + data[place:end] * chance.randrange(1, 50) + data[end:]
            case _:
                data = data[:place] + bytes(chance.randrange(256) for _ in range(end - place)) + data[end:]
    return data
