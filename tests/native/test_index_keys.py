"""S3: the keys of an index are those that pywb computes for the URL it is asked for, octet for octet."""

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from hondius.native import Identity, NativeError, warc_scan

JUDGE = Path(sys.prefix) / "judges" / "bin" / "python"
JUDGED = """
import json, sys
from pywb.utils.canonicalize import canonicalize
print(json.dumps([canonicalize(url) for url in json.load(sys.stdin)]))
"""
IDENTITY = Identity()
ID32, ID24 = "0123456789abcdef0123456789ABCDEF", "lit3py55t21z5v55vlm25S55"
HOSTS = (
    "a.test",
    "A.Test.",
    "www.a.test",
    "www2.a.test:8080",
    "www.com",
    "www.www.a.test",
    "wwwx.a.test",
    "a..test",
    "..a.test..",
    "127.0.0.1:81",
    "[::1]",
    "[2001:DB8::1]:8080",
    "xn--bcher-kva.example",
    "bücher.example",
    "a_b.test",
    "a.test:443",
    "a.test:0",
    "0.1.2.3",
    "1.2.3.4..",
)
PIECES = (
    "/",
    "//",
    "/./",
    "/../",
    "/%2e%2E/",
    "a",
    "B",
    "é",
    "%20",
    " ",
    "%2541",
    "%25",
    "%",
    "%zz",
    "%2f",
    "%3F",
    "%23",
    "%00",
    "%ff",
    "+",
    ";",
    f";jsessionid={ID32}",
    f"(S({ID24}))",
    f"(X({ID24})S({ID24}))",
    f"/({ID24})/",
    "/x.aspx",
    ".ASPX",
    "?",
    "&",
    "=",
    "b=2",
    "a",
    "a=",
    "A=1",
    f"sid={ID32}",
    f"xsid={ID32}",
    f"jsessionid={ID32}",
    f"PHPSESSID={ID32}",
    f"sid={ID32}&",
    "ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX",
    "CFID=1&CFTOKEN=2",
    "cftoken=2&cfid=1",
    "[",
    "|",
    "^",
    "`",
    "{}",
    '"<>',
    "\\",
    "'",
    "~",
    "@",
    ":",
)


def hrefs(count: int) -> list[str]:
    chance = random.Random(1604)
    found: list[str] = []
    while len(found) < count:
        scheme, host = chance.choice(("http", "https")), chance.choice(HOSTS)
        tail = "".join(chance.choices(PIECES, k=chance.randrange(9)))
        try:
            found.append(IDENTITY.parse(f"{scheme}://{host}/{tail}").href)
        except NativeError:
            continue
    return found


def keys(urls: list[str]) -> list[str]:
    members = []
    for url in urls:
        head = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: " + url.encode() + b"\r\n"
        head += b"WARC-Date: 2026-11-16T00:00:00Z\r\nContent-Type: application/http;msgtype=response\r\n"
        block = b"HTTP/1.1 200 OK\r\n\r\n"
        members.append(gzip.compress(head + b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n", 1))
    entries, _ = warc_scan(b"".join(members), 0, "x.warc.gz")
    return [(entry.cdxj or "").split(" ")[0] for entry in entries]


@pytest.mark.skipif(
    not JUDGE.exists(), reason="pywb, whose keys are compared, is not installed: make .venv/.stamps/judges does it"
)
def test_s3_keys_are_those_of_pywb_on_odd_urls() -> None:
    urls = list(dict.fromkeys(hrefs(20_000)))
    judged = subprocess.run([JUDGE, "-c", JUDGED], input=json.dumps(urls), capture_output=True, text=True, check=True)
    expected = json.loads(judged.stdout)
    ours = keys(urls)
    wrong = [row for row in zip(urls, expected, ours, strict=True) if row[1] != row[2]]
    assert (len(wrong), wrong[:20]) == (0, [])
