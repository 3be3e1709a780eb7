"""Find the field that an encoder stumbled over, by the facts of its schema.

Encoders are straight-line code that fails somewhere inside; this walk, slow and used only then,
says where and why.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from uuid import UUID

from klamm.protocol.errors import EncodeError
from klamm.protocol.message import FieldFact, Message
from klamm.protocol.primitives import MAX_LENGTH, MAX_STRING

_UNKNOWN = "unknown_tagged_fields"
_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_PLAIN: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "bytes": (bytes,),
    "records": (bytes,),
    "uuid": (UUID,),
}


class _Found(Exception):
    def __init__(self, value: object, reason: str) -> None:
        super().__init__(value, reason)
        self.value = value
        self.reason = reason
        self.path: list[str] = []


def explain(message: Message, version: int) -> EncodeError | None:
    """Give the error for the first field that `version` cannot carry, None if all are well."""
    try:
        _check_struct(message, message, version)
    except _Found as found:
        path = "".join(reversed(found.path)).removeprefix(".")
        return EncodeError(type(message).__name__, version, path, found.value, found.reason)
    return None


def _check_struct(message: Message, value: object, version: int) -> None:
    defaults = {
        field.name: field.default
        for field in dataclasses.fields(type(value))  # type: ignore[arg-type] # all structs are
    }
    for fact in message.codec.fields[type(value)]:
        item = getattr(value, fact.name)
        try:
            if version in fact.versions:
                _check_field(message, item, fact, version)
            elif not fact.ignorable and item != defaults[fact.name]:
                raise _Found(item, f"version {version} cannot carry it, leave it at its default")
        except _Found as found:
            found.path.append(f".{fact.name}")
            raise
    if _UNKNOWN in defaults:
        try:
            _check_tags(message, value, version)
        except _Found as found:
            found.path.append(f".{_UNKNOWN}")
            raise


def _check_tags(message: Message, struct: object, version: int) -> None:
    value = getattr(struct, _UNKNOWN)
    if not isinstance(value, tuple):
        raise _Found(value, "must be a tuple of (tag, bytes)")
    if value and (message.flexible_from is None or version < message.flexible_from):
        raise _Found(value, f"version {version} has no tagged fields, leave it empty")
    known = {
        fact.tag: fact.name
        for fact in message.codec.fields[type(struct)]
        if fact.tag is not None and version in fact.versions
    }
    last = -1
    for entry in value:
        match entry:
            case (int(tag), bytes()) if last < tag <= MAX_LENGTH:
                last = tag
            case _:
                raise _Found(entry, "must be (tag, bytes), the tags ascending from 0")
        if tag in known:
            raise _Found(entry, f"tag {tag} is that of {known[tag]}")


def _check_field(message: Message, value: object, fact: FieldFact, version: int) -> None:
    if value is None:
        if version not in fact.nullable:
            raise _Found(value, f"version {version} allows no null here")
        return
    if not fact.type.startswith("[]"):
        _check_value(message, value, fact.type, version)
        return
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _Found(value, f"must be a tuple for {fact.type}")
    for index, item in enumerate(value):
        try:
            _check_value(message, item, fact.type.removeprefix("[]"), version)
        except _Found as found:
            found.path.append(f"[{index}]")
            raise


def _check_value(message: Message, value: object, type_: str, version: int) -> None:
    if type_ in _BITS:
        bound = 1 << (_BITS[type_] - 1)
        if not isinstance(value, int):
            raise _Found(value, f"must be an integer for {type_}")
        if not -bound <= value < bound:
            raise _Found(value, f"does not fit into {type_}: {-bound} to {bound - 1}")
    elif type_ == "string":
        _check_string(value)
    elif type_ in _PLAIN:
        if not isinstance(value, _PLAIN[type_]):
            raise _Found(value, f"must be {_PLAIN[type_][0].__name__} for {type_}")
    elif type(value).__name__ != type_ or type(value) not in message.codec.fields:
        raise _Found(value, f"must be {type_}")
    else:
        _check_struct(message, value, version)


def _check_string(value: object) -> None:
    if not isinstance(value, str):
        raise _Found(value, "must be str for string")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise _Found(value, f"cannot be encoded as UTF-8: {error.reason}") from error
    if size > MAX_STRING:
        raise _Found(value, f"has {size} bytes, strings at most {MAX_STRING}")
