"""One Chromium without a network beyond loopback, driven by the DevTools protocol over a pipe; as a rule without
scripts."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

PATIENCE = 60.0
COMMON = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--mute-audio",
)
ARGUMENTS = (
    *COMMON,
    "--blink-settings=scriptEnabled=false",
    # Names resolve to nothing, and addresses beyond loopback lead to a proxy that is not there.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--proxy-server=127.0.0.1:1",
    "--remote-debugging-pipe",
    "about:blank",
)


class NoBrowser(Exception):
    """There is no Chromium here; says what to do."""


def executable() -> str:
    """Debian's, which `make accept` installs."""
    if (found := shutil.which("chromium")) is None:
        raise NoBrowser("Chromium is needed: on Debian, apt-get install chromium")
    return found


class Chromium:
    """A tab. Messages are JSON, each ended by a zero byte."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._number = 0
        self._received = b""
        self._events: list[str] = []
        self.messages: list[dict[str, Any]] = []
        """What Chromium said without being asked, in order."""
        self.watched: tuple[str, ...] = ()
        """What is called first in each frame that has a process of its own."""
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def document(self, url: str) -> dict[str, Any]:
        """The tree of the page at `url` once it is parsed. Frames within it are not entered."""
        self._navigate(url, "Page.domContentEventFired")
        root: dict[str, Any] = self.call("DOM.getDocument", depth=-1)["root"]
        return root

    def load(self, url: str) -> None:
        """Returns when the page and everything in it is loaded."""
        self._navigate(url, "Page.loadEventFired")

    def wait(self, seconds: float) -> None:
        """Lets the page do what it wants."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError):
            while True:
                self._receive(deadline)

    def _navigate(self, url: str, until: str) -> None:
        self._events.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + PATIENCE
        while until not in self._events:
            self._receive(deadline)

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        return self.call_in(self._session, method, **parameters)

    def call_in(self, session: str | None, method: str, **parameters: object) -> dict[str, Any]:
        """In the session of another target, such as a frame with a process of its own."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        _write(self._commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        answer = self._receive(deadline)
        while answer.get("id") != self._number:
            answer = self._receive(deadline)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _receive(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            piece = os.read(self._answers, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError("Chromium does not answer")
            self._received += piece
        text, _, self._received = self._received.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._events.append(message.get("method", ""))
        if "method" in message:
            self.messages.append(message)
        if message.get("method") == "Target.attachedToTarget":
            self._watch(message["params"]["sessionId"])
        return message

    def _watch(self, session: str) -> None:
        """Frames wait for this before they load anything. Nobody waits for the answers."""
        for method in (*self.watched, "Runtime.runIfWaitingForDebugger") if self.watched else ():
            self._number += 1
            message = {"id": self._number, "method": method, "params": {}, "sessionId": session}
            _write(self._commands, json.dumps(message).encode() + b"\0")


@contextlib.contextmanager
def start_chromium(arguments: Sequence[str] = ARGUMENTS) -> Iterator[Chromium]:
    """Chromium reads file descriptor 3 and writes to 4; the shell puts the pipes there. Of the shells, `bash` knows
    descriptors above 9."""
    command = executable()
    theirs, commands = os.pipe()
    answers, ours = os.pipe()
    with tempfile.TemporaryDirectory(prefix="hondius-chromium-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                "bash",
                "-c",
                f'exec "$@" 3<&{theirs} 4>&{ours}',
                "bash",
                command,
                f"--user-data-dir={profile}",
                *arguments,
            ],
            pass_fds=(theirs, ours),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs)
        os.close(ours)
        try:
            yield Chromium(commands, answers)
        finally:
            os.close(commands)
            os.close(answers)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=PATIENCE)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
