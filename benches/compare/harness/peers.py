"""The parsers to compare with. A peer is a function from a source and a job to counts (or to the
document, for the job `loads`), registered with the class of its work.

Every peer is used in the fastest way that its own documentation shows for the job. Packages are
imported inside the functions: a worker loads the one that it measures.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from harness.answers import ABSENT
from harness.jobs import LANGUAGE, NOT_OPENED, OPENED_KIND, CountEvents, CountField, Validate

VALIDATE, FIELDS, TYPED, WHOLE = "validate", "some fields", "typed", "whole"
COUNTING = ("count-gh", "validate", "field")
ONE_DOCUMENT = ("loads",)


@dataclass(frozen=True)
class Source:
    """What a peer reads: a file, its bytes in memory, how its records are set apart.

    With `splitlines`, lines are cut as the published comparison cuts them, by `bytes.splitlines`.
    """

    path: Path
    format: str = "lines"
    threads: int = 1
    splitlines: bool = False

    @cached_property
    def data(self) -> bytes:
        """The file's bytes, read once, before the clock starts."""
        return self.path.read_bytes()

    def lines(self) -> Iterable[bytes]:
        """The records, one a line; a file object in memory is the fastest splitter Python has."""
        return self.data.splitlines() if self.splitlines else BytesIO(self.data)


Run = Callable[[Source, Any], Any]
Parse = Callable[[bytes], Any]


@dataclass(frozen=True)
class Peer:
    """A way of answering, and what is to be known of it."""

    name: str
    package: str | None
    work: str
    jobs: tuple[str, ...]
    formats: tuple[str, ...]
    tells_absent: bool
    reads_file: bool
    threads: Callable[[], bool]
    run: Run

    def takes(self, job: str, format: str) -> bool:
        """Whether the peer can do this job on records set apart like this."""
        return job in self.jobs and format in self.formats


PEERS: dict[str, Peer] = {}


def peer(
    name: str,
    work: str,
    *,
    package: str | None,
    jobs: tuple[str, ...] = COUNTING,
    formats: tuple[str, ...] = ("lines",),
    tells_absent: bool = True,
    reads_file: bool = False,
    threads: Callable[[], bool] = lambda: False,
) -> Callable[[Run], Run]:
    """Registers the decorated function as a peer."""

    def register(run: Run) -> Run:
        PEERS[name] = Peer(name, package, work, jobs, formats, tells_absent, reads_file, threads, run)
        return run

    return register


def free_threaded() -> bool:
    """Whether this interpreter runs Python code on several threads at once."""
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


def count_documents(job: Any, documents: Iterable[Any]) -> Counter:
    """Counts by key in C loops; no name holds a record while the next is parsed."""
    return Counter(map(job.key_of_document, documents))


# fastsimdjson: a stream at a time, four ways.

FASTSIMDJSON: dict[str, Any] = {
    "package": "fastsimdjson",
    "formats": ("lines", "whitespace"),
    "threads": free_threaded,
}


@peer("fastsimdjson fields=", FIELDS, **FASTSIMDJSON)
def fastsimdjson_fields(source: Source, job: Any) -> Counter:
    """The published way: `map_many` hands the values to a closure that counts them."""
    import fastsimdjson

    options = {"format": source.format, "fields": job.fields, "default": ABSENT}
    if source.threads > 1:  # a closure that counts would lose counts between threads
        options["threads"] = source.threads
        return Counter(fastsimdjson.map_many(job.key_of_fields, source.data, **options))
    counts, count = job.tally_fields()
    fastsimdjson.map_many(count, source.data, threads=1, **options)
    return counts


@peer("fastsimdjson fields=, Counter", FIELDS, **FASTSIMDJSON)
def fastsimdjson_counter(source: Source, job: Any) -> Counter:
    """No Python code a record: the tuples of values themselves are counted, in C."""
    import fastsimdjson

    tuples = fastsimdjson.loads_many(
        source.data,
        format=source.format,
        threads=source.threads if source.threads > 1 else None,
        fields=job.fields,
        default=ABSENT,
    )
    counts: Counter = Counter()
    for values, count in Counter(tuples).items():
        counts[job.key_of_fields(values)] += count
    return counts


