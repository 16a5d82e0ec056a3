"""This project's own rows: builds the binaries and reads what they report.

In memory, `ndskim bench` measures the modes itself; the interface that is expected of it stands in
the README. Whole processes are runs of `ghcount`. A binary or a subcommand that is not there yet
gives no row but a line that says so.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.environment import ROOT, TARGET
from harness.jobs import JobSpec

WRONG_USAGE = 2
INPUT_FORMATS = {"lines": "lines", "whitespace": "concatenated"}


class Unavailable(Exception):
    """There is nothing of ours to measure; the text says what is missing."""


class Failed(Exception):
    """One of our binaries was there, ran and failed."""


@dataclass(frozen=True)
class Binaries:
    """Where our programs are, and how the file is to be read."""

    folder: Path
    format: str
    threads: int

    def path(self, name: str) -> Path:
        """The program of that name. Raises `Unavailable`."""
        program = self.folder / name
        if not program.exists():
            raise Unavailable(f"{name}: not in {self.folder}")
        return program

    def ghcount(self, file: Path, *how: str) -> list[str]:
        """The command line of the GH Archive report as JSON."""
        options = ["--threads", str(self.threads), *how]
        layout = ["--input-format", INPUT_FORMATS[self.format]]
        return [str(self.path("ghcount")), "--format", "json", *options, *layout, str(file)]

    def bench_rows(self, file: Path, job: JobSpec, runs: int) -> list[dict[str, Any]]:
        """The rows of `ndskim bench`. Raises `Unavailable` or `Failed`."""
        program = str(self.path("ndskim"))
        question = ["--job", job.name, *(["--pointer", job.pointer] if job.pointer else [])]
        layout = ["--input-format", INPUT_FORMATS[self.format]]
        times = ["--threads", str(self.threads), "--runs", str(runs)]
        command = [program, "bench", str(file), "--format", "json", *question, *layout, *times]
        return bench_rows(run(command))


def run(command: list[str]) -> str:
    """A command's standard output. Raises `Unavailable` if it does not know its arguments."""
    done = subprocess.run(command, capture_output=True, text=True)
    shown = " ".join([Path(command[0]).name, *command[1:]])
    if done.returncode == WRONG_USAGE:
        raise Unavailable(f"`{shown}` is not understood: {first_line(done.stderr)}")
    if done.returncode != 0:
        raise Failed(f"`{shown}` ended with {done.returncode}: {first_line(done.stderr)}")
    return done.stdout


def first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "(it said nothing)")


def bench_rows(output: str) -> list[dict[str, Any]]:
    """The rows of a report: one object with `rows`, a list, or one row a line."""
    try:
        report = json.loads(output)
    except json.JSONDecodeError:
        report = [json.loads(line) for line in output.splitlines() if line.strip()]
    if isinstance(report, dict):
        report = report.get("rows", [report])
    for row in report:
        if missing := {"name", "class", "seconds", "answer"} - row.keys():
            raise Failed(f"a row of `ndskim bench` has no {', '.join(sorted(missing))}: {row}")
    return report


def build(with_peers: bool = False) -> None:
    """Builds the release binaries; `with_peers`, with rows of other Rust crates in `ndskim bench`.

    Raises `Unavailable` where there is nothing to build with, and `Failed`.
    """
    if not (ROOT / "Cargo.toml").exists():
        raise Unavailable(f"no Cargo.toml in {ROOT}")
    if shutil.which("cargo") is None:
        raise Unavailable("cargo is not on the PATH")
    rust_peers = ["--features", "ndskim-cli/peers"]
    for packages in (rust_peers if with_peers else [], ["--package", "ndskim-compare"]):
        if subprocess.run(["cargo", "build", "--release", *packages], cwd=ROOT).returncode != 0:
            raise Failed("`cargo build --release` failed")


def default_folder() -> Path:
    """Where cargo puts release binaries."""
    return TARGET / "release"
