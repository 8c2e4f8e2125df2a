"""What a command loads before it begins: every tenth of a second is waited for by somebody."""

import subprocess
import sys

SOURCE = """
import sys
from hondius.operate.cli import main
assert main.run(["--version"]) == 0
print(*(name for name in sys.argv[1:] if name in sys.modules), file=sys.stderr)
"""
SLOW = ("pydantic", "rich.console", "hondius.crawler.assemble", "hondius.use.explain", "hondius.testweb")


def test_o1_a_command_loads_only_what_it_needs() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SOURCE, *SLOW], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stderr.split() == []
