"""A Chromium that looks at a replay: pictures of pages, and everything that it sends to anybody."""

import base64
import contextlib
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.acceptance.chromium import COMMON, Chromium, start_chromium

WIDTH, HEIGHT = 1280, 800
SETTLED = 0.3
"""Seconds after the load of a page until its picture is taken: fonts are laid out then."""
COMPARE = """
(async ([one, other]) => {
  const read = async (data) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await read(one), await read(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differ = 0;
  for (let at = 0; at < a.data.length; at += 4)
    if (a.data[at] !== b.data[at] || a.data[at + 1] !== b.data[at + 1] || a.data[at + 2] !== b.data[at + 2]) differ++;
  return differ / (a.width * a.height);
})(%s)
"""


@dataclass
class Browser:
    tab: Chromium
    network_log: Path
    requested: set[str] = field(default_factory=set)

    def shoot(self, url: str) -> bytes:
        """The picture of a page of the web."""
        self._resize(HEIGHT)
        self._load(url)
        return self._capture(0)

    def shoot_replayed(self, url: str) -> bytes:
        """The picture of an archived page, without the banner above it."""
        self._resize(HEIGHT)
        self._load(url)
        top = int(self.evaluate("document.querySelector('iframe').getBoundingClientRect().top"))
        self._resize(HEIGHT + top)
        self.tab.wait(SETTLED)
        return self._capture(top)

    def open(self, url: str, seconds: float) -> None:
        """Opens a page, and lets it do what it wants."""
        self._load(url)
        self.tab.wait(seconds)
        self._collect()

    def prefer(self, scheme: str) -> None:
        self.tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def set_scripts(self, *, are_on: bool) -> None:
        self.tab.call("Emulation.setScriptExecutionDisabled", value=not are_on)

    def evaluate(self, expression: str) -> Any:
        answer = self.tab.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def compare(self, one: bytes, other: bytes) -> float:
        """The share of pixels that differ."""
        self.tab.load("about:blank")
        return float(self.evaluate(COMPARE % json.dumps([base64.b64encode(data).decode() for data in (one, other)])))

    def list_console(self) -> list[str]:
        """What pages have written to the console, also in frames."""
        said = [message for message in self.tab.messages if message["method"] == "Runtime.consoleAPICalled"]
        return [str(argument.get("value", "")) for message in said for argument in message["params"]["args"]]

    def list_looked_up(self) -> set[str]:
        """Hosts of the test that Chromium looked up, by its own network log. (It also looks up hosts of its maker.)"""
        text = self.network_log.read_text(errors="replace")
        return {host for host in re.findall(r'"host":"([^"]+)"', text) if ".test" in host}

    def _load(self, url: str) -> None:
        self.tab.load(url)
        self.tab.wait(SETTLED)
        self._collect()

    def _collect(self) -> None:
        for message in self.tab.messages:
            if message["method"] == "Network.requestWillBeSent":
                self.requested.add(message["params"]["request"]["url"])

    def _resize(self, height: int) -> None:
        self.tab.call(
            "Emulation.setDeviceMetricsOverride", width=WIDTH, height=height, deviceScaleFactor=1, mobile=False
        )

    def _capture(self, top: int) -> bytes:
        clip = {"x": 0, "y": top, "width": WIDTH, "height": HEIGHT, "scale": 1}
        return base64.b64decode(self.tab.call("Page.captureScreenshot", format="png", clip=clip)["data"])


@contextlib.contextmanager
def open_browser(*, names: str = "127.0.0.66") -> Iterator[Browser]:
    """`names`: the address of every name under .test. Other names lead nowhere."""
    with tempfile.TemporaryDirectory(prefix="hondius-replay-", ignore_cleanup_errors=True) as scratch:
        log = Path(scratch) / "network.json"
        arguments = (
            *COMMON,
            f"--host-resolver-rules=MAP *.test {names}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
            f"--log-net-log={log}",
            "--hide-scrollbars",
            "--font-render-hinting=none",
            "--remote-debugging-pipe",
            "about:blank",
        )
        with start_chromium(arguments) as tab:
            tab.watched = ("Network.enable", "Runtime.enable")
            for name in tab.watched:
                tab.call(name)
            tab.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
            yield Browser(tab, log)