def fastsimdjson_documents(source: Source, job: Any, lazy: bool) -> Counter:
    import fastsimdjson

    keys = fastsimdjson.map_many(
        job.key_of_document, source.data, format=source.format, threads=source.threads, lazy=lazy
    )
    return Counter(keys)


@peer("fastsimdjson lazy", FIELDS, **FASTSIMDJSON)
def fastsimdjson_lazy(source: Source, job: Any) -> Counter:
    return fastsimdjson_documents(source, job, lazy=True)


@peer("fastsimdjson whole", WHOLE, **FASTSIMDJSON)
def fastsimdjson_whole(source: Source, job: Any) -> Counter:
    return fastsimdjson_documents(source, job, lazy=False)


# Parsers called once a line.


@peer("pysimdjson lazy", FIELDS, package="pysimdjson")
def pysimdjson_lazy(source: Source, job: Any) -> Counter:
    import simdjson

    return count_documents(job, map(simdjson.Parser().parse, source.lines()))


@peer("orjson", WHOLE, package="orjson")
def orjson_whole(source: Source, job: Any) -> Counter:
    import orjson

    return count_documents(job, map(orjson.loads, source.lines()))


@peer("msgspec untyped", WHOLE, package="msgspec")
def msgspec_untyped(source: Source, job: Any) -> Counter:
    import msgspec

    return count_documents(job, map(msgspec.json.Decoder().decode, source.lines()))


@peer("ujson", WHOLE, package="ujson")
def ujson_whole(source: Source, job: Any) -> Counter:
    import ujson

    return count_documents(job, map(ujson.loads, source.lines()))


@peer("python-rapidjson", WHOLE, package="python-rapidjson")
def rapidjson_whole(source: Source, job: Any) -> Counter:
    import rapidjson

    return count_documents(job, map(rapidjson.loads, source.lines()))


@peer("simplejson", WHOLE, package="simplejson")
def simplejson_whole(source: Source, job: Any) -> Counter:
    import simplejson

    return count_documents(job, map(simplejson.loads, source.lines()))


@peer("json", WHOLE, package=None)
def json_whole(source: Source, job: Any) -> Counter:
    import json

    return count_documents(job, map(json.loads, source.lines()))


@peer("msgspec typed", TYPED, package="msgspec")
def msgspec_typed(source: Source, job: Any) -> Counter:
    """Structs that name the fields asked for; the rest of each record is skipped."""
    import msgspec

    from harness.typed import typed_key

    struct, key = typed_key(job)
    return Counter(map(key, map(msgspec.json.Decoder(struct).decode, source.lines())))


@peer("msgspec typed, decode_lines", TYPED, package="msgspec")
def msgspec_typed_lines(source: Source, job: Any) -> Counter:
    """The same, with the whole file decoded by one call."""
    import msgspec

    from harness.typed import typed_key

    struct, key = typed_key(job)
    return Counter(map(key, msgspec.json.Decoder(struct).decode_lines(source.data)))


# Table engines: they read the file themselves, on as many threads as they are given.


def counts_of_rows(job: Any, rows: Iterable[tuple]) -> Counter:
    """Rows of a table engine as counts. A row of `count-gh` is type, opened, language, count."""
    counts: Counter = Counter()
    for *key, count in rows:
        if isinstance(job, CountEvents):
            kind, opened, language = key
            counts[kind, language if opened else NOT_OPENED] += count
        else:
            counts[key[0] if key else ()] += count
    return counts


