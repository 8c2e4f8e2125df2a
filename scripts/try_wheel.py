"""Installs the wheel into a bare environment whose PATH has no compiler, and uses it, without and with its extra."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def main() -> int:
    wheel = next(Path(sys.argv[1]).glob("hondius-*.whl")).absolute()
    with tempfile.TemporaryDirectory() as scratch:
        bare = Bare(Path(scratch))
        bare.install(str(wheel))
        bare.run("--version")
        bare.run("bench", "--hosts", "2", "--json")
        bare.refuses_the_test_web_without_its_extra()
        bare.install(f"{wheel}[testweb]")
        bare.serves_the_test_web()
    print(f"{wheel.name}: installed and used in a bare environment, without and with its extra")
    return 0


class Bare:
    def __init__(self, scratch: Path) -> None:
        home = scratch / "bare"
        venv.create(home, with_pip=True)
        self._python = str(home / "bin" / "python")
        self._hondius = str(home / "bin" / "hondius")
        self._environment = {"PATH": str(home / "bin"), "HOME": str(scratch)}
        self._environment |= {
            name: value for name, value in os.environ.items() if name.startswith("PIP_") or "proxy" in name.lower()
        }

    def install(self, what: str) -> None:
        command = [self._python, "-m", "pip", "install", "-q", "--only-binary", ":all:", what]
        subprocess.run(command, env=self._environment, check=True)

    def run(self, *arguments: str) -> None:
        subprocess.run([self._hondius, *arguments], env=self._environment, check=True, stdout=subprocess.DEVNULL)

    def refuses_the_test_web_without_its_extra(self) -> None:
        command = [self._hondius, "testweb", "--hosts", "1"]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 2 or "hondius[testweb]" not in done.stderr:
            raise SystemExit(f"`hondius testweb` without its extra: status {done.returncode}, {done.stderr!r}")

    def serves_the_test_web(self) -> None:
        command = [self._hondius, "testweb", "--hosts", "2", "--pages-per-host", "1"]
        with subprocess.Popen(command, env=self._environment, stdout=subprocess.PIPE, text=True) as web:
            assert web.stdout
            announced = json.loads(web.stdout.readline())
            web.send_signal(signal.SIGTERM)
            if web.wait(timeout=60) != 0 or not announced["seeds"]:
                raise SystemExit(f"`hondius testweb` with its extra: status {web.returncode}, {announced}")


if __name__ == "__main__":
    sys.exit(main())
