"""The virtual environment that the peers run in: made at first use, remade when its pins change."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
REQUIREMENTS = HERE / "requirements.txt"
OPTIONAL = HERE / "optional.txt"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORKPLACE = TARGET / "compare"
DEFAULT = WORKPLACE / "venv"


def ensure(folder: Path, interpreter: str, optional: bool = False) -> Path:
    """The environment's Python, with the pinned packages installed.

    With `optional`, the packages of `optional.txt` are tried, too, one by one; one that cannot be
    installed is left out, and its row will say so. Raises `subprocess.CalledProcessError` if the
    environment or a package cannot be made, and `ValueError` rather than clear a folder that holds
    something else.
    """
    python = folder / "bin" / "python"
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise ValueError(f"{folder} is no virtual environment; name one, or a folder to make")
    wanted = fingerprint(REQUIREMENTS, interpreter)
    stamp = folder / "peers-stamp"
    if not (python.exists() and stamp.exists() and stamp.read_text() == wanted):
        print(f"installing the pinned peers into {folder}", file=sys.stderr)
        subprocess.run([interpreter, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([*pip(python), "--requirement", str(REQUIREMENTS)], check=True)
        stamp.write_text(wanted)
    if optional:
        add_optional(python, folder / "optional-stamp", interpreter)
    return python


def add_optional(python: Path, stamp: Path, interpreter: str) -> None:
    """Tries the packages that may be missing, once for each state of their list."""
    wanted = fingerprint(OPTIONAL, interpreter)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    for line in OPTIONAL.read_text().splitlines():
        if line and not line.startswith("#"):
            print(f"installing {line}", file=sys.stderr)
            if subprocess.run([*pip(python), line]).returncode != 0:
                print(f"{line} does not install here; its row will say so", file=sys.stderr)
    stamp.write_text(wanted)


def fingerprint(requirements: Path, interpreter: str) -> str:
    """Changes when the pins or the interpreter do."""
    return hashlib.sha256(requirements.read_bytes() + interpreter.encode()).hexdigest()


def pip(python: Path) -> list[str]:
    """The beginning of a command that installs packages."""
    return [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