@peer(
    "duckdb",
    FIELDS,
    package="duckdb",
    formats=("lines", "whitespace"),
    tells_absent=False,
    reads_file=True,
    threads=lambda: True,
)
def duckdb_sql(source: Source, job: Any) -> Counter:
    """One scan for both counts; columns are declared, so that nothing else is kept."""
    import json

    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads = {source.threads}")
    style = {"lines": "newline_delimited", "whitespace": "unstructured"}[source.format]
    columns, select = duckdb_query(job)
    options = f"format = '{style}', columns = {columns}{duckdb_record_limit(source)}"
    relation = f"read_json({quoted(str(source.path))}, {options})"
    rows = connection.execute(f"select {select} from {relation} group by all").fetchall()
    if isinstance(job, CountField):  # JSON text; what it stands for is the key
        rows = [(None if text is None else json.loads(text), count) for text, count in rows]
    return counts_of_rows(job, rows)


DUCKDB_RECORD_BYTES = 16 << 20
"""The longest record that DuckDB reads by default. A higher limit costs it speed."""


def duckdb_record_limit(source: Source) -> str:
    """An option that raises the limit, where the file's first line is beyond it."""
    with source.path.open("rb") as file:
        first = file.readline(DUCKDB_RECORD_BYTES)
    if len(first) < DUCKDB_RECORD_BYTES:
        return ""
    return f", maximum_object_size = {source.path.stat().st_size + 1}"


def duckdb_query(job: Any) -> tuple[str, str]:
    """The columns to read and what to select of them."""
    if isinstance(job, Validate):
        return "{unused: 'JSON'}", "count(*)"
    if isinstance(job, CountField):
        return duckdb_columns(job.steps, "JSON"), f"{column_path(job.steps)}, count(*)"
    language = column_path(LANGUAGE[1:].split("/"))
    base = "STRUCT(base STRUCT(repo STRUCT(language VARCHAR)))"
    payload = f"STRUCT(action VARCHAR, pull_request {base})"
    opened = f"type = {quoted(OPENED_KIND)} and payload.action = 'opened'"
    select = f"type, coalesce({opened}, false) as o, case when o then {language} end, count(*)"
    return f"{{type: 'VARCHAR', payload: '{payload}'}}", select


def duckdb_columns(steps: list[str], leaf: str) -> str:
    """The declaration of the column that holds one pointer's value, as nested structs."""
    kind = leaf
    for step in reversed(steps[1:]):
        kind = f"STRUCT({column_path([step])} {kind})"
    return f"{{{column_path(steps[:1])}: {quoted(kind)}}}"


def column_path(steps: list[str]) -> str:
    return ".".join('"' + step.replace('"', '""') + '"' for step in steps)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@peer(
    "polars",
    FIELDS,
    package="polars",
    tells_absent=False,
    reads_file=True,
    threads=lambda: True,
)
def polars_scan(source: Source, job: Any) -> Counter:
    """A lazy scan with the schema of the fields asked for, grouped by them."""
    os.environ["POLARS_MAX_THREADS"] = str(source.threads)
    import polars as pl

    schema, keys = polars_query(job)
    frame = pl.scan_ndjson(source.path, schema=schema)
    if keys:
        return counts_of_rows(job, frame.group_by(keys).len().collect().rows())
    column = pl.col("unused")  # asked for, since `pl.len()` alone counts lines and parses none
    return counts_of_rows(job, frame.select(column.null_count() + column.count()).collect().rows())


def polars_query(job: Any) -> tuple[dict[str, Any], list[Any]]:
    """The schema to read with, and the expressions to group by."""
    import polars as pl

    if isinstance(job, Validate):
        return {"unused": pl.String}, []
    if isinstance(job, CountField):
        kinds = {
            "string": pl.String,
            "integer": pl.Int64,
            "float": pl.Float64,
            "boolean": pl.Boolean,
        }
        return polars_schema(job.steps, kinds[job.leaf]), [polars_member(job.steps)]
    repo = pl.Struct({"language": pl.String})
    base = pl.Struct({"base": pl.Struct({"repo": repo})})
    schema = {"type": pl.String, "payload": pl.Struct({"action": pl.String, "pull_request": base})}
    action = polars_member(["payload", "action"])
    opened = ((pl.col("type") == OPENED_KIND) & (action == "opened")).fill_null(False)
    language = pl.when(opened).then(polars_member(LANGUAGE[1:].split("/")))
    return schema, [pl.col("type"), opened.alias("opened"), language.alias("language")]


