"""nginx in front of the site: one worker, one 127/8 address a host, nothing outside of its scratch directory."""

import argparse
import contextlib
import http.client
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.site.certificates import AUTHORITY, certificates, file_of
from benchmarks.site.generate import site
from benchmarks.site.plan import HOSTS, directory_of, host_address, host_name, origin

PATIENCE = 10.0


@dataclass(frozen=True)
class Server:
    """What a crawler needs to know of the site."""

    port: int
    hosts: int
    resolve_file: Path
    seeds_file: Path
    access_log: Path | None
    by_address: bool = False
    certificates: Path | None = None

    @property
    def authority(self) -> Path | None:
        """What signed the certificates, where the site is served by HTTPS."""
        return None if self.certificates is None else self.certificates / AUTHORITY


@contextlib.contextmanager
def serving(
    directory: Path,
    hosts: int = HOSTS,
    *,
    port: int = 0,
    logged: bool = False,
    by_address: bool = False,
    secure: bool = False,
) -> Iterator[Server]:
    """Serves the site in `directory` until the block is left. A site by address was generated for one `port`."""
    with tempfile.TemporaryDirectory(prefix="hondius-nginx-") as name:
        scratch = Path(name)
        server = Server(
            port or free_port(),
            hosts,
            resolve_file=scratch / "resolve.txt",
            seeds_file=scratch / "seeds.txt",
            access_log=scratch / "access.log" if logged else None,
            by_address=by_address,
            certificates=certificates(scratch / "certificates", hosts) if secure else None,
        )
        _describe(server)
        configuration = scratch / "nginx.conf"
        configuration.write_text(_configuration(directory, scratch, server))
        command = [executable(), "-p", str(scratch), "-e", str(scratch / "error.log"), "-c", str(configuration)]
        _must_be_free(server.port)
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
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


def _must_be_free(port: int) -> None:
    """Otherwise another server's answers would be taken for ours."""
    try:
        socket.create_server((host_address(0), port)).close()
    except OSError:
        sys.exit(f"something listens on {host_address(0)}:{port} already: is another benchmark running?")


def _describe(server: Server) -> None:
    names = [(host_name(host), host_address(host)) for host in range(server.hosts)]
    server.resolve_file.write_text("".join(f"{name}={address}:{server.port}\n" for name, address in names))
    scheme = "http:" if server.certificates is None else "https:"
    seeds = (scheme + origin(host, server.port) if server.by_address else origin(host) for host in range(server.hosts))
    server.seeds_file.write_text("".join(f"{seed}/\n" for seed in seeds))


def _servers(server: Server) -> str:
    """By HTTPS each host is a server of its own, for its certificate."""
    addresses = [host_address(host) for host in range(server.hosts)]
    if server.certificates is None:
        listens = "\n".join(f"    listen {address}:{server.port};" for address in addresses)
        return f"  server {{\n{listens}\n  }}"
    files = {address: file_of(server.certificates, address) for address in addresses}
    return "\n".join(
        f"  server {{ listen {address}:{server.port} ssl; ssl_certificate {file}; ssl_certificate_key {file}; }}"
        for address, file in files.items()
    )


def _configuration(directory: Path, scratch: Path, server: Server) -> str:
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
  root {directory.absolute()}/$host;
  index index.html;
{_servers(server)}
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
    where = (host_address(host), server.port)
    connection = (
        http.client.HTTPConnection(*where, timeout=PATIENCE)
        if server.authority is None
        else http.client.HTTPSConnection(
            *where, timeout=PATIENCE, context=ssl.create_default_context(cafile=server.authority)
        )
    )
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Host": directory_of(host, server.port * server.by_address)})
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
