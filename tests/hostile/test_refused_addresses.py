"""N2: private addresses are refused, whatever they are written like.

The crawl runs in a network namespace that has loopback only: a hole in the guard would reach nobody.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hondius.native import Identity, NativeError
from tests.native.suites import suite

NAMESPACE = ["unshare", "--user", "--map-root-user", "--net", "--"]


def run_isolated(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run([*NAMESPACE, *command], capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        pytest.skip(
            "unshare (util-linux) is not installed: without it a mistake would send requests to private addresses"
        )


@pytest.fixture(scope="module")
def literals() -> list[str]:
    if run_isolated("true").returncode != 0:
        pytest.skip(
            "no network namespace can be made here: without one a mistake would send requests to private addresses"
        )
    targets = json.loads((suite("security") / "ssrf_targets.json").read_text())["must_block_literals"]
    plain = [text.split(" (")[0] for text in targets if "DNS answer" not in text]
    return [text for text in plain if is_url(f"http://{text}/")]


def is_url(text: str) -> bool:
    try:
        Identity().parse(text)
    except NativeError:
        return False
    return True


def test_n2_every_private_address_is_refused_before_anything_is_sent(literals: list[str], tmp_path: Path) -> None:
    assert len(literals) > 40
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("".join(f"http://{text}/\n" for text in literals))
    crawl = [sys.executable, "-m", "hondius", "crawl", "--seeds", str(seeds), "--into", str(tmp_path / "c"), "--json"]
    ended = run_isolated(*crawl)
    assert ended.returncode == 1, ended.stderr  # nothing could be fetched
    export = [sys.executable, "-m", "hondius", "export", str(tmp_path / "c"), "--format", "jsonl"]
    rows = [json.loads(line) for line in subprocess.run(export, capture_output=True, check=True).stdout.splitlines()]
    assert {(row["state"], row["cause"]) for row in rows} == {("failed", "address_refused")}
    keys = {Identity().parse(f"http://{text}/").key_form for text in literals}
    assert {row["key_form"] for row in rows} == keys
    assert (tmp_path / "c" / "log" / "attempts-00000001").stat().st_size == 0
