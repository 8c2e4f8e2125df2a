"""pywb serves what was archived, and it is what the server sent, octet for octet (S3)."""

import contextlib
import http.client
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from tests.acceptance.synthetic_web import SyntheticWeb

JUDGES = Path(sys.prefix) / "judges" / "bin"
COLLECTION = "hondius"
PATIENCE = 30.0
HEADERS = {"Accept-Encoding": "gzip"}


@contextlib.contextmanager
def wayback(scratch: Path, archives: Sequence[Path]) -> Iterator[int]:
    """The port on which pywb serves WARC or WACZ files, indexed by itself."""
    unpack = ["--unpack-wacz"] if all(path.suffix == ".wacz" for path in archives) else []
    with (scratch / "pywb.log").open("wb") as log:
        for command in (["init", COLLECTION], ["add", *unpack, COLLECTION, *map(str, archives)]):
            subprocess.run([JUDGES / "wb-manager", *command], cwd=scratch, stdout=log, stderr=log, check=True)
        port = _free_port()
        command = [str(JUDGES / "wayback"), "--bind", "127.0.0.1", "--port", str(port)]
        process = subprocess.Popen(command, cwd=scratch, stdout=log, stderr=log)
        try:
            _wait_until_it_listens(port, process, scratch / "pywb.log")
            yield port
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def replay_page(port: int, url: str, fetched_at: str) -> bytes:
    """`fetched_at`: fourteen digits. `id_` asks for the body as it was archived."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    return _body(connection, f"/{COLLECTION}/{fetched_at}id_/{url}", HEADERS)


def read_served(web: SyntheticWeb, url: str) -> bytes:
    """What the synthetic web answers for a URL, fetched without Hondius."""
    parts = urlsplit(url)
    address, _, port = _overrides(web)[parts.netloc].rpartition(":")
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        connection = _NamedHttps(parts.netloc, address, int(port), web.ca_file)
    else:
        connection = http.client.HTTPConnection(address, int(port), timeout=PATIENCE)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    return _body(connection, target, {**HEADERS, "Host": parts.netloc})


class _NamedHttps(http.client.HTTPSConnection):
    """Connects to an address, and checks the certificate of a name."""

    def __init__(self, name: str, address: str, port: int, ca_file: str) -> None:
        super().__init__(name, port, timeout=PATIENCE)
        self._address = address
        self._trusted = ssl.create_default_context(cafile=ca_file)

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), timeout=PATIENCE)
        self.sock = self._trusted.wrap_socket(plain, server_hostname=self.host)


def _body(connection: http.client.HTTPConnection, target: str, headers: dict[str, str]) -> bytes:
    with contextlib.closing(connection):
        connection.request("GET", target, headers=headers)
        return connection.getresponse().read()


def _overrides(web: SyntheticWeb) -> dict[str, str]:
    lines = Path(web.resolve.removeprefix("@")).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_until_it_listens(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise SystemExit(f"pywb does not answer: {log.read_text()[-1000:]}")
