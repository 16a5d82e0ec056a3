"""Writes what was measured as Markdown: one page for each experiment, and one that sums up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.codecs import CLASSES
from experiments.leads import ORDER, Lead, cost, leads
from experiments.published import GONE, GONE_IN, NO_THREADS, PUBLISHED, SOURCES
from experiments.results import Results, Row
from harness.table import markdown

Cell = Callable[[Row], float | str | None]

LINE_ALLOWANCE = 64_000_000
"""Bytes beside the record that validating it, or reading one field, may need."""


def speed(row: Row, best: bool = True) -> float | None:
    """GB/s of what was read."""
    seconds = row.best() if best else row.median()
    return row.bytes / seconds / 1e9 if seconds else None


def times(factor: float, what: str, best: bool = True) -> Cell:
    """The best or the median of runs, in another unit."""

    def cell(row: Row) -> float | None:
        value = row.best(what) if best else row.median(what)
        return None if value is None else value * factor

    return cell


def peak(row: Row) -> float | None:
    """MB."""
    return row.peak_bytes / 1e6 if row.peak_bytes else None


COLUMNS: dict[str, dict[str, Cell]] = {
    "counting": {
        "threads": lambda row: str(row.threads),
        "GB/s": speed,
        "median": lambda row: speed(row, best=False),
        "user s": times(1, "user_seconds"),
        "system s": times(1, "system_seconds"),
        "peak MB": peak,
        "checks": lambda row: row.checks,
    },
    "payloads": {
        "s": times(1, "seconds"),
        "median s": times(1, "seconds", best=False),
        "CPU s": times(1, "cpu_seconds"),
        "user s": times(1, "user_seconds"),
        "system s": times(1, "system_seconds"),
        "peak MB": peak,
        "peak / document": lambda row: row.peak_bytes / row.bytes if row.peak_bytes else None,
        "checks": lambda row: row.checks,
    },
    "documents": {
        "CPU ms": times(1e3, "cpu_seconds"),
        "median ms": times(1e3, "cpu_seconds", best=False),
        "GB/s": lambda row: row.bytes / (row.best("cpu_seconds") or 1e-9) / 1e9,
        "peak MB": peak,
        "checks": lambda row: row.checks,
    },
    "codecs": {
        "decode ms": times(1e3, "seconds"),
        "median ms": times(1e3, "seconds", best=False),
        "encode ms": times(1e3, "encode_seconds"),
        "encoded kB": lambda row: row.encoded_bytes / 1e3 if row.encoded_bytes else None,
        "checks": lambda row: row.checks,
    },
}
"""The columns of each experiment's tables."""

TITLES = {
    "counting": "Counting events",
    "payloads": "Big payloads",
    "documents": "Ten thousand small documents",
    "codecs": "Decoding and encoding",
}

INTRODUCTIONS = {
    "counting": (
        "GH Archive events of 3.4 kB made by `ghgen`, one a line: events by type, and opened pull requests by the"
        " language of their repository. *In memory*: the file is read before the clock starts (DuckDB, Polars,"
        " ClickHouse and jq read it themselves, from the page cache). *Whole process*: from starting a process to"
        " its end, reading included, start-up not subtracted. *checks* is how many of 13 kinds of faults in a"
        " member that nobody asks for are refused. All answers equal the truth that `ghgen` knows."
    ),
    "payloads": (
        "Each a single JSON document in a file, read and decoded once in each process: a string of twenty million"
        " repeats of nine characters, eight of twelve bytes being special to a reader, between a few small members;"
        " parcels of land as GeoJSON, 311,000 small objects; a country's outline, numbers alone. *s* is"
        " reading and decoding; *CPU s* is user and system time of the process, less that of one that imports the"
        " same and reads nothing; *peak* is the most memory the system counted for the process. The field asked for"
        " is the document's last member."
    ),
    "documents": (
        "Articles, mostly strings, 5.5 kB each, one a file. Each run reads all files without looking at them, then"
        " reads and decodes them: *CPU ms* is the difference of the two, for all documents, on one thread."
    ),
    "codecs": (
        "Ten thousand small objects, and ten thousand users with ten numbers each, as one list in memory. *encode* is"
        " writing the list from Python objects. We do not write JSON yet. Other formats than JSON are read from what"
        " the same package family wrote."
    ),
}


def write_tables(experiments: list[Results], folder: Path) -> None:
    """Writes all pages."""
    for results in experiments:
        (folder / f"{results.experiment}.md").write_text(page(results))
    (folder / "README.md").write_text(summary(experiments))


def page(results: Results) -> str:
    """One experiment."""
    name = results.experiment
    lines = [f"# {TITLES[name]}", "", where(results), "", INTRODUCTIONS[name], ""]
    lines += [f"![{TITLES[name]}]({chart})\n" for chart in charts_of(results)]
    for part in results.parts():
        lines += [f"## {part[0].upper()}{part[1:]}", "", *size_of(results, part)]
        for work in works_in(results, part):
            lines += [f"### {work[0].upper()}{work[1:]}", "", table(results, part, work), ""]
        lines += [f"* {sentence(one)}" for one in leads(results) if one.part == part]
        lines += [""]
    lines += ["## Remarks", "", f"* {SOURCES[name]}"]
    lines += [f"* {NO_THREADS}"] if name == "counting" else []
    lines += [f"* {note}" for note in results.notes]
    return "\n".join(lines).rstrip() + "\n"


