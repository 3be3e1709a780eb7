"""JSON in and out, with every fault turned into a ZnodeError that shows the value.

Integers are JSON integers and nothing else: a broker id in quotes, once written back, makes stock
controllers fail over for ever. Readers ignore keys that they do not know, as Kafka's do; what is
rewritten later keeps them.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Generic, TypeVar, cast

import msgspec

from klamm.controller.znodes.errors import ZnodeError

INT32_MAX: Final = 2**31 - 1
INT64_MAX: Final = 2**63 - 1
MAX_STRING: Final = 2**15 - 1
"""The longest string of a Kafka request in bytes of UTF-8; a znode has room for longer ones."""

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=INT32_MAX)]
Natural = Annotated[int, msgspec.Meta(ge=0, le=INT32_MAX)]
"""A broker id, partition number or epoch."""
Replicas = tuple[Natural, ...]
ReplicaLists = dict[Natural, Replicas]
"""Partition number, a string in JSON, to broker ids in order."""

NO_EXTRA: Final[Mapping[str, Any]] = {}
"""Shared by all values without unknown keys, so that 200,000 of them cost no dict each."""

# Bytes that are not UTF-8 and lists nested without end are faults of the data like any other.
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_SHOWN = 120

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)


def no_extra() -> Mapping[str, Any]:
    """Return the shared empty mapping; what a Struct's field takes as default factory."""
    return NO_EXTRA


def parse(decoder: msgspec.json.Decoder[T], data: bytes | None, path: str) -> T:
    """Decode JSON of the decoder's type; raises ZnodeError."""
    if data is None:
        raise ZnodeError(path, "it holds no data")
    try:
        return decoder.decode(data)
    except _UNREADABLE as error:
        raise ZnodeError(path, f"{error}, in {shown(data)}") from error


class Shape(Generic[S]):
    """Reads a JSON object into a Struct together with the keys that the Struct does not have.

    A Struct that refuses unknown keys is tried first, so an ordinary znode is parsed once.
    """

    def __init__(self, struct: type[S]) -> None:
        strict = msgspec.defstruct(
            f"{struct.__name__}WithoutExtra", (), bases=(struct,), forbid_unknown_fields=True
        )
        self._strict = msgspec.json.Decoder(cast(type[S], strict))
        self._lenient = msgspec.json.Decoder(struct)
        self._known = frozenset(struct.__struct_encode_fields__)

    def read(self, data: bytes | None, path: str) -> tuple[S, Mapping[str, Any]]:
        """Return the fields and the unknown keys with their values; raises ZnodeError."""
        if data is not None:
            try:
                return self._strict.decode(data), NO_EXTRA
            except _UNREADABLE:
                pass  # an unknown key, or a fault that the lenient decoder reports
        fields = parse(self._lenient, data, path)
        everything = parse(_OBJECT, data, path)
        return fields, {key: value for key, value in everything.items() if key not in self._known}


_OBJECT = msgspec.json.Decoder(dict[str, Any])


def dump(fields: Mapping[str, Any]) -> bytes:
    """Encode an object without spaces, keys in the order given."""
    return msgspec.json.encode(dict(fields))


def shown(data: bytes) -> str:
    """Return the start of some bytes for an error message."""
    text = data[: _SHOWN + 1].decode(errors="backslashreplace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def repeated(ids: Sequence[int]) -> int | None:
    """Return the first id that stands in the list a second time, None if all differ."""
    if len(set(ids)) == len(ids):
        return None
    return next(each for place, each in enumerate(ids) if each in ids[:place])


def check_string(text: str | None, what: str, path: str) -> None:
    """Raise ZnodeError if no request to a broker could carry this text."""
    size = 0 if text is None else len(text.encode())
    if size > MAX_STRING:
        raise ZnodeError(path, f"{what} has {size} bytes; requests carry at most {MAX_STRING}")


def check_distinct(lists: Mapping[int, tuple[int, ...]], what: str, path: str) -> None:
    """Raise ZnodeError if a partition's list names a broker twice."""
    for partition, ids in lists.items():
        if len(set(ids)) != len(ids):
            raise ZnodeError(
                path, f"partition {partition} has broker {repeated(ids)} twice in {what}: {[*ids]}"
            )
