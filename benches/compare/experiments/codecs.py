"""The parsers of whole documents, as data: what each can do, and the function that does it.

A function is written `module:name`. Those of `experiments.adapters` make the function that is
measured from the question (pointer, shape); others are it. Nothing is imported before a child asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

ADAPTERS = "experiments.adapters"

CLASSES = {
    "validate": "validate only",
    "field": "some fields",
    "typed": "typed",
    "values": "all values",
    "tree": "owned tree",
}
"""Kinds of work, by the name that tables give them. Only rows of one class are compared."""


@dataclass(frozen=True)
class Codec:
    """A parser: its package, what it can do with a document, and in which format that stands."""

    name: str
    package: str | None
    works: dict[str, str]
    encode: str | None = None
    format: str = "json"
    slow: bool = False
    """Under 10 MB/s: it gets less to read, or nothing, so that the comparison ends within the hour."""

    def decoder(self, work: str, **question: Any) -> Callable[[bytes], Any]:
        """The function to measure; its module is imported here."""
        function = resolve(self.works[work])
        return function(**question) if self.works[work].startswith(ADAPTERS) else function

    def encoder(self) -> Callable[[Any], Any]:
        """The function that writes a document."""
        assert self.encode is not None
        return resolve(self.encode)


def resolve(name: str) -> Callable[..., Any]:
    """The function of a name like `module:function`."""
    module, function = name.split(":")
    return getattr(import_module(module), function)


def adapted(**works: str) -> dict[str, str]:
    """Works done by functions of `adapters`."""
    return {work: f"{ADAPTERS}:{function}" for work, function in works.items()}


CODECS = (
    Codec("json", None, {"tree": "json:loads"}, "json:dumps"),
    Codec("simplejson", "simplejson", {"tree": "simplejson:loads"}, "simplejson:dumps"),
    Codec("ujson", "ujson", {"tree": "ujson:loads"}, "ujson:dumps"),
    Codec("python-rapidjson", "python-rapidjson", {"tree": "rapidjson:loads"}, "rapidjson:dumps"),
    Codec("jsonlib-python3", "jsonlib-python3", {"tree": "jsonlib:read"}, slow=True),
    Codec(
        "yajl (ijson)",
        "ijson",
        adapted(tree="yajl_tree", values="yajl_values", field="yajl_field"),
    ),
    Codec("orjson", "orjson", {"tree": "orjson:loads"}, "orjson:dumps"),
    Codec(
        "msgspec",
        "msgspec",
        {"tree": "msgspec.json:decode"}
        | adapted(validate="msgspec_validate", field="msgspec_field", typed="msgspec_typed"),
        "msgspec.json:encode",
    ),
    Codec(
        "fastsimdjson",
        "fastsimdjson",
        {"tree": "fastsimdjson:loads", "validate": "fastsimdjson:parse"} | adapted(field="fastsimdjson_field"),
        "fastsimdjson:dumpb",
    ),
    Codec("fastsimdjson fields=", "fastsimdjson", adapted(field="fastsimdjson_fields")),
    Codec(
        "pysimdjson",
        "pysimdjson",
        adapted(validate="pysimdjson_validate", field="pysimdjson_field"),
    ),
    Codec("pickle", None, {"tree": "pickle:loads"}, f"{ADAPTERS}:pickle_encode", format="pickle"),
    Codec("marshal", None, {"tree": "marshal:loads"}, "marshal:dumps", format="marshal"),
    Codec("msgpack", "msgpack", {"tree": "msgpack:unpackb"}, "msgpack:packb", format="msgpack"),
    Codec(
        "u-msgpack",
        "u-msgpack-python",
        {"tree": "umsgpack:unpackb"},
        "umsgpack:packb",
        format="msgpack",
        slow=True,
    ),
    Codec(
        "PyYAML (C)",
        "PyYAML",
        adapted(tree="yaml_c"),
        f"{ADAPTERS}:yaml_c_encode",
        format="yaml",
        slow=True,
    ),
    Codec(
        "PyYAML (pure)",
        "PyYAML",
        adapted(tree="yaml_pure"),
        f"{ADAPTERS}:yaml_pure_encode",
        format="yaml",
        slow=True,
    ),
)

BY_NAME = {codec.name: codec for codec in CODECS}

WRITERS = {
    "pickle": f"{ADAPTERS}:pickle_encode",
    "marshal": "marshal:dumps",
    "msgpack": "msgpack:packb",
    "yaml": f"{ADAPTERS}:yaml_c_encode",
}
"""Who makes the files of formats other than JSON."""
