"""One receiver, and the requests to it.

Only public addresses are connected to, and those that the operator allows (N2): the address that is checked is the one
that is connected to. Redirects are not followed, and no proxy of the environment is used.
"""

import hashlib
import http.client
import os
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from hondius.errors import BadSetting
from hondius.native import may_connect
from hondius.settings import Settings
from hondius.use.changes.webhooks.signing import read_secret, sign

TIMEOUT = 30.0
"""Seconds for a request and its answer."""
MOST_ANSWER = 64 * 1024
"""Bytes of an answer that are read, so that its connection can be used again."""


class ReceiverAway(Exception):
    """The receiver has not confirmed a change."""


class Receiver:
    """Used by one thread at a time, but for `abort`."""

    def __init__(
        self, url: str, secret: bytes, allow_private: Sequence[str], context: ssl.SSLContext, timeout: float = TIMEOUT
    ) -> None:
        """Raises BadSetting if the URL is none."""
        self._parts = _parse(url)
        self._secret = secret
        self._allow_private = allow_private
        self._context = context
        self._timeout = timeout
        self._connection: http.client.HTTPConnection | None = None
        self.consumer = f"webhook.{hashlib.sha256(url.encode()).hexdigest()[:16]}"

    @property
    def name(self) -> str:
        """Without the query, which often has a token."""
        return f"{self._parts.scheme}://{self._parts.netloc}{self._parts.path}"

    def send(self, message_id: str, at: int, body: bytes) -> None:
        """Returns when the receiver has confirmed it. Raises ReceiverAway."""
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Hondius",
            **sign(self._secret, message_id, at, body),
        }
        is_fresh = self._connection is None
        try:
            status = self._post(body, headers)
        except (OSError, http.client.HTTPException, ReceiverAway) as error:
            self.close()
            if is_fresh or isinstance(error, (TimeoutError, ReceiverAway)):
                raise _describe(error) from None
            # A server may close an idle connection at any time.
            try:
                status = self._post(body, headers)
            except (OSError, http.client.HTTPException, ReceiverAway) as second:
                self.close()
                raise _describe(second) from None
        if not 200 <= status < 300:
            self.close()
            raise ReceiverAway(f"status {status}")

    def abort(self) -> None:
        """Breaks off a request that is under way. From any thread."""
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _post(self, body: bytes, headers: Mapping[str, str]) -> int:
        """The status of the answer. The time limit holds for all of it: a slow receiver may send a byte at a time."""
        deadline = threading.Timer(self._timeout, self.abort)
        deadline.daemon = True
        deadline.start()
        try:
            if self._connection is None:
                self._connection = self._connect()
            target = (self._parts.path or "/") + (f"?{self._parts.query}" if self._parts.query else "")
            self._connection.request("POST", target, body, dict(headers))
            answer = self._connection.getresponse()
            if len(answer.read(MOST_ANSWER + 1)) > MOST_ANSWER or answer.will_close:
                self.close()
            return answer.status
        finally:
            deadline.cancel()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port or (443 if self._parts.scheme == "https" else 80)
        connection = http.client.HTTPConnection(host, port, timeout=self._timeout)
        plain = self._open_socket(host, port)
        try:
            is_secure = self._parts.scheme == "https"
            connection.sock = self._context.wrap_socket(plain, server_hostname=host) if is_secure else plain
        except BaseException:
            plain.close()
            raise
        return connection

    def _open_socket(self, host: str, port: int) -> socket.socket:
        """Connects to the first address that can be reached and may be."""
        failure: OSError | ReceiverAway = ReceiverAway(f"{host} has no address")
        for *_, sockaddr in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            address = str(sockaddr[0])
            if not may_connect(address.partition("%")[0], self._allow_private):
                failure = ReceiverAway(f"its address {address} is private: fetch.allow_private can allow it")
                continue
            try:
                return socket.create_connection((address, port), timeout=self._timeout)
            except OSError as error:
                failure = error
        raise failure


def open_receivers(settings: Settings, environment: Mapping[str, str] = os.environ) -> list[Receiver]:
    """Sends nothing. Raises BadSetting. Empty if the settings name none."""
    if not settings.webhooks.urls:
        return []
    secret = read_secret(environment)
    try:
        context = ssl.create_default_context(cafile=settings.fetch.ca_file or None)
    except OSError as error:
        raise BadSetting(f"fetch.ca_file {settings.fetch.ca_file} cannot be read: {error.strerror}") from None
    allowed = settings.fetch.allow_private
    return [Receiver(url, secret, allowed, context) for url in dict.fromkeys(settings.webhooks.urls)]


def _parse(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        is_valid = is_valid and url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        is_valid = False
    if not is_valid or parts.fragment:
        raise BadSetting("a webhook is no URL: write it like https://example.com/hook")
    if "@" in parts.netloc:
        raise BadSetting("a webhook has a password in it: requests are signed instead")
    return parts


def _describe(error: Exception) -> ReceiverAway:
    return error if isinstance(error, ReceiverAway) else ReceiverAway(f"{type(error).__name__}: {error}")
