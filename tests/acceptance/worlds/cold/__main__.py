"""`python -m tests.acceptance.worlds.cold --urls 2000000`: the part alone, on a store of another size."""

import argparse
import sys
from pathlib import Path

from tests.acceptance.worlds.cold.figures import URLS, figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=URLS, help=f"URLs of the store ({URLS:,})")
    parser.add_argument("--directory", type=Path, default=None, help="where the store is made, which is removed after")
    options = parser.parse_args()
    shown = list(figures(options.urls, options.directory))
    print(*shown, sep="\n")
    return 0 if all(figure.met for figure in shown) else 1


if __name__ == "__main__":
    sys.exit(main())
