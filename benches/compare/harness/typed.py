"""The struct types that msgspec decodes into, one for each counting job.

None of them can be part of a cycle, so the collector need not watch them (`gc=False`), as msgspec's
documentation advises for speed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from harness.answers import ABSENT
from harness.jobs import NOT_OPENED, OPENED_KIND, CountEvents, CountField

Name = str | None | UnsetType


class Repo(msgspec.Struct, gc=False):
    language: Name = UNSET


class Base(msgspec.Struct, gc=False):
    repo: Repo | None = None


class PullRequest(msgspec.Struct, gc=False):
    base: Base | None = None


class Payload(msgspec.Struct, gc=False):
    action: str | None = None
    pull_request: PullRequest | None = None


class Event(msgspec.Struct, gc=False):
    type: Name = UNSET
    payload: Payload | None = None


class Anything(msgspec.Struct, gc=False):
    """No field is named: every member is skipped."""


def typed_key(job: Any) -> tuple[type, Callable[[Any], Hashable]]:
    """The struct for a job, and the key of a record decoded into it."""
    if isinstance(job, CountEvents):
        return Event, event_key
    if isinstance(job, CountField):
        return nested_struct(job.steps), field_key(job.steps)
    return Anything, job.key_of_document


def event_key(event: Event) -> Hashable:
    kind = ABSENT if event.type is UNSET else event.type
    if kind == OPENED_KIND and event.payload is not None and event.payload.action == "opened":
        return kind, language_of(event.payload)
    return kind, NOT_OPENED


def language_of(payload: Payload) -> Any:
    try:
        language = payload.pull_request.base.repo.language
    except AttributeError:  # a step towards it is null or absent
        return ABSENT
    return ABSENT if language is UNSET else language


def nested_struct(steps: list[str]) -> type:
    """A struct for each step of a pointer, from the innermost outwards."""
    kind: Any = Any
    for step in reversed(steps):
        member = ("next", kind | None | UnsetType, UNSET)
        kind = msgspec.defstruct("Level", [member], rename={"next": step}, gc=False)
    return kind


def field_key(steps: list[str]) -> Callable[[Any], Hashable]:
    get = attrgetter(".".join(["next"] * len(steps)))

    def key(record: Any) -> Hashable:
        try:
            value = get(record)
        except AttributeError:
            return ABSENT
        return ABSENT if value is UNSET else value

    return key
