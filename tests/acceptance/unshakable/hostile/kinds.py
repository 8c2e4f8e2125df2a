"""The ways in which a server can be hostile, one function each.

A kind answers one request: it gets the path and the connection's writer, and may take as long as it likes. The server
closes the connection afterwards.
"""

import asyncio
import gzip
import zlib
from asyncio import StreamWriter
from collections.abc import Awaitable, Callable
from functools import cache
from itertools import count

import brotli  # type: ignore[import-untyped]

Kind = Callable[[str, StreamWriter], Awaitable[None]]
LONGEST = 120.0
"""Seconds after which even an endless answer ends, so that the server stops by itself."""
BOMB = 1 << 30
ZSTD_BLOCK = 128 * 1024


async def endless_head(path: str, writer: StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(1_000_000):
        writer.write(f"X-{number}: {'x' * 1_000}\r\n".encode())
        await writer.drain()


async def endless_body(path: str, writer: StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + b"<p>more " * 8_192 + b"\r\n"
    for _ in range(100_000):
        writer.write(piece)
        await writer.drain()


async def dripping_head(path: str, writer: StreamWriter) -> None:
    await _drip(writer, b"HTTP/1.1 200 OK\r\nX-Slow: ")


async def dripping_body(path: str, writer: StreamWriter) -> None:
    await _drip(writer, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3600\r\n\r\n")


async def gzip_bomb(path: str, writer: StreamWriter) -> None:
    await _send_coded(writer, "gzip", _bomb("gzip"))


async def deflate_bomb(path: str, writer: StreamWriter) -> None:
    await _send_coded(writer, "deflate", _bomb("deflate"))


async def brotli_bomb(path: str, writer: StreamWriter) -> None:
    await _send_coded(writer, "br", _bomb("br"))


async def zstd_bomb(path: str, writer: StreamWriter) -> None:
    await _send_coded(writer, "zstd", _bomb("zstd"))


async def stacked_bomb(path: str, writer: StreamWriter) -> None:
    await _send_coded(writer, "gzip, gzip", gzip.compress(_bomb("gzip")))


async def large_sitemap(path: str, writer: StreamWriter) -> None:
    """50 MB of locations, most of them beyond the cap of 50,000."""
    if path != "/sitemap.xml":
        return await _page(writer, b'<a href="/sitemap.xml">map</a>')
    piece = b"".join(b"<url><loc>/refused.zip?n=%d</loc></url>" % number for number in range(20_000))
    start, pieces = b"<urlset>", 50_000_000 // len(piece)
    length = len(start) + pieces * len(piece)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n" % length + start)
    for _ in range(pieces):
        writer.write(piece)
        await writer.drain()
    return None


async def comment_flood(path: str, writer: StreamWriter) -> None:
    """Sent for every path, so also as /sitemap.xml: empty comments were what stopped the event loop."""
    await _page(writer, b"<!---->" * 100_000 + b"<!--" * 100_000)


async def attribute_flood(path: str, writer: StreamWriter) -> None:
    attributes = b"".join(b" a%d=%d" % (number, number) for number in range(200_000))
    await _page(writer, b"<div" + attributes + b">" + b"<a href=x" * 10_000)


async def odd_retry_after(path: str, writer: StreamWriter) -> None:
    values = (b"\xb2", b"-1", b"9" * 400, b"Mon, 99 Foo 9999 99:99:99 GMT", b"\xff\xfe", b"1e400")
    await _answer(writer, b"503 Later", b"Retry-After: " + values[len(path) % len(values)] + b"\r\n")


async def odd_max_age(path: str, writer: StreamWriter) -> None:
    values = (b"max-age=\xb2", b"max-age=-5", b"max-age=" + b"9" * 400, b"max-age", b"\x80=\x80, max-age=\xb3")
    await _answer(writer, b"200 OK", b"Cache-Control: " + values[len(path) % len(values)] + b"\r\n")


async def odd_etag(path: str, writer: StreamWriter) -> None:
    values = (b'"\x01\x02"', b'"\xe4\xf6"', b'"' + b"x" * 30_000, b"\t\t", b'W/"\x7f"')
    await _answer(writer, b"200 OK", b"ETag: " + values[len(path) % len(values)] + b"\r\n")


async def odd_link(path: str, writer: StreamWriter) -> None:
    values = (b"<" * 10_000, b"</a>;rel=" + b'"' * 9_999, b"\xff\xff", b"<http://[>; rel=next", b"<>;" * 5_000)
    await _answer(writer, b"200 OK", b"Link: " + values[len(path) % len(values)] + b"\r\n")


async def redirect_web(path: str, writer: StreamWriter) -> None:
    """Every page links to a new one."""
    await _answer(writer, b"302 Found", f"Location: /r{path[-40:].replace('/', '')}{len(path)}x\r\n".encode())


async def redirect_loop(path: str, writer: StreamWriter) -> None:
    await _answer(writer, b"301 Moved", b"Location: /b\r\n" if path == "/a" else b"Location: /a\r\n")


async def robots_error(path: str, writer: StreamWriter) -> None:
    await _answer(writer, b"500 Broken" if path == "/robots.txt" else b"200 OK", b"")


async def robots_later(path: str, writer: StreamWriter) -> None:
    await _answer(writer, b"429 Later" if path == "/robots.txt" else b"200 OK", b"Retry-After: 86400\r\n")


async def robots_silent(path: str, writer: StreamWriter) -> None:
    if path == "/robots.txt":
        await asyncio.sleep(LONGEST)


async def robots_endless(path: str, writer: StreamWriter) -> None:
    if path != "/robots.txt":
        return await _page(writer, b"reached")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    for number in range(2_000_000):
        writer.write(b"Disallow: /*%d*$\n" % number * 1_000)
        await writer.drain()
    return None


async def robots_redirects(path: str, writer: StreamWriter) -> None:
    await _answer(writer, b"302 Found", b"Location: /robots.txt\r\n")


async def reset_at_once(path: str, writer: StreamWriter) -> None:
    writer.transport.abort()


async def reset_in_the_head(path: str, writer: StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-")
    await writer.drain()
    writer.transport.abort()


async def reset_in_the_body(path: str, writer: StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n<p>and then")
    await writer.drain()
    writer.transport.abort()


async def wrong_length(path: str, writer: StreamWriter) -> None:
    values = (b"-1", b"1" * 30, b"12, 13", b"0x10", b"\xb2")
    await _answer(writer, b"200 OK", b"Content-Length: " + values[len(path) % len(values)] + b"\r\n", length=False)


async def broken_chunks(path: str, writer: StreamWriter) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\n"
    )
    await writer.drain()


async def bad_tls(path: str, writer: StreamWriter) -> None:
    """Requested by https: the answer is not a TLS handshake."""
    writer.write(b"\x15\x03\x03\x00\x02\x02\x28" + bytes(range(256)) * 64)
    await writer.drain()


KINDS: tuple[Kind, ...] = (
    *(endless_head, endless_body, dripping_head, dripping_body),
    *(gzip_bomb, deflate_bomb, brotli_bomb, zstd_bomb, stacked_bomb),
    *(large_sitemap, comment_flood, attribute_flood),
    *(odd_retry_after, odd_max_age, odd_etag, odd_link),
    *(redirect_web, redirect_loop),
    *(robots_error, robots_later, robots_silent, robots_endless, robots_redirects),
    *(reset_at_once, reset_in_the_head, reset_in_the_body),
    *(wrong_length, broken_chunks, bad_tls),
)


async def _drip(writer: StreamWriter, start: bytes) -> None:
    writer.write(start)
    for _ in range(int(LONGEST)):
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(1.0)


async def _page(writer: StreamWriter, body: bytes) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()


async def _answer(writer: StreamWriter, status: bytes, header: bytes, *, length: bool = True) -> None:
    """A small page that links to a few others."""
    body = b"".join(b'<a href="/p%d">p</a>' % number for number in range(5))
    head = b"HTTP/1.1 " + status + b"\r\nContent-Type: text/html\r\n" + header
    writer.write(head + (b"Content-Length: %d\r\n" % len(body) if length else b"") + b"\r\n" + body)
    await writer.drain()


async def _send_coded(writer: StreamWriter, coding: str, body: bytes) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()


@cache
def _bomb(coding: str) -> bytes:
    """A gigabyte of blanks, coded."""
    blanks = b" " * (1 << 20)
    if coding == "zstd":
        return _zstd_bomb()
    if coding == "br":
        brotli_coder = brotli.Compressor(quality=1)
        return b"".join([*(brotli_coder.process(blanks) for _ in range(BOMB >> 20)), brotli_coder.finish()])
    coder = zlib.compressobj(9, wbits=31 if coding == "gzip" else 15)
    return b"".join(coder.compress(blanks) for _ in range(BOMB >> 20)) + coder.flush()


def _zstd_bomb() -> bytes:
    """A frame with a window of 128 KiB, made of blocks that repeat one byte."""
    frame = [b"\x28\xb5\x2f\xfd\x00", bytes([7 << 3])]
    blocks = BOMB // ZSTD_BLOCK
    for number in count(1):
        header = (ZSTD_BLOCK << 3) | (1 << 1) | (number == blocks)
        frame.append(header.to_bytes(3, "little") + b" ")
        if number == blocks:
            return b"".join(frame)
    raise AssertionError
