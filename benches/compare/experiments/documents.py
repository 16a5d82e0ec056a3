"""Runs the parsers of whole documents, ours and the others', and compares what they found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.codecs import CLASSES, CODECS, Codec
from experiments.data import Made
from experiments.digest import differences
from experiments.results import Results, Row
from harness.environment import TARGET
from harness.measure import ProcessFailed, ProcessRun, TooSlow, output_of

PROGRAM = TARGET / "release" / "ndskim-compare"
POINTER = "/name"
EVERY_BYTE, WHAT_IS_READ, TO_THE_FIELD = "every byte", "what is read", "to the field"
MOST_FOR_SLOW = 100_000_000
"""Bytes that a slow parser is given to read at most."""


@dataclass(frozen=True)
class RustReader:
    """A way of `ndskim-compare` to read."""

    name: str
    reader: str
    works: tuple[str, ...]
    ours: bool = True
    one_by_one: bool = False
    """Whether a folder is read by a scan for each file, not by one for all."""


LAZY = ("field", "typed", "values")
RUST = (
    RustReader("ndskim", "full", tuple(CLASSES)),
    RustReader("ndskim, visited", "visited", LAZY),
    RustReader("ndskim, a scan a document", "full", tuple(CLASSES), one_by_one=True),
    RustReader("ndskim, visited, a scan a document", "visited", LAZY, one_by_one=True),
    RustReader("serde_json (Rust)", "serde-json", ("validate", "typed", "tree"), ours=False),
)


@dataclass(frozen=True)
class Task:
    """One thing to read, how, and how often."""

    part: str
    made: Made
    source: str
    """`file`: each run is a process that reads it; `folder`, `memory`: runs in one process."""
    runs: int
    shape: str = "article"
    formats: tuple[str, ...] = ("json",)
    tenth: Made | None = None
    """A tenth of it, for parsers that would take minutes."""
    timeout: float = 120.0

    @property
    def in_process(self) -> bool:
        """Whether all runs are in one process."""
        return self.source != "file"

    def read_by(self, contender: Contender) -> Made:
        """What somebody reads: all, or a tenth."""
        return self.tenth if contender.slow and self.tenth is not None else self.made

    def request(self, contender: Contender, runs: int) -> dict[str, Any]:
        """What somebody is asked to do."""
        path = self.read_by(contender).path
        if path.is_file():
            path = path.with_suffix(f".{contender.format}")
        return {"from": self.source, "path": str(path), "shape": self.shape, "runs": runs}


@dataclass(frozen=True)
class Contender:
    """Somebody who does one kind of work: how to start it."""

    name: str
    work: str
    ours: bool
    slow: bool
    format: str
    package: str | None
    command: Callable[[dict[str, Any]], list[str]]
    checks: str | None = None
    """How much is checked, where that is known for all of it or for a part."""


def contenders(python: Path, task: Task) -> Iterator[Contender]:
    """All who can do something with a task's documents, ours last."""
    able = [codec for codec in CODECS if codec.format in task.formats]
    for codec in able:
        for work in codec.works:
            if work in task.made.expected:
                yield of_python(python, codec, work)
    for reader in RUST:
        if not reader.one_by_one or task.source == "folder":
            yield from (of_rust(reader, work) for work in reader.works if work in task.made.expected)


def of_python(python: Path, codec: Codec, work: str) -> Contender:
    """A Python package."""

    def command(request: dict[str, Any]) -> list[str]:
        whole = {"codec": codec.name, "work": work, "pointer": POINTER, "digest": False} | request
        return [str(python), "-m", "experiments.child", json.dumps(whole)]

    checks = TO_THE_FIELD if codec.package == "ijson" and work == "field" else None
    return Contender(codec.name, work, False, codec.slow, codec.format, codec.package, command, checks)


