"""What is read: made once, the same each time, and kept in a folder that is not committed.

Events come from `ghgen`, which knows what is true of them. Documents are made here, in the shapes
that the published comparisons describe; what is in them is told by Python's own `json`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from experiments import digest
from harness.environment import TARGET, WORKPLACE

FOLDER = WORKPLACE / "data"
WORDS = [
    *("parser", "field", "record", "window", "tape", "kernel", "block", "vector", "memory", "thread", "string"),
    *("number", "object", "array", "value", "closure", "pointer", "result", "branch", "merge", "review", "release"),
    *("issue", "report", "latency", "throughput", "naïve", "café", "Zürich", "東京", "señor", "“quoted”", "…"),
    *("C:\\path", "line\nbreak", "tab\there", "a/b", '"said"'),
]
"""Words of made text; some need an escape, some more than one byte a character."""


@dataclass(frozen=True)
class Made:
    """A file or folder that was made, and what an independent reader found in it."""

    path: Path
    bytes: int
    expected: dict[str, Any]


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The file or folder of that name, made now if it is not there whole."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path, unfinished = FOLDER / name, FOLDER / f"unfinished-{name}"
    if not path.exists():
        remove(unfinished)
        make(unfinished)
        unfinished.rename(path)
    return path


def remove(path: Path) -> None:
    """Removes a file or folder, if there is one."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def events(size: str) -> tuple[Path, Path]:
    """GH Archive events, and the report that is true of them."""
    truth = FOLDER / f"events-{size}.truth.json"

    def make(path: Path) -> None:
        ghgen = TARGET / "release" / "ghgen"
        command = [ghgen, "--bytes", size, "--output", path, "--truth", truth]
        subprocess.run(command, check=True)

    return kept(f"events-{size}.json", make), truth


