"""One peer in a process of its own: reads the file, runs the job, prints one JSON object.

Started by the driver as `python -m harness.worker REQUEST`, with the request as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from harness.jobs import JobSpec
from harness.peers import PEERS, Peer, Source


def measure(peer: Peer, source: Source, job: Any, runs: int) -> tuple[list[float], Any]:
    """The seconds of each run, and the last answer."""
    if not peer.reads_file:
        _ = source.data  # read before the clock starts
    seconds, result = [], None
    for _ in range(runs):
        result = None  # what the last run made is freed off the clock
        start = time.perf_counter()
        result = peer.run(source, job)
        seconds.append(time.perf_counter() - start)
    return seconds, job.answer(result)


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """The times and the answer of one peer on one file, or what is to be known of the peer."""
    peer = PEERS[request["peer"]]
    job = JobSpec(**request["job"]).job()
    if request["about"]:
        return about(peer, job)
    threads = request["threads"] if peer.threads() else 1
    source = Source(Path(request["file"]), request["format"], threads, request["splitlines"])
    seconds, answer = measure(peer, source, job, request["runs"])
    return {"seconds": seconds, "answer": answer, "threads": threads}


def about(peer: Peer, job: Any) -> dict[str, Any]:
    """The package's version, and the faults that the peer lets pass on this job."""
    from importlib.metadata import version

    from harness.faults import passes

    python = ".".join(map(str, sys.version_info[:3]))
    return {
        "version": version(peer.package) if peer.package else python,
        "lets_pass": passes(peer, job),
    }


def main() -> None:
    """Answers the request on the command line; without one, does nothing but start."""
    if len(sys.argv) > 1:
        json.dump(answer_request(json.loads(sys.argv[1])), sys.stdout)


if __name__ == "__main__":
    main()
