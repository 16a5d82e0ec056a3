"""The self-test: every peer on tiny files whose answers are written out by hand, and the
comparison itself on answers that must not agree. Answers only, no figure is judged."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from experiments import digest
from harness import driver, ours
from harness.answers import Answer, differences
from harness.jobs import JobSpec

EVENTS = r"""
{"id":"1","type":"PushEvent","payload":{"action":"opened","size":1}}
{"id":"2","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"base":{"repo":{"language":"C++"}}}}}
{"id":"3","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"base":{"repo":{"language":"C\u002b\u002b"}}}}}
{"id":"4","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"base":{"repo":{"language":null}}}}}
{"id":"5","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"base":{"repo":{"name":"a"}}}}}
{"id":"6","type":"PullRequestEvent","payload":{"action":"opened","pull_request":null}}
{"id":"7","type":"PullRequestEvent","payload":{"action":"closed","pull_request":{"base":{"repo":{"language":"C++"}}}}}
{"id":"8","payload":null,"text":"日本 \ud83d\ude00 \"quoted\" \\"}
""".lstrip().encode()
"""Two ways to write one language; null, absent, and absent further up; not opened; no type."""

EVENTS_COUNTED: Answer = {
    "records": 8,
    "types": [
        {"key": "PullRequestEvent", "count": 6},
        {"key": "PushEvent", "count": 1},
        {"absent": True, "count": 1},
    ],
    "opened_pull_requests": {
        "total": 5,
        "languages": [
            {"key": "C++", "count": 2},
            {"absent": True, "count": 2},
            {"key": None, "count": 1},
        ],
    },
}

REQUESTS = b"""
{"host":"a","answer":{"status":200,"cached":true,"ratio":0.5}}
{"host":"b","answer":{"status":404,"cached":false,"ratio":1.5}}
{"host":"c","answer":{"status":200,"cached":true,"ratio":0.5}}
{"host":"c","answer":{"status":null}}
{"host":"d","answer":{}}
{"host":"d"}
""".lstrip()

DOCUMENT = rb'{"a": [1, 2.5, true, null, "x\u00e9"], "b": {"c": "", "d": [[], {}]}}'

CONTENT = {
    "dict": 3,
    "list": 3,
    "int": 1,
    "float": 1,
    "bool": 1,
    "NoneType": 1,
    "str": 2,
    "characters in keys": 4,
    "characters in strings": 2,
}


def by_value(pairs: list[tuple[object, int]], absent: int) -> Answer:
    """The answer to a count by one field of `REQUESTS`."""
    rows = [{"key": key, "count": count} for key, count in pairs]
    return {"records": 6, "groups": [*rows, {"absent": True, "count": absent}]}


def pretty(lines: bytes) -> bytes:
    """The same records over several lines each, as `--format whitespace` reads them."""
    records = map(json.loads, lines.splitlines())
    return "\n\n".join(json.dumps(record, indent=2) for record in records).encode()


def spaced(lines: bytes) -> bytes:
    """The same records as Python writes them by default, with Windows line ends."""
    records = map(json.loads, lines.splitlines())
    return "".join(json.dumps(record) + "\r\n" for record in records).encode()


COUNT = JobSpec("count-gh")
CASES: list[tuple[str, JobSpec, str, bytes, Answer]] = [
    ("events", COUNT, "lines", EVENTS, EVENTS_COUNTED),
    ("spaced events, CRLF", COUNT, "lines", spaced(EVENTS), EVENTS_COUNTED),
    ("pretty-printed events", COUNT, "whitespace", pretty(EVENTS), EVENTS_COUNTED),
    ("records", JobSpec("validate"), "lines", EVENTS, {"records": 8}),
    (
        "one field, strings",
        JobSpec("field", "/host"),
        "lines",
        REQUESTS,
        {
            "records": 6,
            "groups": [
                {"key": "a", "count": 1},
                {"key": "b", "count": 1},
                {"key": "c", "count": 2},
                {"key": "d", "count": 2},
            ],
        },
    ),
    (
        "one field, integers",
        JobSpec("field", "/answer/status", "integer"),
        "lines",
        REQUESTS,
        by_value([(200, 2), (404, 1), (None, 1)], absent=2),
    ),
    (
        "one field, floats",
        JobSpec("field", "/answer/ratio", "float"),
        "lines",
        REQUESTS,
        by_value([(0.5, 2), (1.5, 1)], absent=3),
    ),
    (
        "one field, booleans",
        JobSpec("field", "/answer/cached", "boolean"),
        "lines",
        REQUESTS,
        by_value([(True, 2), (False, 1)], absent=3),
    ),
    ("one document", JobSpec("loads"), "lines", DOCUMENT, {"records": 1, "content": CONTENT}),
]


class Score:
    """Counts what passed, and says what failed."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, name: str, problems: list[str]) -> None:
        """One test: it passes if there is no problem."""
        self.passed += not problems
        self.failed += bool(problems)
        for problem in problems:
            print(f"FAILED {name}: {problem}", file=sys.stderr)


def expect(name: str, actual: object, expected: object) -> list[str]:
    return [] if actual == expected else [f"{name} is {actual!r}, not {expected!r}"]


def check_case(plan: driver.Plan, truth: Path, expected: Answer) -> list[str]:
    """Every able peer answers as expected, and a wrong expectation is noticed."""
    truth.write_text(json.dumps(expected))
    plan = replace(plan, truth=truth)
    outcome = driver.run(plan, lambda _: None)
    truth.write_text(json.dumps(expected | {"records": expected["records"] + 1}))
    wrong = driver.compare(outcome.rows, driver.reference(plan, outcome.rows))
    return (
        outcome.faults
        + expect("rows", [row.name for row in outcome.rows], [peer.name for peer in plan.peers()])
        + expect("wrong truths noticed", len(wrong), len(outcome.rows))
    )


def check_comparison() -> list[str]:
    """Each way in which two answers can differ is a difference, and no other is."""
    other_language = json.loads(json.dumps(EVENTS_COUNTED))
    other_language["opened_pull_requests"]["languages"][0]["key"] = "C"
    merged = json.loads(json.dumps(EVENTS_COUNTED).replace('"absent": true', '"key": null'))
    numbers = [{"groups": [{"key": key, "count": 3}]} for key in (1, 1.0, True)]
    found = {
        "the same": len(differences(EVENTS_COUNTED, EVENTS_COUNTED, False)),
        "other language": len(differences(EVENTS_COUNTED, other_language, False)),
        "null for absent, told apart": len(differences(EVENTS_COUNTED, merged, False)),
        "null for absent, merged": len(differences(EVENTS_COUNTED, merged, True)),
        "1 and 1.0": len(differences(numbers[0], numbers[1], False)),
        "1 and true": len(differences(numbers[0], numbers[2], False)),
        "a part is missing": len(differences({"records": 8}, EVENTS_COUNTED, False)),
    }
    expected = dict(zip(found, (0, 1, 2, 0, 0, 1, 0), strict=True))
    return expect("differences", found, expected)


def check_digest() -> list[str]:
    """What is told of a document is what can be counted by hand, and each change of it is noticed."""
    told = digest.digest(json.loads(DOCUMENT))
    sums = {"crc_sum", "number_bits"}
    counted = {"documents": 1, "objects": 3, "arrays": 3, "strings": 2, "numbers": 2, "literals": 2}
    counted |= {"key_bytes": 4, "string_bytes": 3}
    changes = [(b"2.5", b"2.25"), (b"true", b"[]"), (b"x", b"y"), (b'"c"', b'"C"'), (b"null", b"0")]
    missed = [
        new.decode()
        for old, new in changes
        if not digest.differences(digest.digest(json.loads(DOCUMENT.replace(old, new))), told)
    ]
    return expect("digest", {k: v for k, v in told.items() if k not in sums}, counted) + expect("missed", missed, [])


def check_validation(plan: driver.Plan) -> list[str]:
    """fastsimdjson refuses every fault but NaN, which it documents as accepted."""
    rows = driver.run(replace(plan, only=("fastsimdjson",)), lambda _: None).rows
    return expect("rows", len(rows), 4) + [
        problem for row in rows for problem in expect(f"{row.name} lets pass", row.details["lets_pass"], ["NaN"])
    ]


BENCH = {"name": "full", "class": "validate", "bytes": 100, "seconds": [2.0, 1.0]}


def bench_line(name: str, records: int) -> str:
    """A row of `ndskim bench` as it is printed."""
    return json.dumps(BENCH | {"name": name, "answer": {"records": records}})


PROGRAMS: list[tuple[str, str, int, int]] = [
    ("rows that agree", f'{{"rows": [{bench_line("full", 8)}]}}', 0, 0),
    ("rows a line", "\n".join(bench_line(name, 8) for name in ("full", "visited")), 0, 0),
    ("a row that differs", bench_line("full", 9), 0, 1),
    ("a row without answer", json.dumps(BENCH), 0, 1),
    ("no such subcommand", "", ours.WRONG_USAGE, 0),
    ("a failure", "", 1, 1),
]
"""Stand-ins for `ndskim`: what they are, what they print, exit code, faults to be found."""


def stand_in(folder: Path, name: str, output: str, code: int = 0) -> None:
    """Puts a program there that prints this and ends with this exit code."""
    text, program = folder / f"{name}.out", folder / name
    text.write_text(output)
    program.write_text(f"#!/bin/sh\ncat '{text}'\nexit {code}\n")
    program.chmod(0o755)


def check_bench(plan: driver.Plan, output: str, code: int, faults: int) -> list[str]:
    """What `ndskim bench` prints and ends with is taken as the README says."""
    assert plan.binaries is not None
    stand_in(plan.binaries, "ndskim", output, code)
    outcome = driver.run(plan, lambda _: None)
    missing = sum(note.startswith("No rows of our own") for note in outcome.notes)
    rows = len(output.splitlines()) if code == 0 and "answer" in output else 0
    return (
        expect("faults", len(outcome.faults), faults)
        + expect("rows", len(outcome.rows), rows)
        + expect("notes on what is missing", missing, int(code == ours.WRONG_USAGE))
    )


def check_ghcount(plan: driver.Plan) -> list[str]:
    """Each way to run `ghcount` is a row, and a wrong report of it is a fault in each."""
    assert plan.binaries is not None
    problems = []
    for report, faults in ((EVENTS_COUNTED, 0), (EVENTS_COUNTED | {"records": 7}, 3)):
        stand_in(plan.binaries, "ghcount", json.dumps(report))
        outcome = driver.run(replace(plan, whole_process=True), lambda _: None)
        problems += expect("rows", [row.ours for row in outcome.rows], [True] * 3)
        problems += expect("faults", len(outcome.faults), faults)
    return problems


def run(python: Path) -> int:
    """Runs all tests; the exit code."""
    score = Score()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in CASES:
            problems = check_case(plan_for(folder, python, case), folder / "truth.json", case[-1])
            score.check(case[0], problems)
        score.check("comparison", check_comparison())
        score.check("digest", check_digest())
        plan = plan_for(folder, python, CASES[0])
        score.check("validation", check_validation(plan))
        truth = folder / "truth.json"
        truth.write_text(json.dumps(EVENTS_COUNTED))
        plan = replace(plan, truth=truth, binaries=folder, only=(driver.OURS,))
        for what, output, code, faults in PROGRAMS:
            score.check(what, check_bench(plan, output, code, faults))
        score.check("ghcount", check_ghcount(plan))
    print(f"{score.passed} passed, {score.failed} failed")
    return 1 if score.failed else 0


def plan_for(folder: Path, python: Path, case: tuple[str, JobSpec, str, bytes, Answer]) -> driver.Plan:
    """Writes a case's file, and plans one run of it."""
    _, job, layout, data, _ = case
    file = folder / "records.json"
    file.write_bytes(data)
    return driver.Plan(file=file, job=job, format=layout, runs=1, python=python)
