"""Starts every peer and our own programs, compares their answers, and collects the rows."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from harness import ours
from harness.answers import Answer, differences
from harness.faults import FAULTS
from harness.jobs import JobSpec
from harness.machine import load_note
from harness.measure import ProcessFailed, ProcessRun, output_of
from harness.peers import FIELDS, PEERS, VALIDATE, WHOLE, Peer
from harness.table import Row

BASELINES = {"loads": "fastsimdjson loads"}
DEFAULT_BASELINE = "fastsimdjson fields="
OURS = "ours"
SEARCH = "rg -c"


@dataclass(frozen=True)
class Plan:
    """What to run, on what, how often."""

    file: Path
    job: JobSpec
    format: str = "lines"
    runs: int = 3
    rounds: int = 1
    threads: int = 1
    whole_process: bool = False
    splitlines: bool = False
    only: tuple[str, ...] = ()
    python: Path = Path(sys.executable)
    binaries: Path | None = None
    truth: Path | None = None

    def peers(self) -> list[Peer]:
        """The peers that can do the job and were asked for."""
        able = [peer for peer in PEERS.values() if peer.takes(self.job.name, self.format)]
        return [peer for peer in able if self.wants(peer.name)]

    def wants(self, name: str) -> bool:
        """Whether a row was asked for: by its whole name, or by a part of it."""
        exact = {wanted for wanted in self.only if wanted in PEERS}
        parts = [wanted.lower() for wanted in self.only if wanted not in exact]
        return not self.only or name in exact or any(part in name.lower() for part in parts)

    def wants_ours(self) -> bool:
        return not self.only or OURS in self.only


@dataclass
class Outcome:
    """The rows, and everything that has to be said beside them."""

    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Adds a row, or the runs of another round to the row of that name."""
        known = self.named(row.name)
        if known is None:
            self.rows.append(row)
            return
        if row.answer != known.answer:
            self.faults.append(f"{row.name} answers otherwise than it did before")
        if min(row.seconds) < min(known.seconds):
            known.details = row.details
        known.seconds += row.seconds

    def named(self, name: str) -> Row | None:
        return next((row for row in self.rows if row.name == name), None)


def run(plan: Plan, progress: Callable[[str], None]) -> Outcome:
    """Runs the plan. What differs or fails stands in the outcome's `faults`."""
    note = load_note()
    outcome = Outcome(notes=[note] if note else [])
    warm(plan.file)
    for _ in range(plan.rounds):
        run_round(plan, outcome, progress)
    if plan.whole_process:
        outcome.notes.append(f"Starting Python takes {start_up(plan):.3f} s of every Python row.")
    outcome.notes += notes_on_faults(outcome.rows)
    outcome.notes = list(dict.fromkeys(outcome.notes))  # a round may have repeated one
    outcome.faults += compare(outcome.rows, reference(plan, outcome.rows))
    return outcome


def run_round(plan: Plan, outcome: Outcome, progress: Callable[[str], None]) -> None:
    """Runs everything once through, each row `plan.runs` times."""
    for peer in plan.peers():
        progress(peer.name)
        try:
            outcome.add(peer_row(plan, peer))
        except ProcessFailed as error:
            if "PackageNotFoundError" in str(error):
                outcome.notes.append(f"No row of {peer.name}: {peer.package} is not installed.")
            else:
                outcome.faults.append(f"{peer.name} failed: {error}")
    if plan.wants_ours():
        progress("our own programs")
        add_ours(plan, outcome)
    if plan.whole_process:
        add_search(plan, outcome)


def warm(file: Path) -> None:
    """Reads the file once, so that it is in the page cache for everybody."""
    with file.open("rb", buffering=0) as stream:
        while stream.read(1 << 24):
            pass


def worker_command(plan: Plan, peer: Peer, *, about: bool) -> list[str]:
    request = {
        "peer": peer.name,
        "job": asdict(plan.job),
        "file": str(plan.file),
        "format": plan.format,
        "runs": 1 if plan.whole_process else plan.runs,
        "threads": plan.threads,
        "splitlines": plan.splitlines,
        "about": about,
    }
    return [str(plan.python), "-m", "harness.worker", json.dumps(request)]


def peer_row(plan: Plan, peer: Peer) -> Row:
    """Measures one peer. Raises `ProcessFailed`."""
    about = json.loads(output_of(worker_command(plan, peer, about=True)).output)
    command = worker_command(plan, peer, about=False)
    repeats = plan.runs if plan.whole_process else 1
    runs = [output_of(command) for _ in range(repeats)]
    report = json.loads(runs[-1].output)
    return Row(
        name=peer.name,
        work=work_class(peer, plan.job),
        checks=checks(about["lets_pass"]),
        seconds=[run.seconds for run in runs] if plan.whole_process else report["seconds"],
        bytes=plan.file.stat().st_size,
        answer=report["answer"],
        threads=report["threads"],
        tells_absent=peer.tells_absent,
        details=about | usage(runs, plan.whole_process),
    )


def work_class(peer: Peer, job: JobSpec) -> str:
    """The class of a peer's work; asked for nothing, those that build no objects validate alone."""
    return VALIDATE if job.name == "validate" and peer.work != WHOLE else peer.work


def checks(lets_pass: list[str]) -> str:
    """How much is validated, from the faults that went through."""
    return f"{len(FAULTS) - len(lets_pass)} of {len(FAULTS)} faults"


