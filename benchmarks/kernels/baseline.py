"""The committed counts, what they were made with, and who exceeds them.

A count means something only beside one made with the same tools: a compiler of another version makes other code. So the
tools are kept with the counts, and where one differs nothing is judged, and the reason told.
"""

import json
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = Path(__file__).parent / "instructions.json"
LET_PASS = 0.10


@dataclass(frozen=True)
class Tools:
    rustc: str
    valgrind: str
    python: str
    machine: str

    @classmethod
    def here(cls) -> "Tools":
        return cls(version_of("rustc"), version_of("valgrind"), f"Python {platform.python_version()}", machine())


@dataclass(frozen=True)
class Baseline:
    made_with: Tools
    instructions: Mapping[str, float]
    """Of an operation, by kernel."""

    @classmethod
    def read(cls, path: Path = FILE) -> "Baseline":
        content = json.loads(path.read_text())
        return cls(Tools(**content["made_with"]), content["instructions"])

    def write(self, path: Path = FILE) -> None:
        rounded = {kernel: round(count) for kernel, count in self.instructions.items()}
        content = {"made_with": asdict(self.made_with), "instructions": rounded}
        path.write_text(json.dumps(content, indent=2) + "\n")

    def change(self, kernel: str, count: float) -> float | None:
        """0.1 for a tenth more than committed; None where nothing is."""
        committed = self.instructions.get(kernel)
        return None if committed is None else count / committed - 1

    def other_tools(self, here: Tools) -> list[str]:
        """Why a count of here says nothing beside these; empty where it does."""
        made, found = asdict(self.made_with), asdict(here)
        return [f"{found[tool] or f'no {tool}'} instead of {made[tool]}" for tool in made if made[tool] != found[tool]]

    def exceeded(self, counts: Mapping[str, float]) -> list[str]:
        """A sentence for each kernel that may not stay as it is."""
        sentences = []
        for kernel, count in counts.items():
            change = self.change(kernel, count)
            if change is None:
                sentences.append(f"{kernel} has no committed count")
            elif change > LET_PASS:
                committed = self.instructions[kernel]
                sentences.append(
                    f"{kernel} needs {change:.1%} more instructions: {count:,.0f} instead of {committed:,.0f}"
                )
        return sentences


def version_of(tool: str) -> str:
    """Empty where there is none."""
    try:
        line = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return " ".join(line.split()[:2])


def machine() -> str:
    """Libraries choose their loops by what the processor can do, and valgrind shows them AVX2 where there is one."""
    try:
        has_avx2 = "avx2" in Path("/proc/cpuinfo").read_text().split()
    except OSError:
        has_avx2 = False
    return platform.machine() + (" with AVX2" if has_avx2 else "")
