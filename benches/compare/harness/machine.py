"""Where figures were measured: processor, memory and system, but no name of the machine."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

LIST_PACKAGES = (
    "import json; from importlib.metadata import distributions as d;"
    "print(json.dumps({p.metadata['Name']: p.version for p in d()}))"
)


def machine() -> dict[str, Any]:
    """Processor, cores, memory and kernel."""
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
    }


def cpu_name() -> str:
    """The processor's name as the system has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "")


def versions(python: Path) -> dict[str, str]:
    """Versions of Python, of the packages in its environment, and of the programs that take part."""
    packages = json.loads(first_output([str(python), "-c", LIST_PACKAGES]))
    programs = {
        "Python": first_output([str(python), "--version"]).split()[-1],
        "rustc": first_output(["rustc", "--version"]).removeprefix("rustc "),
        "jq": first_output(["jq", "--version"]).removeprefix("jq-"),
    }
    return programs | dict(sorted(packages.items()))


def first_output(command: list[str]) -> str:
    """What a command prints, or nothing where there is no such program."""
    if shutil.which(command[0]) is None:
        return "not there"
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def load_note() -> str | None:
    """A line if others were using the machine: figures made then are worth little."""
    load = os.getloadavg()[0]
    if load <= 0.5:
        return None
    return f"The load average was {load:.1f} at the start, so the machine was not quiet."
