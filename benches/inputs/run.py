#!/usr/bin/env python3
"""Check that ghcount reports the truth however its input is stored and read, and measure memory and scaling.

    cargo build --release && python3 benches/inputs/run.py [--bytes 1GB] [--large 4GB] [--dir DIR]

ghgen makes the data and knows the truth. Every combination of threads, validation, reading and storage must give exactly
that report, or the script fails. --large 0 leaves out the part on memory, which needs some 15 GB of disk.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

RELEASE = pathlib.Path(__file__).resolve().parents[2] / "target" / "release"
THREADS = (1, 2, 8, 64)
MEMORY_LIMIT = 100 * 1000 * 1000


def generate(size: str, output: pathlib.Path, *flags: str) -> str:
    """Make a file and return the report that is true of it."""
    truth = output.with_name(output.name + ".truth")
    command = [RELEASE / "ghgen", "--bytes", size, "--output", output, "--truth", truth, *flags]
    subprocess.run(command, check=True)
    return truth.read_text()


def ghcount(*flags: str | pathlib.Path, stdin: pathlib.Path | None = None) -> tuple[str, float, int]:
    """Run ghcount; return its report, its wall time in seconds and its peak memory in bytes."""
    command = [str(RELEASE / "ghcount"), "--format", "json", *map(str, flags)]
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=open(stdin, "rb") if stdin else subprocess.DEVNULL, text=True
    ) as process:
        report = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"exit code {process.returncode}: {' '.join(command)}")
    return report, time.perf_counter() - start, usage.ru_maxrss * 1024


def check_all(size: str, folder: pathlib.Path) -> None:
    """Every way to store, read and validate, on every number of threads."""
    plain = folder / "events.json"
    truth = generate(size, plain)
    stored = {"one member": ("gz", "1"), "1000 members": ("gz", "1000"), "8 frames": ("zst", "8")}
    inputs: dict[str, tuple[list, pathlib.Path | None]] = {
        "blocks": (["--read", "blocks", plain], None),
        "map": (["--read", "map", plain], None),
        "standard input": ([], plain),
        "simd-json": (["--engine", "simd-json", plain], None),
    }
    for name, (ending, members) in stored.items():
        path = folder / f"events-{members}.json.{ending}"
        same = generate(size, path, "--members", members)
        assert same == truth
        inputs[f"{ending}, {name}"] = ([path], None)
    parts = folder / "parts.json"
    assert generate(size, parts, "--parts", "8") == truth
    inputs["8 parts"] = (sorted(folder.glob("parts.json.0*")), None)
    runs = 0
    for name, (flags, stdin) in inputs.items():
        for validate in ("full", "visited"):
            for threads in THREADS:
                report, _, _ = ghcount("--threads", str(threads), "--validate", validate, *flags, stdin=stdin)
                if report != truth:
                    sys.exit(f"not the truth: {name}, {validate}, {threads} threads:\n{report}\n{truth}")
                runs += 1
        print(f"{name}: the truth, in both modes, on {', '.join(map(str, THREADS))} threads", flush=True)
    print(f"{runs} runs, {runs} right")


def check_memory(size: str, folder: pathlib.Path) -> None:
    """Peak memory on 8 threads, of a large file and of its gzip."""
    for name in ("large.json", "large.json.gz"):
        path = folder / name
        truth = generate(size, path)
        report, seconds, memory = ghcount("--threads", "8", path)
        right = "right" if report == truth else "WRONG"
        print(f"{name} of {size}: {right}, {seconds:.2f} s, peak memory {memory / 1e6:.1f} MB on 8 threads", flush=True)
        path.unlink()
        if report != truth or memory > MEMORY_LIMIT:
            sys.exit("failed")


def check_many(folder: pathlib.Path) -> None:
    """A thousand small gzip files: right, and two threads help."""
    truth = generate("1GB", folder / "many.json.gz", "--parts", "1000")
    files = sorted(folder.glob("many.json.*.gz"))
    assert len(files) == 1000
    best: dict[int, float] = {}
    for _ in range(3):
        for threads in (1, 2, 8):
            report, seconds, _ = ghcount("--threads", str(threads), *files)
            if report != truth:
                sys.exit(f"not the truth: 1000 files, {threads} threads")
            best[threads] = min(best.get(threads, seconds), seconds)
    print(f"1000 gzip files: the truth on 1, 2 and 8 threads; 2 threads take {best[2] / best[1]:.2f} of the time of 1")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bytes", default="1GB", help="size of the file for the combinations")
    arguments.add_argument("--large", default="4GB", help="size of the file for memory; 0 for none")
    arguments.add_argument("--dir", help="where to put the data; a temporary folder if not said")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as temporary:
        folder = pathlib.Path(temporary)
        check_all(options.bytes, folder)
        check_many(folder)
        if options.large != "0":
            check_memory(options.large, folder)


if __name__ == "__main__":
    main()
