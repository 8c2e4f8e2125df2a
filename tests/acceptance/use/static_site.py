"""A directory, served by nginx on loopback."""

import contextlib
import http.client
import os
import pwd
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.site.nginx import executable, free_port

PATIENCE = 10.0
ADDRESS = "127.0.0.1"


@contextlib.contextmanager
def serve_directory(directory: Path, *, by_host: bool = False) -> Iterator[str]:
    """Yields the URL of its root, without the final slash. `by_host`: each host has the directory of its name."""
    with tempfile.TemporaryDirectory(prefix="hondius-static-") as name:
        scratch, port = Path(name), free_port()
        configuration = scratch / "nginx.conf"
        configuration.write_text(_configure(directory, scratch, port, "/$host" if by_host else ""))
        command = [executable(), "-p", str(scratch), "-e", str(scratch / "error.log"), "-c", str(configuration)]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait_until_it_answers(process, port, scratch / "error.log")
            yield f"http://{ADDRESS}:{port}"
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def _configure(directory: Path, scratch: Path, port: int, below: str) -> str:
    temporary = "\n".join(
        f"  {kind}_temp_path {scratch}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = f"user {pwd.getpwuid(os.geteuid()).pw_name};" if os.geteuid() == 0 else ""
    return f"""{user}
daemon off;
worker_processes 1;
pid {scratch}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
{temporary}
  include /etc/nginx/mime.types;
  access_log off;
  root {directory.absolute()}{below};
  index index.html;
  absolute_redirect off;
  add_header LinkChecker allowed always;
  server {{ listen {ADDRESS}:{port}; location = /moved.html {{ return 301 /moved-away.html; }} }}
}}
"""


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        connection = http.client.HTTPConnection(ADDRESS, port, timeout=PATIENCE)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            connection.request("GET", "/")
            connection.getresponse()
            return
        time.sleep(0.02)
    raise SystemExit(f"nginx does not answer: {log.read_text().strip()[-500:]}")
