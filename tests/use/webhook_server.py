"""A receiver of webhooks on loopback. It checks the signature of each request by itself, and may be down."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

SECRET = base64.b64encode(bytes(range(32))).decode()


@dataclass
class WebhookServer:
    answer: Callable[[], int] = lambda: 204
    """The status of the next answer; 0: the connection is closed without one."""
    changes: list[dict[str, Any]] = field(default_factory=list)
    """Those that were confirmed, in the order in which they came."""
    refused: int = 0
    forged: int = 0
    """Requests without a valid signature."""
    connections: int = 0
    port: int = 0
    lock: Lock = field(default_factory=Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?token=secret"

    def take(self, headers: dict[str, str], body: bytes) -> int:
        with self.lock:
            if not _is_signed(headers, body):
                self.forged += 1
            status = self.answer()
            if 200 <= status < 300:
                change = json.loads(body)
                assert change["id"] == headers["webhook-id"]
                self.changes.append(change)
            else:
                self.refused += 1
            return status


def _is_signed(headers: dict[str, str], body: bytes) -> bool:
    message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = hmac.new(bytes(range(32)), message, hashlib.sha256).digest()
    return headers["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"


@contextmanager
def serve_webhooks() -> Iterator[WebhookServer]:
    server = WebhookServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            server.connections += 1
            super().setup()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = server.take({name.lower(): value for name, value in self.headers.items()}, body)
            if not status:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server.port = http.server_port
        thread = Thread(target=http.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
