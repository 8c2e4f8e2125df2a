"""Requests to the operator's own server. The guard of N2 is for servers of strangers, and does not apply."""

import base64
import http.client
import os
import re
import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from hondius.errors import BadSetting, HondiusError
from hondius.settings.search import SearchSettings

USER, PASSWORD = "HONDIUS_OPENSEARCH_USER", "HONDIUS_OPENSEARCH_PASSWORD"
CA_FILE = "HONDIUS_OPENSEARCH_CA_FILE"
TIMEOUT = 60.0
MOST_ANSWER = 64 * 1024 * 1024
_INDEX = re.compile(r"[a-z0-9][a-z0-9_.-]{0,199}")


class ServerAway(Exception):
    """The server cannot be reached, or broke off. The message has no credentials."""


class Server:
    """One server and one index. Its credentials are only in the header of its requests, never in a message."""

    def __init__(
        self, base: SplitResult, index: str, headers: Mapping[str, str], context: ssl.SSLContext | None
    ) -> None:
        self._base = base
        self._index = index
        self._headers = headers
        self._context = context

    @property
    def name(self) -> str:
        return f"{self._base.scheme}://{self._base.netloc}/{self._index}"

    def post_bulk(self, lines: bytes) -> tuple[int, bytes]:
        """Status and body of the answer. Raises ServerAway."""
        headers = {"Content-Type": "application/x-ndjson", **self._headers}
        connection = self._connect()
        try:
            connection.request("POST", f"{self._base.path.rstrip('/')}/{self._index}/_bulk", lines, headers)
            answer = connection.getresponse()
            body = answer.read(MOST_ANSWER + 1)
            if len(body) > MOST_ANSWER:
                raise ServerAway(f"its answer has more than {MOST_ANSWER:,} bytes")
            return answer.status, body
        except (OSError, http.client.HTTPException) as error:
            raise ServerAway(f"{type(error).__name__}: {error}") from None
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._base.hostname or "", self._base.port
        if self._context is None:
            return http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        return http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=self._context)


def open_server(settings: SearchSettings, environment: Mapping[str, str] = os.environ) -> Server:
    """Checks the settings; sends nothing. Raises BadSetting."""
    base = _parse_address(settings.opensearch)
    if not _INDEX.fullmatch(settings.opensearch_index):
        raise BadSetting(
            f"search.opensearch_index {settings.opensearch_index!r} is no name of an index: use up to 200 lower-case "
            "letters, digits, `-`, `_` and `.`, and begin with a letter or a digit"
        )
    user, password = environment.get(USER, ""), environment.get(PASSWORD, "")
    if bool(user) != bool(password):
        given, missing = (USER, PASSWORD) if user else (PASSWORD, USER)
        raise BadSetting(f"{given} is set, but {missing} is not: set both, or neither")
    headers = {}
    if user:
        headers["Authorization"] = f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"
    return Server(base, settings.opensearch_index, headers, _make_context(base, environment.get(CA_FILE)))


def _parse_address(text: str) -> SplitResult:
    try:
        base = urlsplit(text)
        is_valid = base.scheme in ("http", "https") and bool(base.hostname) and (base.port or 1) > 0
    except ValueError:
        is_valid = False
    if not is_valid or base.query or base.fragment:
        raise BadSetting("search.opensearch is no URL of a server: write it like http://127.0.0.1:9200")
    if "@" in base.netloc:
        raise BadSetting(f"search.opensearch has a password in it: put it into {USER} and {PASSWORD} instead")
    return base


def _make_context(base: SplitResult, ca_file: str | None) -> ssl.SSLContext | None:
    if base.scheme == "http":
        return None
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise HondiusError(f"{CA_FILE} {ca_file} cannot be read: {error.strerror}") from None