def charts_of(results: Results) -> list[str]:
    """The names of the charts that `charts` draws of an experiment."""
    if results.experiment == "counting":
        return ["counting-memory.svg", "counting-process.svg", "counting-threads.svg"]
    return [f"{results.experiment}-{part.replace(' ', '-')}.svg" for part in results.parts()]


def works_in(results: Results, part: str) -> list[str]:
    """The classes of a part, from the least work to the most."""
    present = {row.work for row in results.of(part)}
    return [work for work in ORDER if work in present]


def size_of(results: Results, part: str) -> list[str]:
    """A line on how much is read."""
    size = max((row.bytes for row in results.of(part)), default=0)
    return [f"{size / 1e6:,.1f} MB.", ""]


def where(results: Results) -> str:
    """When and on what it was measured."""
    about, computer = results.about, results.about["machine"]
    versions = about["versions"]
    quick = " **Small data: these figures say nothing.**" if about["scale"] == "quick" else ""
    return (
        f"Measured on {about['date']} at commit {about['commit']}: {computer['cores']} cores of {computer['cpu']},"
        f" {computer['memory_bytes'] / 2**30:.0f} GiB of memory, {computer['system']} {computer['kernel']},"
        f" Python {versions['Python']}, Rust {versions['rustc'].split()[0]}. Best and median of several runs, each"
        f" program in a process of its own. Compare rows of one class.{quick}"
    )


def table(results: Results, part: str, work: str) -> str:
    """One class, the fastest first, those without figures last."""
    name = results.experiment
    columns = COLUMNS[name]
    rows = results.of(part, work)
    rows = sorted(rows, key=lambda row: cost(name, row))
    shown = [
        [title(row), *(text(cell, row) for cell in columns.values()), published(name, row.name), remark(name, row)]
        for row in rows
    ]
    if work == CLASSES["tree"] and name in GONE_IN:
        shown += [[gone, *([""] * len(columns)), published(name, gone), why] for gone, why in GONE.items()]
    head = ["", *columns, "published", "remark"]
    keep = [0, *(i for i in range(1, len(head)) if any(line[i] for line in shown))]
    return markdown([head[i] for i in keep], [[line[i] for i in keep] for line in shown], left=1, also_left="remark")


def title(row: Row) -> str:
    """The row's name, ours in bold."""
    return f"**{row.name}**" if row.ours else row.name


def text(cell: Cell, row: Row) -> str:
    """A cell, with three significant digits."""
    if row.absent is not None:
        return ""
    value = cell(row)
    if value is None or isinstance(value, str):
        return value or ""
    return figure_text(value)


def figure_text(value: float) -> str:
    """Three significant digits, and no power of ten."""
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):.10f}".rstrip("0").rstrip(".")


def published(experiment: str, name: str) -> str:
    """The published figure of a row, or that none was found of one that can no longer be measured."""
    return PUBLISHED.get((experiment, name), "not found" if name in GONE else "")


def remark(experiment: str, row: Row) -> str:
    """What is to be said of a row: why it has no figures, a note."""
    parts = [row.absent, row.note]
    if experiment == "payloads" and row.ours and row.work in (CLASSES["validate"], CLASSES["field"]):
        within = (row.peak_bytes or 0) <= row.bytes + LINE_ALLOWANCE
        parts.append(f"{'within' if within else '**beyond**'} the record + 64 MB")
    return "; ".join(filter(None, parts))


def sentence(one: Lead) -> str:
    """Who leads."""
    if one.is_ours:
        return f"{one.title}: {one.ours.name} is ahead, {one.ratio:.2f} times {one.other.name}."
    return f"**{one.title}: {one.other.name} is ahead**, {1 / one.ratio:.2f} times {one.ours.name}. {one.reason}"


def summary(experiments: list[Results]) -> str:
    """The page that sums up."""
    lines = [
        "# Beside the published comparisons",
        "",
        "Made by `python3 benches/compare/run.py --full`, which repeats published comparisons of JSON parsers on one",
        "machine, with this project beside all that took part. Every run stands in the JSON files beside these pages.",
        "",
    ]
    for results in experiments:
        name = results.experiment
        lines += [
            f"## [{TITLES[name]}]({name}.md)",
            "",
            where(results),
            "",
            lead_table(results),
            "",
        ]
        behind = [one for one in leads(results) if not one.is_ours]
        lines += [f"* Not ahead in *{one.part}*: {sentence(one)}" for one in behind] + [""] * bool(behind)
    lines += ["## Versions", "", *versions(experiments)]
    return "\n".join(lines).rstrip() + "\n"


def lead_table(results: Results) -> str:
    """The best of ours and of the others' in each class."""
    name = results.experiment
    cell = {"counting": speed, "documents": COLUMNS["documents"]["CPU ms"]}
    figure = cell.get(name) or COLUMNS[name]["decode ms" if name == "codecs" else "s"]
    unit = {"counting": "GB/s", "documents": "CPU ms", "codecs": "ms", "payloads": "s"}[name]
    lines = [
        [one.part, one.title, *named(one.ours, figure), *named(one.other, figure), f"{one.ratio:.2f}"]
        for one in leads(results)
    ]
    head = ["", "class", "ours", unit, "best of the others", unit, "times as fast"]
    return markdown(head, lines, left=3)


def named(row: Row, figure: Cell) -> tuple[str, str]:
    """A row's name and a figure of it."""
    return title(row), text(figure, row)


def versions(experiments: list[Results]) -> list[str]:
    """The versions of all that took part."""
    known: dict[str, str] = {}
    for results in experiments:
        known |= results.about["versions"]
    return [", ".join(f"{name} {version}" for name, version in known.items()) + "."]
