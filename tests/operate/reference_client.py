"""The reference client of the Model Context Protocol: `mcp`'s own, in a process of its own.

`python reference_client.py COMMAND…` starts the server, and makes the calls that it reads from standard input: a list
of `[tool, arguments]` in JSON. It prints one object: the revision, the names of the tools, and the texts of each
answer. It imports nothing of ours, so it also runs in the environment of the judges.
"""

import asyncio
import importlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

JUDGES = Path(sys.prefix) / "judges" / "bin" / "python"
PATIENCE = 900.0


def find_python() -> Path | None:
    """A Python that has the client; None if there is none."""
    if importlib.util.find_spec("mcp") is not None:
        return Path(sys.executable)
    return JUDGES if JUDGES.exists() else None


def drive(python: Path, command: Sequence[str], calls: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Runs this file with that Python. Raises RuntimeError, with what it printed, if the client fails."""
    words = [str(python), "-P", __file__, *command]
    ended = subprocess.run(
        words, input=json.dumps(calls), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if ended.returncode != 0:
        raise RuntimeError(f"the reference client failed: {ended.stderr[-2_000:]}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


async def talk(calls: Sequence[Sequence[Any]], command: Sequence[str]) -> dict[str, Any]:
    mcp: Any = importlib.import_module("mcp")
    server = mcp.StdioServerParameters(command=command[0], args=list(command[1:]))
    async with mcp.Client(server) as client:
        tools = await client.list_tools()
        answers = [await client.call_tool(tool, arguments) for tool, arguments in calls]
        return {
            "revision": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "answers": [
                {"texts": [part.text for part in answer.content], "is_error": answer.is_error} for answer in answers
            ],
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(talk(json.load(sys.stdin), sys.argv[1:]))))
