"""The experiments: what each reads, how much of it, how often."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments import counting, data, documents
from experiments.codecs import CODECS
from experiments.documents import Task
from experiments.results import Results, Row
from harness.measure import output_of

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Scale:
    """How much there is to read, and how often it is read."""

    counting: counting.Sizes
    repeats: int
    parcels: int
    points: int
    payload_runs: int
    articles: int
    article_runs: int
    objects: int
    codec_runs: int


FULL = Scale(
    counting=counting.Sizes("1GB", "200MB", runs=5),
    repeats=20_000_000,
    parcels=311_000,
    points=56_000,
    payload_runs=3,
    articles=10_000,
    article_runs=5,
    objects=10_000,
    codec_runs=7,
)

QUICK = Scale(
    counting=counting.Sizes("2MB", "500KB", runs=1),
    repeats=50_000,
    parcels=500,
    points=2_000,
    payload_runs=1,
    articles=50,
    article_runs=1,
    objects=200,
    codec_runs=1,
)


@dataclass(frozen=True)
class Runner:
    """What an experiment is run with."""

    scale: Scale
    python: Path
    installed: dict[str, str]
    progress: Progress

    def tasks(self, tasks: list[Task], results: Results) -> None:
        """Runs tasks on whole documents, one after the other."""
        for task in tasks:
            self.prepare(task)
            documents.run(task, self.python, self.installed, results, self.progress)

    def prepare(self, task: Task) -> None:
        """Makes the files of formats other than JSON, each beside the document."""
        for made in filter(None, (task.made, task.tenth)):
            for format in task.formats:
                if format != "json" and not made.path.with_suffix(f".{format}").exists():
                    self.progress(f"{task.part}: making the {format} file")
                    request = {"from": "prepare", "format": format, "path": str(made.path)}
                    output_of([str(self.python), "-m", "experiments.child", json.dumps(request)])


def run_counting(runner: Runner, results: Results) -> None:
    """Types and languages of events, one a line."""
    counting.run(runner.scale.counting, runner.python, results, runner.progress)


def run_payloads(runner: Runner, results: Results) -> None:
    """Big documents, each one record: peak memory and speed."""
    scale, binary = runner.scale, ("json", "pickle", "marshal", "msgpack")
    made = {
        "a very long string": data.long_string(scale.repeats),
        "many small objects": data.parcels(scale.parcels),
        "numbers": data.outline(scale.points),
    }
    tasks = [Task(part, one, "file", scale.payload_runs, formats=binary) for part, one in made.items()]
    runner.tasks(tasks, results)


def run_documents(runner: Runner, results: Results) -> None:
    """Small documents, one a file: processor time of decoding them."""
    made = data.articles(runner.scale.articles)
    task = Task("small documents", made, "folder", runner.scale.article_runs, shape="article")
    runner.tasks([task], results)


def run_codecs(runner: Runner, results: Results) -> None:
    """Lists of objects in memory: decoding and encoding."""
    scale = runner.scale
    formats = ("json", "msgpack", "yaml", "pickle", "marshal")
    tasks = [
        Task(
            part,
            make(scale.objects),
            "memory",
            scale.codec_runs,
            shape=part,
            formats=formats,
            tenth=make(scale.objects // 10),
        )
        for part, make in (("items", data.items), ("users", data.users))
    ]
    runner.tasks(tasks, results)
    for task in tasks:
        add_encoding(runner, task, results)


def add_encoding(runner: Runner, task: Task, results: Results) -> None:
    """Measures writing, beside the row of the same parser's reading."""
    rows = {row.name: row for row in results.of(task.part, documents.CLASSES["tree"])}
    for codec in CODECS:
        row = rows.get(codec.name)
        if row is not None and row.absent is None and codec.encode is not None:
            runner.progress(f"{task.part}: {codec.name}, encoding")
            encode(runner, task, codec.name, row, codec.slow)
    for row in rows.values():
        if row.ours:
            row.note = "encoding: not yet"


def encode(runner: Runner, task: Task, name: str, row: Row, slow: bool) -> None:
    """Fills in what writing takes."""
    made = task.tenth if slow and task.tenth is not None else task.made
    runs = 1 if slow else task.runs
    request = {"codec": name, "from": "encode", "path": str(made.path), "runs": runs}
    run = output_of([str(runner.python), "-m", "experiments.child", json.dumps(request)])
    report, factor = json.loads(run.output), task.made.bytes / made.bytes
    row.encode_seconds = [factor * seconds for seconds in report["seconds"]]
    row.encoded_bytes = round(factor * report["bytes"])


EXPERIMENTS: dict[str, Callable[[Runner, Results], None]] = {
    "counting": run_counting,
    "payloads": run_payloads,
    "documents": run_documents,
    "codecs": run_codecs,
}
