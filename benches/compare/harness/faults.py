"""Which faults a peer lets pass: what "validates" means is tried, not taken on trust.

Every fault stands in a member that no job asks for, in an otherwise good record.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from harness.jobs import CountField, Loads
from harness.peers import Peer, Source

FAULTS: dict[str, bytes] = {
    "misspelt literal": b"tru",
    "leading zero": b"01",
    "number without digits after the point": b"1.",
    "NaN": b"NaN",
    "unknown escape": rb'"\q"',
    "escape without four hex digits": rb'"\u12g4"',
    "raw control byte in a string": b'"\x01"',
    "ill-formed UTF-8 in a string": b'"\xff"',
    "trailing comma in an array": b"[1,]",
    "missing comma in an array": b"[1 2]",
    "member without a value": b'{"a"}',
    "wrong closing bracket": b"[1}",
    "single quotes": b"'a'",
}
"""Values that RFC 8259 refuses (it asks for UTF-8, too), by what is wrong with them."""


def passes(peer: Peer, job: Any) -> list[str]:
    """The names of the faults that the peer accepts on this job."""
    return [name for name, value in FAULTS.items() if _accepts(peer, job, damaged(job, value))]


def refuses_all(peer: Peer, job: Any) -> bool:
    """Whether a good record passes and none of the faults does."""
    return _accepts(peer, job, damaged(job, b"true")) and not passes(peer, job)


def damaged(job: Any, value: bytes) -> bytes:
    """A good record for the job, but for one value that is not asked for."""
    wanted = b'"type":"PushEvent","payload":{"action":"opened"}'
    if isinstance(job, CountField):
        wanted = nested(job.steps)
    end = b"" if isinstance(job, Loads) else b"\n"
    return b"{" + wanted + b',"not asked for":' + value + b"}" + end


def nested(steps: list[str]) -> bytes:
    """The members that hold a null at the end of a pointer's steps."""
    import json

    value: Any = None
    for step in reversed(steps):
        value = {step: value}
    return json.dumps(value).encode()[1:-1]


def _accepts(peer: Peer, job: Any, record: bytes) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record.json")
        path.write_bytes(record)
        try:
            job.answer(peer.run(Source(path), job))
        except Exception:  # each parser has an error of its own; any of them is a refusal
            return False
        return True