def polars_schema(steps: list[str], leaf: Any) -> dict[str, Any]:
    import polars as pl

    kind = leaf
    for step in reversed(steps[1:]):
        kind = pl.Struct({step: kind})
    return {steps[0]: kind}


def polars_member(steps: list[str]) -> Any:
    import polars as pl

    value = pl.col(steps[0])
    for step in steps[1:]:
        value = value.struct.field(step)
    return value.alias("key")


@peer(
    "clickhouse (chdb)",
    FIELDS,
    package="chdb",
    jobs=("count-gh",),
    tells_absent=False,
    reads_file=True,
    threads=lambda: True,
)
def clickhouse(source: Source, job: Any) -> Counter:
    """The lines as text and its JSON functions, which are faster than a table of nested tuples."""
    import json

    import chdb

    opened = f"type = {quoted(OPENED_KIND)} and JSONExtractString(line, 'payload', 'action') = 'opened'"
    path = ", ".join(map(quoted, LANGUAGE[1:].split("/")))
    query = (
        f"select JSONExtract(line, 'type', 'Nullable(String)') as type, coalesce({opened}, false) as o,"
        f" if(o, JSONExtract(line, {path}, 'Nullable(String)'), null) as language, count()"
        f" from file({quoted(str(source.path))}, LineAsString, 'line String') group by all"
        f" settings max_threads = {source.threads}"
    )
    rows = str(chdb.query(query, "JSONCompactEachRow")).splitlines()
    return counts_of_rows(job, ((*key, int(count)) for *key, count in map(json.loads, rows)))


JQ_COUNTS = """reduce inputs as $e ({}; (
  ($e.type == "PullRequestEvent" and $e.payload.action == "opened") as $opened
  | [$e.type, $opened, (if $opened then $e.payload.pull_request.base.repo.language else null end)]
  | tojson) as $key | .[$key] += 1)"""


@peer("jq", WHOLE, package=None, jobs=("count-gh",), tells_absent=False, reads_file=True)
def jq(source: Source, job: Any) -> Counter:
    """The program, which counts by itself."""
    import json
    import subprocess

    command = ["jq", "--null-input", "--compact-output", JQ_COUNTS, str(source.path)]
    counts = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return counts_of_rows(job, ((*json.loads(key), count) for key, count in counts.items()))


# One big document.


def load_document(name: str, work: str, package: str | None, parse: Callable[[], Parse]) -> None:
    """Registers a peer for the job `loads`; `parse` imports the package and gives its function."""
    peer(name, work, package=package, jobs=ONE_DOCUMENT)(lambda source, _: parse()(source.data))


def from_module(module: str, function: str) -> Callable[[], Parse]:
    """Gives a module's function, importing the module at first use."""

    def parse() -> Parse:
        return getattr(__import__(module), function)

    return parse


def pysimdjson_parse() -> Parse:
    """A parser lives as long as its document: both are made anew for each run."""
    import simdjson

    return simdjson.Parser().parse


def msgspec_decode() -> Parse:
    import msgspec

    return msgspec.json.decode


load_document("fastsimdjson loads", WHOLE, "fastsimdjson", from_module("fastsimdjson", "loads"))
load_document("fastsimdjson parse", VALIDATE, "fastsimdjson", from_module("fastsimdjson", "parse"))
load_document("pysimdjson parse", VALIDATE, "pysimdjson", pysimdjson_parse)
load_document("orjson loads", WHOLE, "orjson", from_module("orjson", "loads"))
load_document("msgspec decode", WHOLE, "msgspec", msgspec_decode)
load_document("ujson loads", WHOLE, "ujson", from_module("ujson", "loads"))
load_document("json loads", WHOLE, None, from_module("json", "loads"))
