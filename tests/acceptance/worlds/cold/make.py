"""`python -m tests.acceptance.worlds.cold.make DIRECTORY URLS`: makes the store, in a process of its own."""

import sys
from pathlib import Path

from tests.acceptance.worlds.cold.figures import make

if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
