"""One parser of whole documents in a process of its own: prints one JSON object, as
`ndskim-compare` does. Started as `python -m experiments.child REQUEST`, with the request as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments import digest
from experiments.codecs import BY_NAME, WRITERS, resolve

Report = dict[str, Any]


class Laps:
    """Seconds of the wall and of the processor, of each run."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.cpu_seconds: list[float] = []

    def run(self, work: Callable[[], Any]) -> Any:
        """Does some work on the clock."""
        start, start_cpu = time.perf_counter(), time.process_time()
        result = work()
        self.cpu_seconds.append(time.process_time() - start_cpu)
        self.seconds.append(time.perf_counter() - start)
        return result


def answer(request: dict[str, Any], result: Any) -> digest.Digest:
    """What the result says of the document. Not on the clock."""
    work = request["work"]
    if work == "field":
        return digest.field_digest(result)
    if work == "values":
        return result
    if request["digest"] and work == "tree":
        return digest.digest(result)
    if request["digest"] and work == "typed":
        from experiments.adapters import plain

        return digest.typed_digest(request["shape"], plain(result))
    return {"documents": 1}


def read_file(request: dict[str, Any], decode: Callable[[bytes], Any]) -> Report:
    """Each run reads the file and decodes it."""
    path, laps, result = Path(request["path"]), Laps(), None
    for _ in range(request["runs"]):
        result = None  # what the last run made is freed off the clock
        result = laps.run(lambda: decode(path.read_bytes()))
    return vars(laps) | {"answer": answer(request, result)}


def read_memory(request: dict[str, Any], decode: Callable[[bytes], Any]) -> Report:
    """The file is read before the clock starts."""
    data, laps, result = Path(request["path"]).read_bytes(), Laps(), None
    for _ in range(request["runs"]):
        result = None
        result = laps.run(lambda: decode(data))
    return vars(laps) | {"answer": answer(request, result)}


def read_folder(request: dict[str, Any], decode: Callable[[bytes], Any]) -> Report:
    """Each run reads all files without decoding them, then reads and decodes them."""
    paths = sorted(map(str, Path(request["path"]).iterdir()))
    laps, reading = Laps(), Laps()

    def read_all() -> None:
        for path in paths:
            with open(path, "rb", buffering=0) as file:
                file.read()

    def decode_all() -> None:
        for path in paths:
            with open(path, "rb", buffering=0) as file:
                decode(file.read())

    for _ in range(request["runs"]):
        reading.run(read_all)
        laps.run(decode_all)
    documents = (decode(Path(path).read_bytes()) for path in paths)
    answers = digest.merged(answer(request, document) for document in documents)
    return vars(laps) | {"reading_cpu_seconds": reading.cpu_seconds, "answer": answers}


def encode(request: dict[str, Any]) -> Report:
    """Writes a document that is in memory as Python objects."""
    document = json.loads(Path(request["path"]).read_bytes())
    write, laps, text = BY_NAME[request["codec"]].encoder(), Laps(), b""
    for _ in range(request["runs"]):
        text = laps.run(lambda: write(document))
    size = len(text.encode() if isinstance(text, str) else text)
    return vars(laps) | {"answer": {}, "bytes": size}


def prepare(request: dict[str, Any]) -> Report:
    """Writes a JSON file's document in another format, beside it."""
    source = Path(request["path"])
    text = resolve(WRITERS[request["format"]])(json.loads(source.read_bytes()))
    target = source.with_suffix("." + request["format"])
    target.write_bytes(text.encode() if isinstance(text, str) else text)
    return {"path": str(target)}


def run(request: dict[str, Any]) -> Report:
    """Does what the request asks for."""
    if request["from"] == "prepare":
        return prepare(request)
    if request["from"] == "encode":
        return encode(request)
    codec = BY_NAME[request["codec"]]
    decode = codec.decoder(request["work"], pointer=request["pointer"], shape=request["shape"])
    if request["from"] == "nowhere":  # what it takes to start, import and end
        return {"seconds": [], "cpu_seconds": [], "answer": {}}
    ways = {"file": read_file, "memory": read_memory, "folder": read_folder}
    return ways[request["from"]](request, decode)


if __name__ == "__main__":
    json.dump(run(json.loads(sys.argv[1])), sys.stdout)
