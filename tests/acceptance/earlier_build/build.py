"""Builds the commit that `COMMIT` names: sources, wheel, environment."""

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).parents[3]
COMMIT_FILE = Path(__file__).with_name("COMMIT")
PLACE = ROOT / ".venv" / "base"


@dataclass(frozen=True)
class EarlierBuild:
    commit: str
    sources: Path
    python: Path
    """Has the `hondius` of that commit and the test tools installed."""


def make_earlier_build() -> EarlierBuild:
    """Builds it unless that is done. A build that was cut off starts again."""
    commit = COMMIT_FILE.read_text().strip()
    place = PLACE / commit[:12]
    earlier = EarlierBuild(commit, place / "sources", place / "environment" / "bin" / "python")
    done = place / "done"
    if not done.exists():
        print(
            f"making the earlier build, commit {commit[:12]}: this takes a few minutes, once",
            file=sys.stderr,
            flush=True,
        )
        shutil.rmtree(place, ignore_errors=True)
        _extract(commit, earlier.sources)
        wheel = _build_wheel(earlier.sources, place / "wheel")
        _install(earlier, place / "environment", wheel)
        done.touch()
    return earlier


def _extract(commit: str, sources: Path) -> None:
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode != 0:
        raise SystemExit(f"this clone has no commit {commit}: fetch the whole history (git fetch --unshallow)")
    sources.mkdir(parents=True)
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(sources, filter="data")


def _build_wheel(sources: Path, into: Path) -> Path:
    """A target directory of its own: cargo names the library of both builds alike, and would mix them up."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(sources / "native" / "target")}
    command = [sys.executable, "-m", "maturin", "build", "--interpreter", sys.executable]
    command += ["--release", "--locked", "--quiet", "--out", str(into)]
    subprocess.run(command, cwd=sources, env=environment, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = into.glob("*.whl")
    shutil.rmtree(sources / "native" / "target")
    return wheel


def _install(earlier: EarlierBuild, environment: Path, wheel: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(earlier.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--require-hashes", "-r", str(earlier.sources / "requirements.lock")], check=True)
    subprocess.run([*pip, str(wheel)], check=True)
