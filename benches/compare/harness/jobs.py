"""The questions. A job says which fields it needs and how a record becomes the key it is counted
under, for each way in which parsers hand out records: documents, tuples of fields, typed objects.

A peer returns a `Counter` of keys (or, for `loads`, the document), and the job makes the answer of
it after the clock has stopped. Nothing here knows a parser.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from harness.answers import ABSENT, Answer, groups

Key = Hashable
Tally = tuple[Counter, Callable[[Any], None]]

OPENED_KIND = "PullRequestEvent"
NOT_OPENED = "(not an opened pull request)"
LANGUAGE = "/payload/pull_request/base/repo/language"


class Job(Protocol):
    """A question that every peer of a table answers."""

    name: str

    def answer(self, result: Any) -> Answer:
        """The answer, made of what a peer returned. Not timed."""


class CountingJob(Job, Protocol):
    """A question that is answered by counting records under a key."""

    fields: str | list[str]
    """The JSON Pointers needed; a single one not in a list stands for its bare value."""

    def key_of_document(self, document: Any) -> Key:
        """The key of a record handed out as a mapping, lazy or not."""

    def key_of_fields(self, values: Any) -> Key:
        """The key of a record handed out as the values of `fields`."""

    def tally_fields(self) -> Tally:
        """Empty counts, and the closure that counts into them the values of one record."""


class CountEvents:
    """GH Archive events by type, and the pull requests opened by their language."""

    name = "count-gh"
    fields: ClassVar[list[str]] = ["/type", "/payload/action", LANGUAGE]

    @staticmethod
    def key_of_document(event: Any) -> Key:
        kind = event.get("type", ABSENT)
        if kind == OPENED_KIND:
            payload = event["payload"]
            if payload.get("action") == "opened":
                return kind, language_of(payload)
        return kind, NOT_OPENED

    @staticmethod
    def key_of_fields(values: Any) -> Key:
        kind, action, language = values
        return kind, (language if kind == OPENED_KIND and action == "opened" else NOT_OPENED)

    def tally_fields(self) -> Tally:
        counts: Counter = Counter()

        def count(values: Any) -> None:
            kind, action, language = values
            if kind == OPENED_KIND and action == "opened":
                counts[kind, language] += 1
            else:
                counts[kind, NOT_OPENED] += 1

        return counts, count

    def answer(self, result: Counter) -> Answer:
        types: Counter = Counter()
        languages: Counter = Counter()
        for (kind, language), count in result.items():
            types[kind] += count
            if language is not NOT_OPENED:
                languages[language] += count
        return {
            "records": types.total(),
            "types": groups(types),
            "opened_pull_requests": {"total": languages.total(), "languages": groups(languages)},
        }


def language_of(payload: Any) -> Any:
    """The language of a pull request's base; `ABSENT` if any step towards it is missing."""
    try:
        return payload["pull_request"]["base"]["repo"]["language"]
    except (KeyError, TypeError):
        return ABSENT


class Validate:
    """How many records there are: everything is read, nothing is asked for."""

    name = "validate"
    fields: ClassVar[list[str]] = []

    @staticmethod
    def key_of_document(_: Any) -> Key:
        return ()

    @staticmethod
    def key_of_fields(_: Any) -> Key:
        return ()

    def tally_fields(self) -> Tally:
        return _tally_as_given()

    def answer(self, result: Counter) -> Answer:
        return {"records": result.total()}


class CountField:
    """Records by the value at one pointer, which must be a scalar."""

    name = "field"

    def __init__(self, pointer: str, leaf: str) -> None:
        self.fields = pointer
        self.leaf = leaf
        self.steps = pointer_steps(pointer)
        self.key_of_document = _member(self.steps[0]) if len(self.steps) == 1 else self._walk

    def _walk(self, document: Any) -> Key:
        try:
            for step in self.steps:
                document = document[step]
        except (KeyError, TypeError):
            return ABSENT
        return document

    @staticmethod
    def key_of_fields(value: Any) -> Key:
        return value

    def tally_fields(self) -> Tally:
        return _tally_as_given()

    def answer(self, result: Counter) -> Answer:
        return {"records": result.total(), "groups": groups(result)}


def _tally_as_given() -> Tally:
    """Counts by the very values that the parser hands out."""
    counts: Counter = Counter()

    def count(values: Any) -> None:
        counts[values] += 1

    return counts, count


def _member(name: str) -> Callable[[Any], Key]:
    return lambda document: document.get(name, ABSENT)


class Loads:
    """One document, the whole file, turned into whatever the parser makes of it."""

    name = "loads"

    def answer(self, result: Any) -> Answer:
        return {"records": 1, "content": contents(result)}


def contents(document: Any) -> dict[str, int]:
    """How many values of each kind a document holds, and how many characters in its strings."""
    found: Counter[str] = Counter()
    rest = [_plain(document)]
    while rest:
        value = rest.pop()
        found[type(value).__name__] += 1
        if isinstance(value, dict):
            found["characters in keys"] += sum(map(len, value))
            rest.extend(value.values())
        elif isinstance(value, list):
            rest.extend(value)
        elif isinstance(value, str):
            found["characters in strings"] += len(value)
    return dict(found)


def _plain(document: Any) -> Any:
    """A lazy view turned into Python objects, by the names that both lazy parsers use."""
    for convert in ("as_dict", "as_list"):
        if hasattr(document, convert):
            return getattr(document, convert)()
    return document


def pointer_steps(pointer: str) -> list[str]:
    """The steps of a JSON Pointer (RFC 6901) through objects.

    Raises `ValueError` for one that does not begin with `/` or that leads through an array: SQL
    tables and typed structs cannot follow it.
    """
    if not pointer.startswith("/"):
        raise ValueError(f"a JSON Pointer begins with '/': {pointer!r}")
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]
    if any(step.isdecimal() for step in steps):
        raise ValueError(f"a pointer through an array is not compared here: {pointer!r}")
    return steps


@dataclass(frozen=True)
class JobSpec:
    """A job as it is handed to a worker on its command line."""

    name: str
    pointer: str | None = None
    leaf: str = "string"

    def job(self) -> Any:
        """The job itself."""
        if self.name == "field":
            if self.pointer is None:
                raise ValueError("job 'field' needs a pointer")
            return CountField(self.pointer, self.leaf)
        return {"count-gh": CountEvents, "validate": Validate, "loads": Loads}[self.name]()


JOBS = ("count-gh", "validate", "field", "loads")
