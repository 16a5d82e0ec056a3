"""The virtual environment that the peers run in: made at first use, remade when its pins change."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
REQUIREMENTS = HERE / "requirements.txt"
DEFAULT = HERE / ".venv"


def ensure(folder: Path, interpreter: str) -> Path:
    """The environment's Python, with the pinned packages installed.

    Raises `subprocess.CalledProcessError` if the environment or a package cannot be made, and
    `ValueError` rather than clear a folder that holds something else.
    """
    python = folder / "bin" / "python"
    stamp = folder / "peers-stamp"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes() + interpreter.encode()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise ValueError(f"{folder} is no virtual environment; name one, or a folder to make")
    print(f"installing the pinned peers into {folder}", file=sys.stderr)
    subprocess.run([interpreter, "-m", "venv", "--clear", folder], check=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--requirement", str(REQUIREMENTS)], check=True)
    stamp.write_text(wanted)
    return python
