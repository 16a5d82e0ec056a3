"""Puts the comparison into the project's README, between two markers."""

from __future__ import annotations

from pathlib import Path

from experiments.leads import Lead, leads
from experiments.results import Results
from experiments.tables import TITLES, figure_text, speed
from harness.table import markdown

BEGIN = "<!-- comparison: made by benches/compare/run.py from docs/benchmarks; do not edit -->"
END = "<!-- end of the comparison -->"


def write_readme(experiments: list[Results], readme: Path) -> None:
    """Replaces what stands between the markers. Raises `ValueError` if they are not there."""
    before, begin, rest = readme.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{readme} has no markers for the comparison")
    readme.write_text(f"{before}{BEGIN}\n{block(experiments)}\n{END}{after}")


def block(experiments: list[Results]) -> str:
    """The table, with when and on what it was measured."""
    rows = [line(one) for results in experiments for one in leads(results) if is_shown(one)]
    head = ["", "class of work", "ours", "best of the others", "times as fast"]
    about = experiments[0].about
    computer = about["machine"]
    behind = sum(not one.is_ours for results in experiments for one in leads(results))
    return "\n".join(
        [
            markdown(head, rows, left=4),
            "",
            f"Measured on {about['date']} on {computer['cores']} cores of {computer['cpu']}, one thread, Python"
            f" {about['versions']['Python']}; compare within a row. [All tables](docs/benchmarks/README.md), also the"
            f" {behind} classes in which others are ahead, and why; `python3 benches/compare/run.py --full` repeats"
            " them.",
        ]
    )


LEFT_OUT = ("numbers", "items")
"""Parts that say much the same as the others."""


def is_shown(one: Lead) -> bool:
    """One thread in memory stands for the counting; of the rest, rows that check everything, some parts left out."""
    if one.experiment == "counting":
        return one.part == "in memory, 1 thread"
    return one.thorough and one.part not in LEFT_OUT


def line(one: Lead) -> list[str]:
    """One class."""
    title = TITLES[one.experiment]
    part = "" if one.experiment in ("counting", "documents") else f": {one.part}"
    return [
        f"{title}{part}",
        one.work,
        figure(one, ours=True),
        figure(one, ours=False),
        f"{one.ratio:.2f}",
    ]


def figure(one: Lead, ours: bool) -> str:
    """A row's name and its figure."""
    row = one.ours if ours else one.other
    if one.experiment == "counting":
        return f"{row.name} {figure_text(speed(row) or 0)} GB/s"
    if one.experiment == "documents":
        return f"{row.name} {figure_text((row.best('cpu_seconds') or 0) * 1e3)} ms"
    return f"{row.name} {figure_text((row.best() or 0) * 1e3)} ms"
