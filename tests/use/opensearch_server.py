"""A small HTTP server on loopback that does what `_bulk` of OpenSearch does: documents by id, deletions, and failures,
of a whole request or of single items. It is no OpenSearch: it knows nothing of mappings, and cannot search."""

import base64
import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Fault = Callable[["BulkServer", "Handler"], bool]
"""Answers a request in its own way, and returns True; or returns False."""


@dataclass
class BulkServer:
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[tuple[str, int]] = field(default_factory=list)
    """(path, lines) of each request."""
    faults: "deque[Fault]" = field(default_factory=deque)
    """For the next requests, one each."""
    busy_ids: set[str] = field(default_factory=set)
    """Documents whose next action is answered with 429; then no more."""
    is_refused: Callable[[dict[str, Any]], bool] = lambda document: False
    """Whether a document does not fit the mapping."""
    user: str = ""
    """`name:password` that it wants."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def act(self, lines: list[bytes]) -> dict[str, Any]:
        waiting, items = deque(lines), []
        while waiting:
            ((action, target),) = json.loads(waiting.popleft()).items()
            document = json.loads(waiting.popleft()) if action == "index" else None
            items.append({action: self._act_on(target["_id"], document)})
        failed = any(item["status"] >= 400 for entry in items for item in entry.values())
        return {"took": 1, "errors": failed, "items": items}

    def _act_on(self, name: str, document: dict[str, Any] | None) -> dict[str, Any]:
        if name in self.busy_ids:
            self.busy_ids.discard(name)
            return _fail(name, 429, "rejected_execution_exception", "the queue is full")
        if document is None:
            return {"_id": name, "status": 200 if self.documents.pop(name, None) else 404}
        if self.is_refused(document):
            return _fail(name, 400, "mapper_parsing_exception", "failed to parse")
        is_new = name not in self.documents
        self.documents[name] = document
        return {"_id": name, "status": 201 if is_new else 200}


def _fail(name: str, status: int, kind: str, reason: str) -> dict[str, Any]:
    return {"_id": name, "status": status, "error": {"type": kind, "reason": reason}}


def answer_with(status: int, body: bytes = b"{}") -> Fault:
    def answer(server: BulkServer, handler: "Handler") -> bool:
        handler.send(status, body)
        return True

    return answer


def hang_up(server: BulkServer, handler: "Handler") -> bool:
    handler.close_connection = True
    return True


def act_and_hang_up(server: BulkServer, handler: "Handler") -> bool:
    """The answer gets lost, but everything was done."""
    server.act(handler.lines)
    return hang_up(server, handler)


class Handler(BaseHTTPRequestHandler):
    state: BulkServer
    lines: list[bytes]

    def do_POST(self) -> None:
        state = self.state
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.lines = body.splitlines()
        state.requests.append((self.path, len(self.lines)))
        if state.faults and state.faults.popleft()(state, self):
            return
        wanted = f"Basic {base64.b64encode(state.user.encode()).decode()}" if state.user else None
        if self.headers.get("Authorization") != wanted:
            self.send(401, b'{"error": "security_exception"}')
        elif not body.endswith(b"\n") or self.headers["Content-Type"] != "application/x-ndjson":
            self.send(400, b'{"error": "illegal_argument_exception"}')
        else:
            self.send(200, json.dumps(state.act(self.lines)).encode())

    def send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Says nothing."""


@contextmanager
def serve_bulk() -> Iterator[BulkServer]:
    state = BulkServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"state": state})) as server:
        state.port = server.server_port
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