def usage(runs: list[ProcessRun], whole_process: bool) -> dict[str, Any]:
    """CPU time and peak memory, which say something of whole processes only."""
    if not whole_process:
        return {}
    return {
        "user_seconds": [run.user_seconds for run in runs],
        "system_seconds": [run.system_seconds for run in runs],
        "cpu_seconds": min(run.cpu_seconds for run in runs),
        "peak_bytes": max(run.peak_bytes for run in runs),
    }


def start_up(plan: Plan) -> float:
    """The wall time of a worker that is asked nothing."""
    command = [str(plan.python), "-m", "harness.worker"]
    return min(output_of(command).seconds for _ in range(plan.runs))


def add_ours(plan: Plan, outcome: Outcome) -> None:
    """Adds our rows, or the line that says why there are none."""
    if plan.binaries is None:
        return
    binaries = ours.Binaries(plan.binaries, plan.format, plan.threads)
    add = add_our_processes if plan.whole_process else add_our_modes
    try:
        add(plan, binaries, outcome)
    except ours.Unavailable as error:
        outcome.notes.append(f"No rows of our own: {error}")
    except (ours.Failed, ProcessFailed) as error:
        outcome.faults.append(str(error))


def add_our_modes(plan: Plan, binaries: ours.Binaries, outcome: Outcome) -> None:
    """The rows of `ndskim bench`, in memory, and the answer of `ghcount` to hold them against."""
    for row in binaries.bench_rows(plan.file, plan.job, plan.runs):
        outcome.add(
            Row(
                name=row["name"],
                work=row["class"],
                checks=row.get("checks", ""),
                seconds=row["seconds"],
                bytes=row.get("bytes", plan.file.stat().st_size),
                answer=row["answer"],
                threads=row.get("threads", plan.threads),
                ours=True,
            )
        )


OUR_PROCESSES = (
    ("ghcount --validate full", FIELDS, "every byte", ("--validate", "full")),
    ("ghcount --validate visited", FIELDS, "what it visits", ("--validate", "visited")),
    ("ghcount --engine simd-json", WHOLE, "every byte", ("--engine", "simd-json")),
)


def add_our_processes(plan: Plan, binaries: ours.Binaries, outcome: Outcome) -> None:
    """Whole runs of `ghcount`, one for each of its engines and ways to validate."""
    if plan.job.name != "count-gh":
        raise ours.Unavailable("whole processes of ours are compared on the job count-gh only")
    for name, work, checked, options in OUR_PROCESSES:
        command = binaries.ghcount(plan.file, *options)
        ours.run(command)  # tells a program that does not know its arguments from one that fails
        runs = [output_of(command) for _ in range(plan.runs)]
        outcome.add(
            Row(
                name=name,
                work=work,
                checks=checked,
                seconds=[run.seconds for run in runs],
                bytes=plan.file.stat().st_size,
                answer=json.loads(runs[-1].output),
                threads=plan.threads,
                ours=True,
                details=usage(runs, whole_process=True),
            )
        )


SEARCHED = '"type":"PullRequestEvent"'


def add_search(plan: Plan, outcome: Outcome) -> None:
    """ripgrep counting the lines with a literal: no JSON, the speed of looking at all bytes."""
    program = shutil.which("rg")
    if plan.job.name != "count-gh" or program is None or not plan.wants(SEARCH):
        return
    command = [program, "--no-config", "--threads", "1", "-c", "-F", SEARCHED, str(plan.file)]
    try:
        runs = [output_of(command) for _ in range(plan.runs)]
    except ProcessFailed as error:
        outcome.notes.append(f"rg -c: {error}")
        return
    outcome.add(
        Row(
            name=f"rg -c {SEARCHED}",
            work="search",
            checks="nothing",
            seconds=[run.seconds for run in runs],
            bytes=plan.file.stat().st_size,
            answer={},
            details=usage(runs, whole_process=True),
        )
    )


def reference(plan: Plan, rows: list[Row]) -> tuple[str, Answer] | None:
    """What everybody's answer is held against: the truth, `ghcount`, or the first full answer."""
    if plan.truth is not None:
        return str(plan.truth), json.loads(plan.truth.read_text())
    if plan.job.name == "count-gh" and plan.binaries is not None:
        binaries = ours.Binaries(plan.binaries, plan.format, plan.threads)
        try:
            return "ghcount", json.loads(ours.run(binaries.ghcount(plan.file)))
        except (ours.Unavailable, ours.Failed):
            pass  # said already where our own rows are added
    full = [row for row in rows if not row.ours and row.tells_absent and row.answer]
    return (full[0].name, full[0].answer) if full else None


def compare(rows: Iterable[Row], held_against: tuple[str, Answer] | None) -> list[str]:
    """The rows that answer otherwise than the reference."""
    if held_against is None:
        return []
    name, expected = held_against
    return [
        f"{row.name} differs from {name}: {difference}"
        for row in rows
        for difference in differences(row.answer, expected, merge_missing=not row.tells_absent)
    ]


def notes_on_faults(rows: list[Row]) -> list[str]:
    """One line for each set of faults that some peers let pass."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if lets_pass := row.details.get("lets_pass"):
            names.setdefault(", ".join(lets_pass), []).append(row.name)
    return [f"{'; '.join(rows)}: lets pass {faults}." for faults, rows in names.items()]


def leaf_kind(file: Path, pointer: str) -> str:
    """The kind of the values at a pointer, from the first lines; table engines ask for it."""
    from harness.jobs import CountField

    job = CountField(pointer, "string")
    kinds = {str: "string", bool: "boolean", int: "integer", float: "float"}
    with file.open("rb") as lines:
        for line in islice(lines, 1000):
            value = job.key_of_document(json.loads(line))
            if type(value) in kinds:
                return kinds[type(value)]
    return "string"
