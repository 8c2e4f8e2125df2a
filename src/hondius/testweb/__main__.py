"""`python -m hondius.testweb`: runs the synthetic web without the rest of Hondius."""

import argparse
import sys
from pathlib import Path

from hondius.errors import HondiusError
from hondius.testweb.command import TestWebOptions, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m hondius.testweb", description=__doc__)
    defaults = TestWebOptions()
    for name in ("hosts", "pages-per-host", "seed", "port", "unreachable-robots-hosts", "topic-pages"):
        parser.add_argument(f"--{name}", type=int, default=getattr(defaults, name.replace("-", "_")))
    parser.add_argument("--slowest", type=float, default=defaults.slowest, help="seconds")
    for name in ("manifest", "access-log", "directory"):
        parser.add_argument(f"--{name}", type=Path)
    options = TestWebOptions(**vars(parser.parse_args()))
    try:
        run(options, _announce)
    except HondiusError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_status
    return 0


def _announce(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