def of_rust(reader: RustReader, work: str) -> Contender:
    """A reader of `ndskim-compare`."""

    def command(request: dict[str, Any]) -> list[str]:
        digest = {"tree": "tree-digest", "typed": "typed-digest", "values": "digest"}
        source = "one-by-one" if reader.one_by_one else request["from"]
        options = {
            "--work": digest.get(work, work) if request.get("digest") else work,
            "--from": source,
            "--reader": reader.reader,
            "--pointer": POINTER,
            "--shape": request["shape"],
            "--runs": str(request["runs"]),
        }
        flags = [text for pair in options.items() for text in pair]
        return [str(PROGRAM), request["path"], *flags]

    checks = WHAT_IS_READ if reader.reader == "visited" else EVERY_BYTE
    return Contender(reader.name, work, reader.ours, False, "json", None, command, checks)


def run(task: Task, python: Path, installed: dict[str, str], results: Results, progress: Callable) -> None:
    """Measures everybody on one task, and adds the rows."""
    for contender in contenders(python, task):
        progress(f"{task.part}: {contender.name}, {CLASSES[contender.work]}")
        row = Row(
            task.part,
            CLASSES[contender.work],
            contender.name,
            bytes=task.made.bytes,
            ours=contender.ours,
            checks=contender.checks,
            thorough=contender.checks in (None, EVERY_BYTE),
        )
        results.rows.append(row)
        if contender.package is not None and contender.package not in installed:
            row.absent = "not installed"
            continue
        if contender.slow and task.read_by(contender).bytes > MOST_FOR_SLOW:
            row.absent = "left out: under 10 MB/s, it would take minutes"
            continue
        try:
            measure(contender, task, row)
            results.faults += wrong_answers(contender, task, row)
        except TooSlow as error:
            row.absent = str(error)
        except ProcessFailed as error:
            row.absent = f"failed: {error}"
            results.faults.append(f"{task.part}, {row.name}, {row.work}: {error}")


def measure(contender: Contender, task: Task, row: Row) -> None:
    """Fills in a row's figures."""
    made = task.read_by(contender)
    factor = task.made.expected["tree"]["objects"] / made.expected["tree"]["objects"]
    wanted = 1 if contender.slow else task.runs
    request = task.request(contender, wanted if task.in_process else 1)
    command = contender.command(request)
    runs = [output_of(command, task.timeout) for _ in range(1 if task.in_process else wanted)]
    reports = [json.loads(run.output) for run in runs]
    row.seconds = [factor * lap for report in reports for lap in report["seconds"]]
    row.user_seconds = [run.user_seconds for run in runs]
    row.system_seconds = [run.system_seconds for run in runs]
    row.peak_bytes = max(run.peak_bytes for run in runs)
    row.cpu_seconds = cpu_seconds(contender, task, request, runs, reports)
    if contender.format != "json":
        row.note = f"reads {contender.format}, not JSON"
    if factor > 1:
        row.note = f"{row.note or ''}; one run on a tenth, times {factor:.0f}".removeprefix("; ")


def cpu_seconds(
    contender: Contender,
    task: Task,
    request: dict[str, Any],
    runs: list[ProcessRun],
    reports: list[dict[str, Any]],
) -> list[float]:
    """Processor time of the work: without reading (folders), start-up (files), or both (memory)."""
    if task.source == "folder":
        report = reports[0]
        # The least that reading takes: a slow run of it must not make the work look quick.
        reading = min(report["reading_cpu_seconds"])
        return [whole - reading for whole in report["cpu_seconds"]]
    if task.source == "memory":
        return reports[0]["cpu_seconds"]
    empty = output_of(contender.command(request | {"from": "nowhere"}))
    return [max(0.0, run.cpu_seconds - empty.cpu_seconds) for run in runs]


def wrong_answers(contender: Contender, task: Task, row: Row) -> list[str]:
    """Runs once more, unmeasured, for an answer that can be compared, and compares it."""
    request = task.request(contender, 1) | {"digest": True}
    report = json.loads(output_of(contender.command(request), task.timeout).output)
    row.answer = report["answer"]
    expected = task.read_by(contender).expected[contender.work]
    return [f"{task.part}, {row.name}, {row.work}: {difference}" for difference in differences(row.answer, expected)]
