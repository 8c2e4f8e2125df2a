"""nginx in front of the site: one worker, one 127/8 address a host, nothing outside of its scratch directory."""

import argparse
import contextlib
import http.client
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.site.generate import site
from benchmarks.site.plan import HOSTS, host_address, host_name

PATIENCE = 10.0


@dataclass(frozen=True)
class Server:
    """What a crawler needs to know of the site."""

    port: int
    hosts: int
    resolve_file: Path
    seeds_file: Path
    access_log: Path | None


@contextlib.contextmanager
def serving(directory: Path, hosts: int = HOSTS, *, port: int = 0, logged: bool = False) -> Iterator[Server]:
    """Serves the site in `directory` until the block is left."""
    with tempfile.TemporaryDirectory(prefix="hondius-nginx-") as name:
        scratch = Path(name)
        server = _describe(scratch, hosts, port or free_port(), logged)
        configuration = scratch / "nginx.conf"
        configuration.write_text(_configuration(directory, scratch, server))
        command = [executable(), "-p", str(scratch), "-e", str(scratch / "error.log"), "-c", str(configuration)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            _wait_until_it_answers(process, server, scratch)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def executable() -> str:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        sys.exit("nginx is needed: on Debian, apt-get install nginx-light")
    return found


def free_port() -> int:
    """Free on the first host's address; the others belong to this site alone."""
    with socket.create_server((host_address(0), 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _describe(scratch: Path, hosts: int, port: int, logged: bool) -> Server:
    resolve_file, seeds_file = scratch / "resolve.txt", scratch / "seeds.txt"
    resolve_file.write_text("".join(f"{host_name(host)}={host_address(host)}:{port}\n" for host in range(hosts)))
    seeds_file.write_text("".join(f"http://{host_name(host)}/\n" for host in range(hosts)))
    return Server(port, hosts, resolve_file, seeds_file, scratch / "access.log" if logged else None)


def _configuration(directory: Path, scratch: Path, server: Server) -> str:
    listens = "\n".join(f"    listen {host_address(host)}:{server.port};" for host in range(server.hosts))
    temporary = "\n".join(
        f"  {kind}_temp_path {scratch}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = f"user {pwd.getpwuid(os.geteuid()).pw_name};" if os.geteuid() == 0 else ""
    access_log = "off" if server.access_log is None else f"{server.access_log} compact"
    return f"""{user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid {scratch}/nginx.pid;
events {{ worker_connections 8192; }}
http {{
{temporary}
  types {{ text/html html; text/plain txt; }}
  default_type application/octet-stream;
  charset utf-8;
  log_format compact '$msec $host $status $connection_requests $request_uri';
  access_log {access_log};
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 75s;
  keepalive_requests 1000000;
  open_file_cache max=40000 inactive=600s;
  gzip_static on;
  server {{
{listens}
    root {directory.absolute()}/$host;
    index index.html;
  }}
}}
"""


def _wait_until_it_answers(process: subprocess.Popen[bytes], server: Server, scratch: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            if status(server, server.hosts - 1, "/robots.txt") == 200:
                return
        time.sleep(0.02)
    sys.exit(f"nginx does not answer: {(scratch / 'error.log').read_text().strip()[-500:]}")


def status(server: Server, host: int, path: str) -> int:
    connection = http.client.HTTPConnection(host_address(host), server.port, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Host": host_name(host)})
        return connection.getresponse().status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    with serving(site(options.hosts), options.hosts, port=options.port) as server:
        print(f"hondius crawl --seeds {server.seeds_file} --resolve @{server.resolve_file} --delay 0", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
    return 0


if __name__ == "__main__":
    sys.exit(main())
