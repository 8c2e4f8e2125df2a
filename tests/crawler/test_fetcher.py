"""A batch of requests to the engine: what one of them does to it is its own affair."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from hondius.crawler.fetch import Fetcher, Submission, conditions
from hondius.native import Fetched, Identity, Reader, Rehearsal, Resolved

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class PickyEngine:
    """Refuses a batch in which somebody asks for /bad."""

    def __init__(self, notify: Callable[[], object]) -> None:
        self._notify = notify
        self._rehearsal = Rehearsal(Reader(Identity(), agent_token="Hondius"), user_agent="Hondius")
        self._finished: list[Fetched | Resolved] = []

    def submit(self, requests: Sequence[Submission], within: float | None = None) -> None:
        if any(request[2].endswith("/bad") for request in requests):
            raise ValueError("refused")
        for request in requests:
            self._finished.append(self._rehearsal.play(request, started_at=1.0, ended_at=2.0, head=HEAD, body=b""))
        self._notify()

    def resolve(self, requests: Sequence[tuple[int, str]]) -> None:
        raise AssertionError

    def cancel(self, requests: Sequence[Submission], cause: str) -> None:
        raise AssertionError

    def cancel_look_ups(self, requests: Sequence[tuple[int, str]]) -> None:
        raise AssertionError

    def collect(self) -> list[Fetched | Resolved]:
        finished, self._finished = self._finished, []
        return finished

    def close(self) -> None:
        self._finished.clear()


async def test_a_request_that_is_refused_fails_alone() -> None:
    fetcher = Fetcher(PickyEngine, 60.0)
    asked = [fetcher.fetch(b"k" * 16, f"http://a.test/{path}", "192.0.2.1:0") for path in ("1", "bad", "2")]
    first, refused, second = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(refused, ValueError)
    assert [answer.status for answer in (first, second) if isinstance(answer, Fetched)] == [200, 200]
    await fetcher.close()


@pytest.mark.parametrize(
    ("etag", "sent"),
    [(b'"v1"', b'"v1"'), (b'"\xe9\xff"', b'"\xe9\xff"'), (b"", None)],
)
def test_h4_validators_of_the_catalog_go_back_as_the_bytes_that_came(etag: bytes, sent: bytes | None) -> None:
    past = {"content_hash": b"h", "etag": etag, "last_modified": b""}
    assert conditions(past) == ([("If-None-Match", sent)] if sent else [])
