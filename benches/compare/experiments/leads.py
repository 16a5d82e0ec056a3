"""Who leads in each class, and why we do not where we do not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from experiments.codecs import CLASSES
from experiments.results import Results, Row

JUDGED_BY = {
    "counting": "seconds",
    "payloads": "seconds",
    "documents": "cpu_seconds",
    "codecs": "seconds",
}
"""What the rows of an experiment are judged by."""

NOT_JUDGED = ("search",)
ORDER = ("search", *CLASSES.values())
"""The classes, from the least work to the most."""

TREE = (
    "We build a tree from validated text in a second pass, value by value, and check each string's UTF-8 anew;"
    " the others build it while they parse."
)
TYPED = "Types are filled from validated text in a second pass, which looks for each member anew."

REASONS: dict[tuple[str, str], str] = {
    ("payloads", CLASSES["tree"]): TREE,
    ("documents", CLASSES["tree"]): TREE,
    ("codecs", CLASSES["tree"]): TREE,
    ("documents", CLASSES["typed"]): TYPED,
    ("codecs", CLASSES["typed"]): TYPED,
    ("payloads", CLASSES["validate"]): "A document of a few megabytes is over before our threads' memory is set up.",
}
"""Why others are ahead, by experiment and class; shown only where they are."""


@dataclass(frozen=True)
class Lead:
    """The best row of ours and the best of the others' among those that do the same."""

    experiment: str
    part: str
    work: str
    thorough: bool
    """Whether all of the input is checked."""
    ours: Row
    other: Row

    @property
    def title(self) -> str:
        """The class, and whether less is checked."""
        return self.work if self.thorough else f"{self.work}, not all checked"

    @property
    def ratio(self) -> float:
        """How many times as fast we are."""
        return cost(self.experiment, self.other) / cost(self.experiment, self.ours)

    @property
    def is_ours(self) -> bool:
        """Whether we lead."""
        return self.ratio >= 1.0

    @property
    def reason(self) -> str:
        """Why not, as far as it is known."""
        return REASONS.get((self.experiment, self.work), "Why is not known yet.")


def has_cost(experiment: str, row: Row) -> bool:
    """Whether a row can be judged, and reads the same text as the others."""
    is_json = not (row.note or "").startswith("reads ")
    return is_json and row.bytes > 0 and row.best(JUDGED_BY[experiment]) is not None


def cost(experiment: str, row: Row) -> float:
    """Seconds a byte of what was read, by what the experiment is judged by; endless where there is no figure."""
    best = row.best(JUDGED_BY[experiment])
    return math.inf if best is None or not row.bytes else max(best, 1e-9) / row.bytes


def leads(results: Results) -> list[Lead]:
    """One for each part and class in which we and others have rows that check as much."""
    found = []
    for part in results.parts():
        for work in (work for work in ORDER if work not in NOT_JUDGED):
            for thorough in (True, False):
                rows = [row for row in results.of(part, work) if row.thorough == thorough]
                found.append(lead(results.experiment, part, work, thorough, rows))
    return [one for one in found if one is not None]


def lead(experiment: str, part: str, work: str, thorough: bool, rows: list[Row]) -> Lead | None:
    """The best rows among some; none if either side has none."""
    able = sorted((row for row in rows if has_cost(experiment, row)), key=lambda row: cost(experiment, row))
    ours = next((row for row in able if row.ours), None)
    other = next((row for row in able if not row.ours), None)
    if ours is None or other is None:
        return None
    return Lead(experiment, part, work, thorough, ours, other)
