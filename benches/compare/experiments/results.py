"""What was measured: rows, and everything that has to be said beside them."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Row:
    """One way of doing one kind of work on one thing, measured."""

    part: str
    """What was read; a row of a table stands under it."""
    work: str
    """The class. Only rows of one class are compared."""
    name: str
    bytes: int = 0
    """Of what was read."""
    seconds: list[float] = field(default_factory=list)
    """Of the wall, for each run: of the work alone."""
    cpu_seconds: list[float] = field(default_factory=list)
    """Of the processor, for each run, without start-up or reading where the part says so."""
    user_seconds: list[float] = field(default_factory=list)
    """Of the whole process, for each run."""
    system_seconds: list[float] = field(default_factory=list)
    peak_bytes: int | None = None
    """The most memory that the process held, as the system counts."""
    encode_seconds: list[float] = field(default_factory=list)
    encoded_bytes: int | None = None
    threads: int = 1
    checks: str | None = None
    """How much of the input is checked, in words."""
    thorough: bool = True
    """Whether all of it is, or all but one kind of fault. Only rows alike in this are compared."""
    ours: bool = False
    note: str | None = None
    absent: str | None = None
    """Why there are no figures."""
    answer: dict[str, Any] = field(default_factory=dict)

    def best(self, what: str = "seconds") -> float | None:
        """The least of the runs."""
        runs = getattr(self, what)
        return min(runs) if runs else None

    def median(self, what: str = "seconds") -> float | None:
        """The middle one of the runs."""
        runs = getattr(self, what)
        return statistics.median(runs) if runs else None

    def as_json(self) -> dict[str, Any]:
        """The row without what it does not have."""
        return {name: value for name, value in asdict(self).items() if value not in (None, [], {})}


@dataclass
class Results:
    """One experiment."""

    experiment: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    """When, where, with what."""

    def parts(self) -> list[str]:
        """The things that were read, in order."""
        return list(dict.fromkeys(row.part for row in self.rows))

    def of(self, part: str, work: str | None = None) -> list[Row]:
        """The rows of a part, or of a class in it."""
        return [row for row in self.rows if row.part == part and work in (None, row.work)]

    def as_json(self) -> dict[str, Any]:
        """Everything, for a file."""
        rows = [row.as_json() for row in self.rows]
        return asdict(self) | {"rows": rows}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Results:
        """What `as_json` made."""
        return cls(**stored | {"rows": [Row(**row) for row in stored["rows"]]})
