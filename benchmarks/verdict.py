"""A figure beside what it must be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    what: str
    value: float
    bar: float
    unit: str
    at_least: bool = False
    disturbed: bool = False
    """By other work on the machine, and so to be measured again."""

    @property
    def holds(self) -> bool:
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        unit = f" {self.unit}" if self.unit else ""
        value = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.2f}"
        busy = ", on a busy machine" if self.disturbed else ""
        return f"{'ok' if self.holds else 'MISSED'} {self.what}: {value}{unit} ({sign} {self.bar:,.4g}){busy}"
