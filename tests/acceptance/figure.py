"""One figure that a release must show, beside its bar."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    name: str
    met: bool
    measured: str
    bar: str = ""

    def __str__(self) -> str:
        bar = f" (bar: {self.bar})" if self.bar else ""
        return f"{'met   ' if self.met else 'MISSED'} {self.name}: {self.measured}{bar}"