def document(name: str, parts: Iterable[str], shape: str | None = None) -> Made:
    """A document written from pieces of its text, with what is in it."""

    def make(path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(parts)

    path = kept(f"{name}.json", make)
    return Made(path, path.stat().st_size, expectation(name, lambda: [path], shape))


def folder(name: str, documents: Iterator[Any], shape: str) -> Made:
    """A folder with one document a file."""

    def make(path: Path) -> None:
        path.mkdir()
        for number, document in enumerate(documents):
            (path / f"{number:05}.json").write_text(compact(document), encoding="utf-8")

    path = kept(name, make)
    files = sorted(path.iterdir())
    size = sum(file.stat().st_size for file in files)
    return Made(path, size, expectation(name, lambda: files, shape))


def expectation(name: str, paths: Callable[[], list[Path]], shape: str | None) -> dict[str, Any]:
    """The digests of documents, by kind of work, as Python's `json` reads them."""

    def make(path: Path) -> None:
        # In a process of its own: gigabytes of objects would stay with this one.
        with ProcessPoolExecutor(max_workers=1) as pool:
            path.write_text(json.dumps(pool.submit(expected, paths(), shape).result()))

    return json.loads(kept(f"{name}.expected.json", make).read_bytes())


def expected(paths: list[Path], shape: str | None) -> dict[str, Any]:
    """What each kind of work must find in some documents."""
    documents = [json.loads(path.read_bytes()) for path in paths]
    whole = digest.merged(map(digest.digest, documents))
    found = {"tree": whole, "values": whole, "validate": {"documents": len(documents)}}
    if shape is not None:
        typed = (digest.typed_digest(shape, document) for document in documents)
        found["typed"] = digest.merged(typed)
    if all(isinstance(document, dict) for document in documents):
        fields = (digest.field_digest(document["name"]) for document in documents)
        found["field"] = digest.merged(fields)
    return found


def compact(value: Any) -> str:
    """JSON without white space, text as it is."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def sentence(random: Random, words: int) -> str:
    """Some words."""
    return " ".join(random.choices(WORDS, k=words))


PATTERN = 'A"\\ :,;\n1'
"""Nine characters, twelve bytes as JSON: every second or third byte is one that a reader looks at."""


def long_string(repeats: int) -> Made:
    """One record with a very long string between a few small members."""

    def parts() -> Iterator[str]:
        yield '{"id":1,"flags":[true,false,null],"ratio":0.5,"text":"'
        piece = json.dumps(PATTERN)[1:-1]
        for _ in range(repeats // 1000):
            yield piece * 1000
        yield '","name":"the member behind the long one"}'

    return document(f"long-string-{repeats}", parts())


def parcels(count: int) -> Made:
    """One GeoJSON document of many small objects: parcels of land."""

    def parts() -> Iterator[str]:
        random = Random(1)
        yield '{"type":"FeatureCollection","features":['
        for number in range(count):
            yield ("," if number else "") + compact(parcel(random, number))
        yield '],"name":"parcels"}'

    return document(f"parcels-{count}", parts())


def parcel(random: Random, number: int) -> dict[str, Any]:
    """One feature: ten small members and a polygon of five to twelve corners."""
    x, y = random.uniform(-122.52, -122.36), random.uniform(37.70, 37.83)
    ring = [
        [x + random.uniform(-1e-3, 1e-3), y + random.uniform(-1e-3, 1e-3), 0.0] for _ in range(random.randint(4, 11))
    ]
    properties = {
        "MAPBLKLOT": f"{number:07}",
        "BLKLOT": f"{number:07}",
        "BLOCK_NUM": f"{number // 100:04}",
        "LOT_NUM": f"{number % 100:03}",
        "FROM_ST": str(random.randint(1, 4000)) if number % 3 else None,
        "TO_ST": str(random.randint(1, 4000)) if number % 3 else None,
        "STREET": random.choice(("MARKET", "UNKNOWN", "19TH", "LINCOLN", "SKYLINE")),
        "ST_TYPE": random.choice(("ST", "AVE", "WAY", None)),
        "ODD_EVEN": "E" if number % 2 else "O",
    }
    geometry = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def outline(points: int) -> Made:
    """One document of numbers: the outline of a country, in rings of a few hundred points."""

    def parts() -> Iterator[str]:
        random = Random(2)
        yield '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":'
        yield '{"type":"Polygon","coordinates":['
        for number in range(points // 250):
            ring = [[random.uniform(-141, -53), random.uniform(42, 83)] for _ in range(250)]
            yield ("," if number else "") + compact(ring)
        yield ']}}],"name":"outline"}'

    return document(f"outline-{points}", parts())


def articles(count: int) -> Made:
    """Small documents, mostly strings, one a file: 5.5 kB each."""

    def documents() -> Iterator[Any]:
        random = Random(3)
        for number in range(count):
            yield article(random, number)

    return folder(f"articles-{count}", documents(), "article")


def article(random: Random, number: int) -> dict[str, Any]:
    """One document."""
    return {
        "id": number,
        "name": sentence(random, 8),
        "author": {"login": f"user{number % 97}", "email": f"user{number % 97}@example.org"},
        "published": number % 3 == 0,
        "tags": random.sample(WORDS, 6),
        "body": [sentence(random, random.randint(28, 73)) for _ in range(10)],
        "comments": [
            {"by": f"user{random.randint(0, 99)}", "text": sentence(random, 18), "likes": likes}
            for likes in range(random.randint(5, 14))
        ],
        "revision": None,
        "score": random.uniform(0, 5),
    }


def items(count: int) -> Made:
    """A list of small objects."""
    random = Random(4)
    made = [
        {
            "id": number,
            "name": f"item {number}",
            "active": number % 3 == 0,
            "score": round(random.uniform(0, 100), 2),
        }
        for number in range(count)
    ]
    return document(f"items-{count}", [compact(made)], "items")


def users(count: int) -> Made:
    """A list of users with ten numbers each."""
    random = Random(5)
    made = [
        {
            "id": number,
            "name": f"{random.choice(WORDS)} {random.choice(WORDS)}",
            "email": f"user{number}@example.org",
            "age": random.randint(18, 90),
            "active": number % 2 == 0,
            "city": random.choice(("Zürich", "東京", "Lagos", "Montréal", "Quito")),
            "values": [random.uniform(-1000, 1000) for _ in range(10)],
        }
        for number in range(count)
    ]
    return document(f"users-{count}", [compact(made)], "users")
