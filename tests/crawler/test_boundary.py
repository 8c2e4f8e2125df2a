"""What is a bug of one URL, and what concerns the whole crawl."""

import errno
from asyncio import CancelledError
from pathlib import Path

import pytest

from hondius import __version__
from hondius.crawler.boundary import describe_error
from hondius.errors import BrokenLog, BrokenView, DiskFull, HaltedView, is_internal
from hondius.model import LONGEST_TRACEBACK, parse_internal_version
from hondius.native import Identity, NativeError, PanicException, UrlStore


def native(kind: str) -> NativeError:
    error = NativeError("planted")
    error.kind = kind
    return error


@pytest.mark.parametrize(
    "error",
    [
        ValueError("planted"),
        KeyError("planted"),
        RecursionError(),
        AssertionError(),
        TimeoutError(),
        ConnectionResetError(),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "planted"),
        native("invalid"),
        PanicException("planted"),
    ],
    ids=repr,
)
def test_f7_a_bug_is_its_urls_alone(error: BaseException) -> None:
    assert is_internal(error)


@pytest.mark.parametrize(
    "error",
    [
        native("io"),
        native("corrupt"),
        BrokenLog("planted"),
        BrokenView(Path("urls"), "planted"),
        HaltedView(Path("urls"), "planted"),
        DiskFull("planted"),
        OSError(errno.ENOSPC, "planted"),
        MemoryError(),
        CancelledError(),
        KeyboardInterrupt(),
        SystemExit(),
    ],
    ids=repr,
)
def test_s10_errors_of_stores_disk_and_system_keep_their_own_road(error: BaseException) -> None:
    assert not is_internal(error)


def test_f7_the_detail_names_the_version_and_keeps_the_end_of_a_long_traceback() -> None:
    detail = describe_error(ValueError("x" * 3 * LONGEST_TRACEBACK + " the end"), ("the end",))
    assert parse_internal_version(detail) == __version__
    assert len(detail) < LONGEST_TRACEBACK + 100
    assert detail.rstrip().endswith("[secret]")


def test_f6_x1_the_store_takes_back_what_was_never_written() -> None:
    store, key = UrlStore(":memory:"), Identity().parse("http://a.test/").key
    row = [("http://a.test/", key)]
    for _ in range(3):
        found = store.admit(row, None, depth=0, priority=0.5, discovered_at=1.0, max_depth=None, via="seed")
        assert found.count == 1
        store.forget_pending([found.data], found.refused)
    store.remember_content(b"h" * 32, key)
    store.forget_content(b"h" * 32, key)
    assert store.same_content(b"h" * 32, b"k" * 16) is None
