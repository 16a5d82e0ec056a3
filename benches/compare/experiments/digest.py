"""What is in a document, as sums in which parsers of any language can be compared.

Counts by kind, lengths of strings and keys in UTF-8, and sums that do not depend on the order: of
the CRC-32 of each string, and of the bits of each number as a double. `ours/src/found.rs` makes the
same of this library's values.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any
from zlib import crc32

Digest = dict[str, int]

MODULUS = 1 << 64


def digest(document: Any) -> Digest:
    """The sums over all values of a document made of Python objects; those that are 0 are left out."""
    found: Counter[str] = Counter(documents=1)
    doubles = array("d")
    rest = [document]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            found["objects"] += 1
            for key in value:
                text = key.encode()
                found["key_bytes"] += len(text)
                found["crc_sum"] += crc32(text)
            rest.extend(value.values())
        elif isinstance(value, (list, tuple)):
            found["arrays"] += 1
            rest.extend(value)
        elif isinstance(value, str):
            add_string(found, value)
        elif value is None or isinstance(value, bool):
            found["literals"] += 1
        else:
            doubles.append(float(value))  # a Decimal, too, where a parser makes those
    add_numbers(found, doubles)
    return dict(+found)


def add_string(found: Counter[str], text: str) -> None:
    """Counts one string."""
    raw = text.encode()
    found["strings"] += 1
    found["string_bytes"] += len(raw)
    found["crc_sum"] += crc32(raw)


def add_numbers(found: Counter[str], doubles: array) -> None:
    """Counts numbers, with the sum of their bits as doubles."""
    found["numbers"] += len(doubles)
    bits = sum(memoryview(doubles).cast("B").cast("Q")) if doubles else 0
    found["number_bits"] = (found["number_bits"] + bits) % MODULUS


def field_digest(text: str) -> Digest:
    """What a reader of one string has found."""
    return {"documents": 1, "crc_sum": crc32(text.encode())}


def merged(digests: Iterable[Digest]) -> Digest:
    """The sums of several documents."""
    total: Counter[str] = Counter()
    for one in digests:
        total.update(one)
    total["number_bits"] %= MODULUS
    return dict(+total)


def typed_digest(shape: str, document: Any) -> Digest:
    """What is in the members that a shape names, of a document made of dictionaries and lists."""
    found: Counter[str] = Counter(documents=1)
    doubles = array("d")
    for text in texts_of(shape, document):
        found["strings"] += 1
        found["crc_sum"] += crc32(text.encode())
    for item in document if isinstance(document, list) else []:
        found["literals"] += 1 + item["active"]
    doubles.extend(numbers_of(shape, document))
    add_numbers(found, doubles)
    return dict(+found)


def texts_of(shape: str, document: Any) -> Iterable[str]:
    """The strings of a shape's members."""
    if shape == "article":
        yield from (document["name"], document["author"]["email"])
    for item in document if isinstance(document, list) else []:
        yield from (item[key] for key in ("name", "email", "city") if key in item)


def numbers_of(shape: str, document: Any) -> Iterable[float]:
    """The numbers of a shape's members."""
    if shape == "article":
        yield from (document["id"], document["score"])
    for item in document if isinstance(document, list) else []:
        yield item["id"]
        yield from (item[key] for key in ("age", "score") if key in item)
        yield from item.get("values", ())


def differences(answer: Digest, expected: Digest) -> list[str]:
    """What differs between what both tell."""
    return [
        f"{name}: {answer[name]} against {expected[name]}"
        for name in answer.keys() & expected.keys()
        if answer[name] != expected[name]
    ]
