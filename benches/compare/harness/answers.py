"""The common shape of an answer, and the comparison of two.

An answer is plain JSON. Groups are a list of `{"key": VALUE, "count": N}`, with `{"absent": true,
"count": N}` for records in which there was nothing at the pointer, as in `ghcount --format json`.
Nothing here knows who gave an answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

Answer = dict[str, Any]

MISSING = "(null or absent)"
"""The group of null and absent together, for peers that cannot tell them apart."""


class _Absent:
    """The key of records in which there is nothing at the pointer; null is `None`."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


def groups(counts: Counter[Hashable]) -> list[dict[str, Any]]:
    """Counts by key as a list, largest first, equal counts in the order of their keys' text."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], repr(item[0])))
    return [
        {"absent": True, "count": count} if key is ABSENT else {"key": key, "count": count} for key, count in ordered
    ]


def differences(left: Answer, right: Answer, merge_missing: bool) -> list[str]:
    """What differs between two answers, one line each; empty if they agree.

    Only what both answer is compared: a run that validates has a record count and nothing else.
    With `merge_missing`, null and absent count as one group.
    """
    a, b = _flat(left, merge_missing), _flat(right, merge_missing)
    return [
        f"{path}: {_shorten(a[path])} against {_shorten(b[path])}"
        for path in sorted(a.keys() & b.keys())
        if a[path] != b[path]
    ]


COMPARED = {"records", "types", "opened_pull_requests", "groups", "content"}
"""The parts of an answer that are compared; what else a report holds (its bytes, say) is not."""


def _flat(answer: Answer, merge_missing: bool) -> dict[str, Any]:
    """The answer's compared parts by path, groups as a dictionary from key text to count."""
    parts: dict[str, Any] = {}
    for name, value in answer.items():
        if name == "opened_pull_requests":
            parts[f"{name}.total"] = value["total"]
            parts[f"{name}.languages"] = _by_key(value["languages"], merge_missing)
        elif name in ("types", "groups"):
            parts[name] = _by_key(value, merge_missing)
        elif name in COMPARED:
            parts[name] = value
    return parts


def _by_key(rows: Iterable[dict[str, Any]], merge_missing: bool) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in rows:
        counts[_key_text(row, merge_missing)] += row["count"]
    return dict(counts)


def _key_text(row: dict[str, Any], merge_missing: bool) -> str:
    absent = row.get("absent") is True
    if merge_missing and (absent or row["key"] is None):
        return MISSING
    return "(absent)" if absent else json.dumps(_by_value(row["key"]), ensure_ascii=False)


def _by_value(key: Any) -> Any:
    """1.0 and 1 are one group: numbers are equal by value, as in this project's own reports."""
    return int(key) if isinstance(key, float) and key.is_integer() else key


def _shorten(value: Any, limit: int = 160) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= limit else text[: limit - 3] + "..."
