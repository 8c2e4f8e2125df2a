"""Installs the wheel into a bare environment whose PATH has no compiler, and uses it."""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def main() -> int:
    wheel = next(Path(sys.argv[1]).glob("hondius-*.whl")).absolute()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "bare"
        venv.create(home, with_pip=True)
        environment = {"PATH": str(home / "bin"), "HOME": scratch}
        environment |= {
            name: value for name, value in os.environ.items() if name.startswith("PIP_") or "proxy" in name.lower()
        }
        python = str(home / "bin" / "python")
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "--only-binary", ":all:", str(wheel)], env=environment, check=True
        )
        for arguments in (["--version"], ["testweb", "--help"]):
            subprocess.run(
                [str(home / "bin" / "hondius"), *arguments], env=environment, check=True, stdout=subprocess.DEVNULL
            )
    print(f"{wheel.name}: installed and used in a bare environment")
    return 0


if __name__ == "__main__":
    sys.exit(main())
