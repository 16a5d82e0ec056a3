"""What others have published, and what can no longer be run.

Only figures that can be looked up in public text stand here, each with its source in words. They
were measured on other machines: they say what was claimed, not what to compare with.
"""

from __future__ import annotations

PUBLISHED: dict[tuple[str, str], str] = {
    ("counting", "fastsimdjson fields="): "2.8 GB/s; 78 on 64 threads",
    ("counting", "fastsimdjson lazy"): "2.2 GB/s; 61 on 64 threads",
}
"""Figures by experiment and row."""

SOURCES = {
    "counting": (
        "Published figures: the package description of fastsimdjson 0.8.0, for 7.6 GB of GitHub events on one"
        " core, and on 64 threads of a free-threaded Python, of an Intel Xeon Gold 6548N."
    ),
    "payloads": (
        "The published test of this payload found up to 4.4 GB of memory for the 240 MB document. Which of its"
        " parsers that was, and the figures of the others, were not found in public text."
    ),
    "documents": "The published figures of this test were not found in public text.",
    "codecs": "The published figures of this test were not found in public text.",
}
"""What is to be said of the published figures of an experiment."""

GONE = {
    "python-cjson": "does not compile on Python 3: it asks for string types of Python 2",
    "jsonlib": "does not compile on Python 3; a port, jsonlib-python3, has a row",
    "jsonlib2": "does not compile on Python 3",
    "yajl (py-yajl 0.3.5)": "installs, but raises SystemError in every call on Python 3.10 and newer;"
    " yajl itself takes part through ijson",
    "yajl-py": "needs a yajl library on the system, which is no Python package",
}
"""Parsers of the published tests that do not run on any Python that the others need."""

GONE_IN = ("payloads", "documents")
"""The experiments in which they took part."""

NO_THREADS = (
    "fastsimdjson has threads on a free-threaded Python only, which was not used here: its rows are on one thread."
)
