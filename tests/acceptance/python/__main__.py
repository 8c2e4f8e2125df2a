"""`make accept ONLY=python`: Python, text and tables."""

import sys

from tests.acceptance.parts import run_parts
from tests.acceptance.python import consumer_kills, export, install, interface, owners, speed, text

PARTS = {
    "text": text.figures,
    "export": export.figures,
    "interface": interface.figures,
    "consumers": consumer_kills.figures,
    "owners": owners.figures,
    "install": install.figures,
    "speed": speed.figures,
}

if __name__ == "__main__":
    sys.exit(run_parts("python", PARTS))
