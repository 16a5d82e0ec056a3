"""Ways to use a parser that are more than the name of a function. Each makes the function that is
measured: from the bytes of a document to whatever the work leaves behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from io import BytesIO
from typing import Any

Decode = Callable[[bytes], Any]


# msgspec


def msgspec_validate(**_: Any) -> Decode:
    """The document as raw JSON: it is walked, and nothing is made of it."""
    import msgspec

    return msgspec.json.Decoder(msgspec.Raw).decode


def msgspec_field(pointer: str, **_: Any) -> Decode:
    """A struct with one member."""
    import msgspec

    key = pointer.removeprefix("/")
    decode = msgspec.json.Decoder(msgspec.defstruct("One", [("one", str)], rename={"one": key}, gc=False)).decode
    return lambda data: decode(data).one


def msgspec_typed(shape: str, **_: Any) -> Decode:
    """Structs that name the members."""
    import msgspec

    from experiments import structs

    return msgspec.json.Decoder(structs.SHAPES[shape]).decode


def plain(value: Any) -> Any:
    """Structs as dictionaries."""
    import msgspec

    return msgspec.to_builtins(value)


# fastsimdjson and pysimdjson


def fastsimdjson_field(pointer: str, **_: Any) -> Decode:
    """A lazy view, asked for one member."""
    import fastsimdjson

    return lambda data: fastsimdjson.parse(data).at_pointer(pointer)


def fastsimdjson_fields(pointer: str, **_: Any) -> Decode:
    """The document as a stream of one, of which one field is asked for."""
    import fastsimdjson

    def decode(data: bytes) -> Any:
        return next(iter(fastsimdjson.loads_many(data, fields=pointer)))

    return decode


def pysimdjson_validate(**_: Any) -> Decode:
    """The parser is used again; what it made of a document must be gone by then."""
    import simdjson

    parse = simdjson.Parser().parse

    def validate(data: bytes) -> None:
        parse(data)

    return validate


def pysimdjson_field(pointer: str, **_: Any) -> Decode:
    """A proxy, asked for one member."""
    import simdjson

    parse = simdjson.Parser().parse
    return lambda data: parse(data).at_pointer(pointer)


# yajl, through ijson: in one piece, since it looks at a string's beginning again with each new piece


def yajl_tree(**_: Any) -> Decode:
    """The whole document as one item."""
    from ijson.backends import yajl2_c

    return lambda data: next(yajl2_c.items(BytesIO(data), "", use_float=True, buf_size=len(data)))


def yajl_field(pointer: str, **_: Any) -> Decode:
    """The first item at a place; what comes after it is not read."""
    from ijson.backends import yajl2_c

    prefix = pointer.removeprefix("/").replace("/", ".")
    return lambda data: next(yajl2_c.items(BytesIO(data), prefix, buf_size=len(data)))


EVENTS = {
    "start_map": "objects",
    "start_array": "arrays",
    "string": "strings",
    "number": "numbers",
    "boolean": "literals",
    "null": "literals",
}


def yajl_values(**_: Any) -> Decode:
    """Every value as an event, counted by kind and not kept."""
    from ijson.backends import yajl2_c

    def count(data: bytes) -> dict[str, int]:
        events = Counter(kind for kind, _ in yajl2_c.basic_parse(BytesIO(data), use_float=True, buf_size=len(data)))
        found: Counter[str] = Counter(documents=1)
        for kind, name in EVENTS.items():
            found[name] += events[kind]
        return dict(+found)

    return count


# Other formats


def yaml_decode(loader: str) -> Decode:
    """The safe loader, in C or pure."""
    import yaml

    return lambda data: yaml.load(data, getattr(yaml, loader))


def yaml_c(**_: Any) -> Decode:
    return yaml_decode("CSafeLoader")


def yaml_pure(**_: Any) -> Decode:
    return yaml_decode("SafeLoader")


def yaml_c_encode(document: Any) -> str:
    import yaml

    return yaml.dump(document, Dumper=yaml.CSafeDumper)


def yaml_pure_encode(document: Any) -> str:
    import yaml

    return yaml.dump(document, Dumper=yaml.SafeDumper)


def pickle_encode(document: Any) -> bytes:
    """The newest protocol."""
    import pickle

    return pickle.dumps(document, pickle.HIGHEST_PROTOCOL)
