"""A reader of one document: types its shell commands, runs its Python, and leaves its servers on."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.examples.blocks import ROOT, Block, split_commands

PATIENCE = 120.0
SERVERS = ("hondius testweb", "hondius replay")
WRAPPER = """#!{python}
import sys
from hondius.__main__ import main
if sys.argv[1:2] == ["crawl"]:
    knows_the_way = any("resolve" in word for word in sys.argv)
    sys.argv[2:2] = ["--delay", "0"] + ([] if knows_the_way else {options!r})
sys.exit(main())
"""
SITE_CUSTOMIZE = """
import functools
import hondius
for name in ("crawl", "crawl_sync", "Crawler"):
    if hasattr(hondius, name):
        setattr(hondius, name, functools.partial(getattr(hondius, name), **{options!r}))
"""
"""Examples name `example.com`. Here it is a site on loopback, so their crawls are told where it is. Nothing else about
them changes, but that they need not be polite to it."""


class Reader:
    def __init__(self, directory: Path, resolve: list[str], ca_file: Path) -> None:
        self._directory = directory
        self._servers: list[subprocess.Popen[str]] = []
        tools = directory / ".tools"
        tools.mkdir()
        options = ["--ca-file", str(ca_file), *(f"--resolve={one}" for one in resolve)]
        command = tools / "hondius"
        command.write_text(WRAPPER.format(python=sys.executable, options=options))
        command.chmod(0o755)
        keywords = {"resolve": resolve, "ca_file": str(ca_file), "delay": 0.0}
        (tools / "sitecustomize.py").write_text(SITE_CUSTOMIZE.format(options=keywords))
        path = f"{tools}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, "PATH": path, "COLUMNS": "160"}
        self._python_environment = {**self._environment, "PYTHONPATH": str(tools)}

    def run(self, block: Block) -> None:
        """Raises AssertionError, with what was printed, if an example fails."""
        if block.language == "python":
            return self._run([sys.executable, "-c", block.text], block, self._python_environment)
        if block.language == "toml":
            return self._save(block)
        for command in split_commands(block):
            self._run_command(command, block)
        return None

    def _save(self, block: Block) -> None:
        """The first line of a file is a comment with its name."""
        name = block.text.partition("\n")[0].removeprefix("# ")
        assert re.fullmatch(r"[\w-]+\.toml", name), f"line {block.line}: the first line of a file is its name"
        (self._directory / name).write_text(block.text)

    def _run_command(self, command: str, block: Block) -> None:
        words = shlex.split(command, comments=True)
        if words[0] == "make":
            check_target(words[1])
        elif words[0] == "pip":
            check_extras(command)
        elif command.startswith(SERVERS):
            self._serve(words)
        else:
            self._run(["bash", "-euo", "pipefail", "-c", command], block, self._environment)

    def _run(self, command: list[str], block: Block, environment: dict[str, str]) -> None:
        ended = subprocess.run(
            command,
            cwd=self._directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ended.returncode == 0, f"line {block.line}: {command[-1]}\n{ended.stdout[-3000:]}"

    def _serve(self, words: list[str]) -> None:
        """Its first line says that it is ready."""
        server = subprocess.Popen(
            [*words, "--port", "0"], cwd=self._directory, env=self._environment, stdout=subprocess.PIPE, text=True
        )
        self._servers.append(server)
        assert server.stdout is not None
        assert server.stdout.readline().startswith(("{", "replay of ")), "the server did not start"

    def close(self) -> None:
        for server in self._servers:
            server.terminate()
            server.wait(timeout=10)
            if server.stdout is not None:
                server.stdout.close()


def check_target(name: str) -> None:
    """`make` is what runs these tests; an example may name only what it has."""
    assert re.search(rf"^{re.escape(name)}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"no target {name}"


def check_extras(command: str) -> None:
    """The package is installed here already; an example may name only extras that it has."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for named in re.findall(r"hondius\[([^]]*)\]", command):
        assert set(named.split(",")) <= set(extras), f"{command}: the extras are {', '.join(extras)}"
