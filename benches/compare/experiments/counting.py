"""Runs the first experiment: events counted by type, opened pull requests by language.

The parsers and the comparison of answers are those of `file.py`; this puts several of its runs
side by side: in memory and whole processes, on one thread and on more.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments import data
from experiments.codecs import CLASSES
from experiments.results import Results, Row
from harness import driver, table
from harness.jobs import JobSpec
from harness.ours import default_folder
from harness.peers import PEERS

SLOW = ("ujson", "json", "simplejson", "python-rapidjson", "jq")
"""Peers that read a smaller file of the same make, so that the comparison ends within the hour."""

THREADED = ("duckdb", "polars", "clickhouse (chdb)")
"""Peers that have threads on the usual interpreter."""

WORKS = {
    "validate": CLASSES["validate"],
    "some fields": CLASSES["field"],
    "typed": CLASSES["typed"],
    "whole": CLASSES["tree"],
    "search": "search",
}
"""Our classes by the names that `file.py` gives them."""


@dataclass(frozen=True)
class Sizes:
    """How much is read, how often."""

    events: str
    slow_events: str
    runs: int


def thread_counts() -> list[int]:
    """1, 2, 4 and on, as far as there are cores."""
    cores = os.cpu_count() or 1
    return [1 << power for power in range(cores.bit_length()) if 1 << power <= cores]


def plans(sizes: Sizes, python: Path) -> Iterator[tuple[str, driver.Plan]]:
    """Every table's name with what goes into it; several may go into one."""
    events, truth = data.events(sizes.events)
    slow_events, slow_truth = data.events(sizes.slow_events)
    job = "count-gh"
    fast = tuple(name for name, peer in PEERS.items() if job in peer.jobs and name not in SLOW)
    plan = driver.Plan(
        file=events,
        job=JobSpec(job),
        runs=sizes.runs,
        python=python,
        binaries=default_folder(),
        truth=truth,
    )
    for whole in (False, True):
        what = "whole process" if whole else "in memory"
        for threads in thread_counts():
            part = f"{what}, {threads} thread{'s' * (threads > 1)}"
            names = fast if threads == 1 else THREADED
            runs = min(sizes.runs, 3) if whole else sizes.runs
            each = replace(plan, whole_process=whole, threads=threads, runs=runs)
            yield part, replace(each, only=(*names, driver.OURS))
            if threads == 1:
                slow = replace(each, file=slow_events, truth=slow_truth, runs=min(runs, 3))
                yield part, replace(slow, only=SLOW)


def run(sizes: Sizes, python: Path, results: Results, progress: Callable[[str], None]) -> None:
    """Measures everybody, and adds the rows."""
    for part, plan in plans(sizes, python):
        outcome = driver.run(plan, lambda name, part=part: progress(f"{part}: {name}"))
        rows = [
            row for row in outcome.rows if row.threads == plan.threads
        ]  # a row without threads is in the first table
        results.rows += [converted(part, row, plan.file) for row in rows]
        results.faults += [f"{part}, {fault}" for fault in outcome.faults]
        results.notes += [note for note in outcome.notes if note not in results.notes]
        results.rows += [
            Row(part, WORKS[PEERS[name].work], name, absent="not installed")
            for name in plan.only
            if name in PEERS and outcome.named(name) is None
        ]


OURS = ("full", "visited", "simd-json engine", *(name for name, *_ in driver.OUR_PROCESSES))
"""How the names of our own rows begin; `ndskim bench` has rows of other Rust crates, too."""


def title(name: str) -> str:
    """The name of a row of ours."""
    return name if name.startswith("ghcount") else f"ndskim, {name}"


def converted(part: str, row: table.Row, file: Path) -> Row:
    """A row of `file.py` as one of an experiment."""
    ours = row.ours and row.name.split(",")[0] in OURS
    work = CLASSES["values"] if row.ours and row.work == "whole" else WORKS[row.work]
    return Row(
        part=part,
        work=work,
        name=title(row.name) if ours else f"{row.name} (Rust)" if row.ours else row.name,
        bytes=row.bytes,
        seconds=row.seconds,
        user_seconds=row.details.get("user_seconds", []),
        system_seconds=row.details.get("system_seconds", []),
        peak_bytes=row.details.get("peak_bytes"),
        threads=row.threads,
        checks=row.checks or None,
        thorough=is_thorough(row.checks),
        ours=ours,
        note=f"on {file.stem}" if row.name in SLOW else None,
        answer=fingerprint(row.answer),
    )


def is_thorough(checks: str) -> bool:
    """Whether every byte is checked, as we know of ourselves, or as was tried: but for one kind of fault."""
    refused, _, tried = checks.partition(" of ")
    return checks == "every byte" or (refused.isdigit() and int(refused) >= int(tried.split()[0]) - 1)


def fingerprint(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer in short: it was compared whole."""
    if not answer:
        return {}
    text = json.dumps(answer, sort_keys=True)
    return {"records": answer["records"], "sha256": hashlib.sha256(text.encode()).hexdigest()}
