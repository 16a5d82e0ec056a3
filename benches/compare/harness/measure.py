"""Running a process to its end, with what the system says that it used.

The peak of memory that Linux reports for a process starts from that of its parent, so the processes
are started by a small one, `ndskim-compare-launch`, where it has been built; else from here, which
hides peaks below that of a Python process.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from harness.environment import HERE, TARGET

LAUNCHER = TARGET / "release" / "ndskim-compare-launch"


class ProcessFailed(Exception):
    """A process ended with an error; the text is its last line."""


class TooSlow(ProcessFailed):
    """A process was not done in time."""


@dataclass(frozen=True)
class ProcessRun:
    """A finished process: what it printed and what it took."""

    output: str
    seconds: float
    user_seconds: float
    system_seconds: float
    peak_bytes: int

    @property
    def cpu_seconds(self) -> float:
        """Processor time, user and system."""
        return self.user_seconds + self.system_seconds


def output_of(command: list[str], timeout: float | None = None) -> ProcessRun:
    """Runs a process to its end. Raises `ProcessFailed` if it ends with an error or not in time."""
    with tempfile.TemporaryDirectory() as folder:
        said, report = Path(folder, "stderr"), Path(folder, "report.json")
        launcher = [str(LAUNCHER), str(report)] if LAUNCHER.exists() else []
        with said.open("w") as stderr:
            start = time.perf_counter()
            process = subprocess.Popen(
                [*launcher, *command],
                cwd=HERE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )
            output, used = finish(process, timeout)
            seconds = time.perf_counter() - start
        if process.returncode != 0:
            lines = said.read_text().strip().splitlines()
            last = lines[-1] if lines else "(it said nothing)"
            raise ProcessFailed(f"exit code {process.returncode}, {last}")
        if launcher:
            return ProcessRun(output, **json.loads(report.read_text()))
        return ProcessRun(output, seconds, used.ru_utime, used.ru_stime, used.ru_maxrss * 1024)


def finish(process: subprocess.Popen, timeout: float | None) -> tuple[str, object]:
    """What a process prints until it ends, and what it used."""
    try:
        # Communicating would wait for the process, and its usage would be lost.
        output = read_in_time(process, timeout)
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise TooSlow(f"not done after {timeout:.0f} s") from None
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return output, used


def read_in_time(process: subprocess.Popen, timeout: float | None) -> str:
    """All that a process prints. Raises `TimeoutError`."""
    assert process.stdout is not None
    end = None if timeout is None else time.monotonic() + timeout
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            rest = None if end is None else end - time.monotonic()
            if (rest is not None and rest <= 0) or not selector.select(rest):
                raise TimeoutError
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                process.stdout.close()
                return b"".join(parts).decode()
            parts.append(part)
