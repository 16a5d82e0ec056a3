"""Who leads in each class, and why we do not where we do not."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.results import Results, Row

JUDGED_BY = {
    "counting": "seconds",
    "payloads": "seconds",
    "documents": "cpu_seconds",
    "codecs": "seconds",
}
"""What the rows of an experiment are judged by."""

NOT_JUDGED = ("search",)

REASONS: dict[tuple[str, str], str] = {
    ("payloads", "typed"): "",
}
"""Why others are ahead, by experiment and class; shown only where they are."""


@dataclass(frozen=True)
class Lead:
    """The best row of ours and the best of the others' in one class."""

    experiment: str
    part: str
    work: str
    ours: Row | None
    other: Row | None
    ratio: float
    """How many times as fast we are; 0 if one of the two is missing."""

    @property
    def is_ours(self) -> bool:
        """Whether we lead, as far as two figures can tell apart."""
        return self.ratio >= 1.0

    @property
    def reason(self) -> str:
        """Why not, as far as it is known."""
        return REASONS.get((self.experiment, self.work), "Not known yet.")


def cost(experiment: str, row: Row) -> float | None:
    """Seconds a byte of what was read, by what the experiment is judged by."""
    best = row.best(JUDGED_BY[experiment])
    return None if best is None or not row.bytes else best / row.bytes


def reads_json(row: Row) -> bool:
    """Whether the row reads the same text as the others."""
    return not (row.note or "").startswith("reads ")


def leads(results: Results) -> list[Lead]:
    """One for each part and class in which we and others have rows."""
    found = []
    for part in results.parts():
        for work in dict.fromkeys(row.work for row in results.of(part)):
            if work not in NOT_JUDGED:
                found.append(lead(results.experiment, part, work, results.of(part, work)))
    return [one for one in found if one.ours is not None and one.other is not None]


def lead(experiment: str, part: str, work: str, rows: list[Row]) -> Lead:
    """The best rows of a class."""
    able = [row for row in rows if cost(experiment, row) is not None and reads_json(row)]
    able.sort(key=lambda row: cost(experiment, row) or 0.0)
    ours = next((row for row in able if row.ours), None)
    other = next((row for row in able if not row.ours), None)
    ratio = 0.0
    if ours is not None and other is not None:
        ratio = (cost(experiment, other) or 0.0) / max(cost(experiment, ours) or 0.0, 1e-15)
    return Lead(experiment, part, work, ours, other, ratio)
