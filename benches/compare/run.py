#!/usr/bin/env python3
"""Repeats the published comparisons of JSON parsers on this machine, with this project beside them.

    python3 benches/compare/run.py --full      the real one: writes docs/benchmarks, under 40 minutes
    python3 benches/compare/run.py --quick     answers only, on small data: for continuous integration

Makes a virtual environment with pinned packages and the data under `target/compare`, builds the
release binaries, runs every parser in a process of its own, and ends with 1 if two answers differ.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import time
from pathlib import Path

from experiments.plan import EXPERIMENTS, FULL, QUICK, Runner
from experiments.readme import write_readme
from experiments.results import Results
from experiments.tables import write_tables
from harness import environment, ours
from harness.machine import load_note, machine, versions

DIFFERENT, INTERRUPTED = 1, 130
PUBLISHED = environment.ROOT / "docs" / "benchmarks"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Repeat the published comparisons of JSON parsers, with this project beside.",
        epilog="The README beside this script says what each experiment does and what is fair.",
    )
    add = parser.add_argument
    scale = parser.add_mutually_exclusive_group(required=True)
    scale.add_argument("--quick", action="store_true", help="small data; judges answers only")
    scale.add_argument("--full", action="store_true", help="the real one; under 40 minutes")
    scale.add_argument("--render", action="store_true", help="tables and charts of stored runs")
    add("--only", action="append", choices=EXPERIMENTS, help="one experiment (repeatable)")
    add("--output", type=Path, help="where to write (default: docs/benchmarks; --quick: target)")
    add("--no-build", action="store_true", help="do not run cargo; take the binaries as they are")
    add("--venv", type=Path, default=environment.DEFAULT, help="the peers' virtual environment")
    add("--python", default=sys.executable, help="interpreter to make the environment with")
    return parser.parse_args()


def progress(what: str) -> None:
    """Says what is being done, and when."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace, python: Path) -> list[Results]:
    """Runs the experiments, each stored as soon as it is done."""
    installed = versions(python)
    runner = Runner(FULL if arguments.full else QUICK, python, installed, progress)
    measured = commit()  # Before results are stored, which change the tree.
    done = []
    for name in arguments.only or EXPERIMENTS:
        started = datetime.datetime.now(datetime.timezone.utc)
        note = load_note()
        results = Results(name, notes=[note] if note else [])
        EXPERIMENTS[name](runner, results)
        took = datetime.datetime.now(datetime.timezone.utc) - started
        results.about = {
            "date": started.date().isoformat(),
            "scale": "full" if arguments.full else "quick",
            "took_seconds": round(took.total_seconds()),
            "commit": measured,
            "machine": machine(),
            "versions": installed,
        }
        store(results, arguments.output)
        done.append(results)
    return done


def commit() -> str:
    """The commit that was measured, with a mark if the tree had changes."""
    command = ["git", "-C", str(environment.ROOT), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def store(results: Results, folder: Path) -> None:
    """Writes every run of an experiment as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results.as_json(), indent=1, ensure_ascii=False)
    (folder / f"{results.experiment}.json").write_text(text + "\n")


def stored(folder: Path) -> list[Results]:
    """All experiments of a folder, in their order."""
    paths = [folder / f"{name}.json" for name in EXPERIMENTS]
    return [Results.from_json(json.loads(path.read_text())) for path in paths if path.exists()]


def render(folder: Path, python: Path) -> None:
    """Writes tables and charts of what is stored in a folder."""
    write_tables(stored(folder), folder)
    subprocess.run([str(python), "-m", "experiments.charts", str(folder)], cwd=environment.HERE, check=True)


def main() -> int:
    arguments = parse_arguments()
    quick = environment.WORKPLACE / "quick"
    arguments.output = (arguments.output or (quick if arguments.quick else PUBLISHED)).resolve()
    try:
        python = environment.ensure(arguments.venv.resolve(), arguments.python, arguments.full)
        done = []
        if not arguments.render:
            if not arguments.no_build:
                ours.build(with_peers=arguments.full)
            done = run(arguments, python)
        render(arguments.output, python)
        if arguments.output == PUBLISHED:
            write_readme(stored(PUBLISHED), environment.ROOT / "README.md")
    except (
        ours.Failed,
        ours.Unavailable,
        ValueError,
        OSError,
        subprocess.CalledProcessError,
    ) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return DIFFERENT
    except KeyboardInterrupt:
        return INTERRUPTED
    return report(done)


def report(done: list[Results]) -> int:
    """Says whether all answers agree; the exit code."""
    faults = [fault for results in done for fault in results.faults]
    for fault in faults:
        print(f"FAULT: {fault}", file=sys.stderr)
    answers = sum(bool(row.answer) for results in done for row in results.rows)
    if not faults:
        print(f"All {answers} answers agree.")
    return DIFFERENT if faults else 0


if __name__ == "__main__":
    sys.exit(main())
