"""`make accept ONLY=worlds`: the rebuilt house keeps every guarantee of the one before."""

import sys

from tests.acceptance.parts import run_parts
from tests.acceptance.worlds import golden, old_host

PARTS = {
    "golden": golden.figures,
    "host": old_host.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("worlds", PARTS))
