#!/usr/bin/env python3
"""Compares this project with other parsers on one file: python3 benches/compare/file.py FILE

Makes a virtual environment of its own with pinned packages, builds the release binaries, runs
every peer in a process of its own, and prints one table. Ends with 1 if two answers differ.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import subprocess
import sys
from pathlib import Path

from harness import driver, environment, ours, selftest
from harness.jobs import JOBS, JobSpec
from harness.machine import machine, versions
from harness.peers import PEERS
from harness.table import render

DIFFERENT, WRONG_USAGE, INTERRUPTED = 1, 2, 130


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Compare other parsers and our own modes on one file of JSON records.",
        epilog="The README beside this script says what each row does and what is fair.",
    )
    add = parser.add_argument
    add("file", nargs="?", type=Path, help="the file to read")
    add("--job", choices=JOBS, default=JOBS[0], help="the question (default: %(default)s)")
    add("--pointer", help="JSON Pointer of the field that --job field counts by")
    add("--format", choices=("lines", "whitespace"), default="lines", help="what separates records")
    add("--runs", type=positive, default=5, help="runs of each row (default: %(default)s)")
    add("--rounds", type=positive, default=1, help="rounds through all rows (default: %(default)s)")
    add("--threads", type=positive, default=1, help="threads for those that have them")
    add("--whole-process", action="store_true", help="measure whole processes, reading included")
    add("--baseline", help="the row that ratios refer to")
    add("--only", action="append", default=[], metavar="NAME", help="rows with NAME in their name")
    add("--splitlines", action="store_true", help="cut lines by bytes.splitlines, as published")
    add("--truth", type=Path, help="a report of ghcount that is known to be right")
    add("--json", type=Path, metavar="OUT", help="write every run to a JSON file, too")
    add("--no-build", action="store_true", help="do not run cargo; take the binaries as they are")
    add("--no-ours", action="store_true", help="peers alone")
    add("--bin-dir", type=Path, help="where our binaries are (default: target/release)")
    add("--venv", type=Path, default=environment.DEFAULT, help="the peers' virtual environment")
    add("--python", default=sys.executable, help="interpreter to make the environment with")
    add("--list", action="store_true", help="list the peers and their jobs")
    add("--self-test", action="store_true", help="check all answers on a tiny file, no figures")
    arguments = parser.parse_args()
    check_usage(parser, arguments)
    return arguments


def check_usage(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    if arguments.list or arguments.self_test:
        return
    if arguments.file is None:
        parser.error("a FILE is needed")
    if not arguments.file.is_file():
        parser.error(f"there is no file {arguments.file}")
    if (arguments.job == "field") != (arguments.pointer is not None):
        parser.error("--job field and --pointer go together")
    unknown = [
        name
        for name in arguments.only
        if not any(name.lower() in known.lower() for known in (*PEERS, driver.OURS, driver.SEARCH))
    ]
    if unknown:
        parser.error(f"no peer is called {', '.join(unknown)}; --list shows them")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def plan_of(arguments: argparse.Namespace, python: Path) -> driver.Plan:
    file = arguments.file.resolve()
    leaf = "string"
    if arguments.pointer is not None and arguments.format == "lines":
        leaf = driver.leaf_kind(file, arguments.pointer)
    return driver.Plan(
        file=file,
        job=JobSpec(arguments.job, arguments.pointer, leaf),
        format=arguments.format,
        runs=arguments.runs,
        rounds=arguments.rounds,
        threads=arguments.threads,
        whole_process=arguments.whole_process,
        splitlines=arguments.splitlines,
        only=tuple(arguments.only),
        python=python,
        binaries=None if arguments.no_ours else arguments.bin_dir or ours.default_folder(),
        truth=arguments.truth,
    )


def heading(plan: driver.Plan) -> str:
    """What was measured, where: the line above the table."""
    about = machine()
    job = f"{plan.job.name} {plan.job.pointer or ''}".strip()
    what = "whole processes, page cache warm" if plan.whole_process else "in memory"
    return (
        f"{plan.file.name}, {plan.file.stat().st_size / 1e9:.3f} GB, job {job}, {what}, "
        f"best and median of {plan.rounds * plan.runs}; {about['cpu']}, {about['cores']} cores, "
        f"Python {platform.python_version()}, {datetime.date.today()}"
    )


def show(plan: driver.Plan, outcome: driver.Outcome, baseline: str) -> None:
    """Prints the table, what has to be said beside it, and whether the answers agree."""
    print(heading(plan), end="\n\n")
    if outcome.rows:
        base = outcome.named(baseline)
        print(render(outcome.rows, base), end="\n\n")
        print(f"Ratios to {baseline}." if base else f"No ratios: {baseline} was not run.")
    for note in outcome.notes:
        print(note)
    for fault in outcome.faults:
        print(f"FAULT: {fault}", file=sys.stderr)
    if not outcome.faults:
        answered = sum(bool(row.answer) for row in outcome.rows)
        print(f"All {answered} answers agree.")


def write_json(path: Path, plan: driver.Plan, outcome: driver.Outcome, baseline: str) -> None:
    base = outcome.named(baseline)
    report = {
        "machine": machine(),
        "versions": versions(plan.python),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "file": plan.file.name,
        "bytes": plan.file.stat().st_size,
        "job": plan.job.name,
        "pointer": plan.job.pointer,
        "format": plan.format,
        "whole_process": plan.whole_process,
        "baseline": baseline if base else None,
        "rows": [row.as_json(base) for row in outcome.rows],
        "notes": outcome.notes,
        "faults": outcome.faults,
    }
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def compare(arguments: argparse.Namespace, python: Path) -> int:
    """Runs the comparison; the exit code."""
    plan = plan_of(arguments, python)
    build_note = None
    if not (arguments.no_build or arguments.no_ours or arguments.bin_dir):
        try:
            ours.build()
        except ours.Unavailable as error:
            build_note = f"Nothing of our own was built: {error}"
    outcome = driver.run(plan, lambda name: print(f"... {name}", file=sys.stderr))
    if build_note:
        outcome.notes.insert(0, build_note)
    baseline = arguments.baseline or driver.BASELINES.get(plan.job.name, driver.DEFAULT_BASELINE)
    show(plan, outcome, baseline)
    if arguments.json:
        write_json(arguments.json, plan, outcome, baseline)
    return DIFFERENT if outcome.faults else 0


def list_peers() -> None:
    for peer in PEERS.values():
        print(f"{peer.name:30} {peer.work:12} {', '.join(peer.jobs)} ({', '.join(peer.formats)})")


def main() -> int:
    arguments = parse_arguments()
    if arguments.list:
        list_peers()
        return 0
    try:
        python = environment.ensure(arguments.venv.resolve(), arguments.python)
        return selftest.run(python) if arguments.self_test else compare(arguments, python)
    except (ours.Failed, ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"file.py: {error}", file=sys.stderr)
        return DIFFERENT
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
