"""The table: one row for each way of doing the job, ratios to the chosen baseline."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any

from harness.answers import Answer


@dataclass
class Row:
    """One measured way of doing the job."""

    name: str
    work: str
    checks: str
    seconds: list[float]
    bytes: int
    answer: Answer
    threads: int = 1
    tells_absent: bool = True
    ours: bool = False
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def best(self) -> float:
        """GB/s of the fastest run."""
        return self.bytes / min(self.seconds) / 1e9

    @property
    def median(self) -> float:
        """GB/s of the median run."""
        return self.bytes / statistics.median(self.seconds) / 1e9

    def as_json(self, baseline: Row | None) -> dict[str, Any]:
        """The row as it is written by `--json`."""
        return {
            "name": self.name,
            "class": self.work,
            "checks": self.checks,
            "ours": self.ours,
            "threads": self.threads,
            "bytes": self.bytes,
            "seconds": self.seconds,
            "gb_per_s_best": self.best,
            "gb_per_s_median": self.median,
            "ratio_best": self.best / baseline.best if baseline else None,
            "ratio_median": self.median / baseline.median if baseline else None,
            "answer": self.answer,
            **self.details,
        }


def render(rows: list[Row], baseline: Row | None) -> str:
    """A Markdown table, fastest first, readable as it stands."""
    usage = any("peak_bytes" in row.details for row in rows)
    head = ["", "work", "checks", "threads", "best s", "GB/s", "median", "ratio"]
    head += ["cpu s", "peak MB"] if usage else []
    cells = [cells_of(row, baseline, usage) for row in sorted(rows, key=lambda row: -row.best)]
    return markdown(head, cells, left=3)


def cells_of(row: Row, baseline: Row | None, usage: bool) -> list[str]:
    cells = [
        f"**{row.name}**" if row.ours else row.name,
        row.work,
        row.checks,
        str(row.threads),
        f"{min(row.seconds):.3f}",
        f"{row.best:.3f}",
        f"{row.median:.3f}",
        f"{row.best / baseline.best:.2f}" if baseline else "-",
    ]
    if usage:
        cells += [f"{row.details['cpu_seconds']:.2f}", f"{row.details['peak_bytes'] / 1e6:.0f}"]
    return cells


def markdown(head: list[str], rows: list[list[str]], left: int, also_left: str | None = None) -> str:
    """An aligned Markdown table: the first `left` columns and one more to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    is_left = [index < left or name == also_left for index, name in enumerate(head)]

    def line(cells: list[str]) -> str:
        padded = [
            cell.ljust(width) if lefts else cell.rjust(width)
            for cell, width, lefts in zip(cells, widths, is_left, strict=True)
        ]
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * max(width, 1) if lefts else "-" * (max(width, 2) - 1) + ":"
        for width, lefts in zip(widths, is_left, strict=True)
    ]
    return "\n".join([line(head), line(rule), *map(line, rows)])
