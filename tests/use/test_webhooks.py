"""Webhooks: every change, in order, signed, at least once; only to addresses that are allowed (R6, N2)."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hondius.errors import BadSetting, HondiusError
from hondius.opening import open_crawl, place_of
from hondius.settings import Settings, make_settings
from hondius.use.changes import list_changes
from hondius.use.changes.webhooks import SECRET, Delivery, Receiver, ReceiverAway, open_receivers
from hondius.use.changes.webhooks.delivery import LONGEST_PAUSE
from tests.use import webhook_server
from tests.use.webhook_server import WebhookServer, serve_webhooks

ENVIRONMENT = {SECRET: webhook_server.SECRET}
HOUR = 3_600.0


def settings_of(url: str, allow_private: tuple[str, ...] = ("127.0.0.1",)) -> Settings:
    return make_settings({"webhooks": {"urls": [url]}, "fetch": {"allow_private": list(allow_private)}})


def receiver_of(url: str, allow_private: tuple[str, ...] = ("127.0.0.1",)) -> Receiver:
    (receiver,) = open_receivers(settings_of(url, allow_private), ENVIRONMENT)
    return receiver


@pytest.fixture
def server() -> Iterator[WebhookServer]:
    with serve_webhooks() as server:
        yield server


def list_ids(directory: Path) -> list[str]:
    with open_crawl(directory) as crawl:
        return [change.id for change in list_changes(crawl)]


def test_r6_every_change_arrives_in_order_signed_and_once(crawl: Path, server: WebhookServer) -> None:
    expected = list_ids(crawl)
    assert len(expected) > 1
    assert Delivery(place_of(crawl), receiver_of(server.url)).run() == len(expected)
    assert [change["id"] for change in server.changes] == expected
    assert {change["kind"] for change in server.changes} == {"new"}
    assert (server.forged, server.connections) == (0, 1)
    assert Delivery(place_of(crawl), receiver_of(server.url)).run() == 0, "the position was saved"


def test_r6_a_receiver_that_is_down_for_an_hour_gets_every_change_once_it_is_back(
    crawl: Path, server: WebhookServer
) -> None:
    """In virtual time."""
    now = 1e9
    statuses = [500, 0, 404, 302, 503]

    def wait(seconds: float) -> None:
        nonlocal now
        now += seconds

    server.answer = lambda: 204 if now >= 1e9 + HOUR else statuses[server.refused % len(statuses)]
    sent = Delivery(place_of(crawl), receiver_of(server.url), wait=wait, now=lambda: now).run()
    assert [change["id"] for change in server.changes] == list_ids(crawl)
    assert sent == len(server.changes)
    assert HOUR <= now - 1e9 <= HOUR + LONGEST_PAUSE
    assert server.forged == 0
    assert server.refused > HOUR / LONGEST_PAUSE


def test_r6_a_delivery_that_breaks_off_continues_and_loses_none(crawl: Path, server: WebhookServer) -> None:
    expected, taken = list_ids(crawl), iter([204, 204])

    def fail(seconds: float) -> None:
        raise RuntimeError("as if the process ended here")

    server.answer = lambda: next(taken, 500)
    with pytest.raises(RuntimeError):
        Delivery(place_of(crawl), receiver_of(server.url), wait=fail).run()
    server.answer = lambda: 200
    Delivery(place_of(crawl), receiver_of(server.url)).run()
    assert [change["id"] for change in server.changes] == expected


def test_r6_without_success_it_gives_up_after_its_patience_and_says_how_to_continue(
    crawl: Path, server: WebhookServer
) -> None:
    server.answer = lambda: 500
    with pytest.raises(HondiusError, match=r"status 500.*nothing is lost.*--send") as caught:
        Delivery(place_of(crawl), receiver_of(server.url), patience=0.0, wait=lambda seconds: None).run()
    assert "token" not in str(caught.value)


def test_r6_a_delivery_that_is_stopped_ends_within_its_pause(crawl: Path, server: WebhookServer) -> None:
    server.answer = lambda: 500
    stopped = threading.Event()
    delivery = Delivery(place_of(crawl), receiver_of(server.url), stopped)
    thread = threading.Thread(target=delivery.run)
    thread.start()
    while not server.refused:
        time.sleep(0.01)
    stopped.set()
    thread.join(10)
    assert not thread.is_alive()
    assert delivery.sent == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
def test_n2_a_private_address_is_not_connected_to(server: WebhookServer, host: str) -> None:
    receiver = receiver_of(server.url.replace("127.0.0.1", host), ())
    with pytest.raises(ReceiverAway, match="private"):
        receiver.send("id", 1, b"{}")
    assert server.connections == 0


def test_n2_redirects_are_not_followed(server: WebhookServer) -> None:
    server.answer = lambda: 307
    with pytest.raises(ReceiverAway, match="307"):
        receiver_of(server.url).send("id", 1, b'{"id": "id"}')
    assert server.connections == 1


def test_r6_an_idle_connection_that_was_closed_is_opened_again(server: WebhookServer) -> None:
    statuses = iter([204, 0, 204])
    server.answer = lambda: next(statuses)
    receiver = receiver_of(server.url)
    for number in range(2):
        receiver.send(str(number), 1, f'{{"id": "{number}"}}'.encode())
    receiver.close()
    assert [change["id"] for change in server.changes] == ["0", "1"]


def test_r6_a_receiver_that_answers_a_byte_at_a_time_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port, over = listener.getsockname()[1], threading.Event()

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                for byte in b"HTTP/1.1 204 No Content\r\n" + b"X: 1\r\n" * 1_000:
                    try:
                        connection.send(bytes([byte]))
                    except OSError:
                        return
                    if over.wait(0.05):
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        receiver = receiver_of(f"http://127.0.0.1:{port}/")
        receiver._timeout = 0.5
        began = time.monotonic()
        with pytest.raises(ReceiverAway):
            receiver.send("id", 1, b"{}")
        assert time.monotonic() - began < 5
        over.set()
        thread.join()


@pytest.mark.parametrize(
    ("url", "secret", "said"),
    [
        ("ftp://a.test/", webhook_server.SECRET, "no URL"),
        ("http:///x", webhook_server.SECRET, "no URL"),
        ("http://a.test/\nx", webhook_server.SECRET, "no URL"),
        ("http://u:p@a.test/", webhook_server.SECRET, "password"),
        ("http://a.test/#x", webhook_server.SECRET, "no URL"),
        ("http://a.test/", "", "not in the environment"),
        ("http://a.test/", "c2hvcnQ=", "no base64 of"),
        ("http://a.test/", "not base64!", "no base64 of"),
    ],
)
def test_r6_what_cannot_be_a_webhook_is_refused_in_one_line(url: str, secret: str, said: str) -> None:
    with pytest.raises(BadSetting, match=said) as caught:
        open_receivers(settings_of(url), {SECRET: secret})
    assert "\n" not in str(caught.value)
    assert not secret or secret not in str(caught.value)


def test_r6_without_webhooks_no_secret_is_needed() -> None:
    assert open_receivers(Settings(), {}) == []
