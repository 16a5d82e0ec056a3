"""The documents that `data` makes, as msgspec's structs: what the work `typed` decodes into.

None of them can be part of a cycle, so the collector need not watch them (`gc=False`), as msgspec's
documentation advises for speed.
"""

from __future__ import annotations

import msgspec


class Author(msgspec.Struct, gc=False):
    """Of an article: one member of several."""

    email: str


class Article(msgspec.Struct, gc=False):
    """Four members of an article."""

    id: int
    name: str
    author: Author
    score: float


class Item(msgspec.Struct, gc=False):
    """A small object, all members."""

    id: int
    name: str
    active: bool
    score: float


class User(msgspec.Struct, gc=False):
    """A user, all members."""

    id: int
    name: str
    email: str
    age: int
    active: bool
    city: str
    values: list[float]


SHAPES = {"article": Article, "items": list[Item], "users": list[User]}
