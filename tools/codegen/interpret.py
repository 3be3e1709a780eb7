"""The second codec: slow and obvious, straight from the spec, one field after the other.

It shares nothing with the emitter but the parsed schema, neither layouts nor primitives, so that
bytes on which both agree rest on two readings of the protocol guide
(https://kafka.apache.org/protocol.html#protocol_types) and KIP-482.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import UUID

from klamm.tools.codegen.spec import Array, FieldSpec, Fixed, MessageSpec, Sized, Struct, Type, Uuid

Make: TypeAlias = Callable[[str, dict[str, Any]], Any]
"""Makes a struct from its name and fields."""

STRING = Sized("string")
MAX_STRING = 2**15 - 1


class InterpretError(ValueError):
    """The value cannot be carried, or the bytes are no such message."""


def default_of(field: FieldSpec, spec: MessageSpec, make: Make) -> object:
    """Give the default of a field; a struct defaults to one with all fields at theirs."""
    if field.null_default:
        return None
    if isinstance(field.type, Array):
        return ()
    if isinstance(field.type, Struct):
        struct = spec.struct(field.type.name)
        return make(struct.name, {f.attribute: default_of(f, spec, make) for f in struct.fields})
    if isinstance(field.type, Uuid):
        return UUID(int=0)
    return b"" if field.type.name in ("bytes", "records") else field.default


def encode(spec: MessageSpec, version: int, message: object, make: Make) -> bytes:
    """Give the bytes of a message, whose fields are read as attributes.

    `make` is only asked for the defaults of structs.
    """
    return _Encoding(spec, version, make).struct(spec.fields, message)


def decode(spec: MessageSpec, version: int, data: bytes, make: Make) -> Any:  # noqa: ANN401
    """Read a message that takes all of `data`, and give what `make` made of it."""
    decoding = _Decoding(spec, version, make, data)
    message = decoding.struct(spec.name, spec.fields)
    if decoding.offset != len(data):
        raise InterpretError("trailing bytes")
    return message


class _Codec:
    """One message in one version."""

    def __init__(self, spec: MessageSpec, version: int, make: Make) -> None:
        self._spec = spec
        self._version = version
        self._make = make

    def _default(self, field: FieldSpec) -> object:
        return default_of(field, self._spec, self._make)

    def _flexible(self) -> bool:
        return self._version in self._spec.flexible

    def _compact(self, field: FieldSpec) -> bool:
        return self._flexible() if field.flexible is None else self._version in field.flexible


class _Encoding(_Codec):
    def struct(self, fields: tuple[FieldSpec, ...], value: object) -> bytes:
        out = b""
        tagged = {}
        for field in fields:
            item = getattr(value, field.attribute)
            if self._version not in field.versions:
                if not field.ignorable and item != self._default(field):
                    raise InterpretError(f"version {self._version} cannot carry {field.name}")
            elif self._version not in field.tagged:
                out += self._field(field, item)
            elif item != self._default(field):
                tagged[field.tag or 0] = self._field(field, item)
        return out + self._tags(tagged, getattr(value, "unknown_tagged_fields", ()))

    def _tags(self, known: dict[int, bytes], unknown: tuple[tuple[int, bytes], ...]) -> bytes:
        merged = known | dict(unknown)
        if len(merged) < len(known) + len(unknown):
            raise InterpretError("a tag is used twice")
        if not self._flexible():
            if merged:
                raise InterpretError(f"version {self._version} has no tagged fields")
            return b""
        out = _uvarint(len(merged))
        for tag, payload in sorted(merged.items()):
            out += _uvarint(tag) + _uvarint(len(payload)) + payload
        return out

    def _field(self, field: FieldSpec, value: Any) -> bytes:  # noqa: ANN401 - of any field
        compact = self._compact(field)
        if value is None:
            if self._version not in field.nullable:
                raise InterpretError(f"{field.name} cannot be null in version {self._version}")
            if isinstance(field.type, Struct):
                return b"\xff"
            return _length(-1, 2 if field.type == STRING else 4, compact)
        if isinstance(field.type, Array):
            out = _length(len(value), 4, compact)
            for item in value:
                out += self._value(field.type.element, item, compact)
            return out
        presence = isinstance(field.type, Struct) and self._version in field.nullable
        return (b"\x01" if presence else b"") + self._value(field.type, value, compact)

    def _value(self, type_: Type, value: Any, compact: bool) -> bytes:  # noqa: ANN401 - any type
        if isinstance(type_, Struct):
            return self.struct(self._spec.struct(type_.name).fields, value)
        if isinstance(type_, Uuid):
            return value.int.to_bytes(16, "big")  # type: ignore[no-any-return] # a UUID's int
        if isinstance(type_, Fixed):
            try:
                return int(value).to_bytes(type_.width, "big", signed=True)
            except OverflowError as error:
                raise InterpretError(f"{value} does not fit into {type_.name}") from error
        if type_ != STRING:
            return _length(len(value), 4, compact) + bytes(value)
        text = str(value).encode("utf-8")
        if len(text) > MAX_STRING:
            raise InterpretError("string too long")
        return _length(len(text), 2, compact) + text


def _uvarint(value: int) -> bytes:
    out = []
    while value > 127:
        out.append(value % 128 + 128)
        value //= 128
    return bytes([*out, value])


def _length(count: int, width: int, compact: bool) -> bytes:
    return _uvarint(count + 1) if compact else count.to_bytes(width, "big", signed=True)


class _Decoding(_Codec):
    def __init__(self, spec: MessageSpec, version: int, make: Make, data: bytes) -> None:
        super().__init__(spec, version, make)
        self._data = data
        self.offset = 0

    def struct(self, name: str, fields: tuple[FieldSpec, ...]) -> Any:  # noqa: ANN401 - a struct
        values: dict[str, Any] = {}
        tagged = {}
        for field in fields:
            if self._version in field.tagged:
                tagged[field.tag] = field
            if self._version in field.tagged or self._version not in field.versions:
                values[field.attribute] = self._default(field)
            else:
                values[field.attribute] = self._field(field)
        if self._flexible():
            values["unknown_tagged_fields"] = self._tags(tagged, values)
        return self._make(name, values)

    def _tags(
        self, tagged: dict[int | None, FieldSpec], values: dict[str, Any]
    ) -> tuple[tuple[int, bytes], ...]:
        unknown = []
        last = -1
        for _ in range(self._uvarint()):
            tag = self._uvarint()
            if tag <= last:
                raise InterpretError("tags must ascend")
            last = tag
            size = self._uvarint()
            field = tagged.get(tag)
            if field is None:
                unknown.append((tag, self._take(size)))
                continue
            end = self.offset + size
            values[field.attribute] = self._field(field)
            if self.offset != end:
                raise InterpretError("a tagged field has another length than it says")
        return tuple(unknown)

    def _field(self, field: FieldSpec) -> Any:  # noqa: ANN401 - of any field
        compact, nullable = self._compact(field), self._version in field.nullable
        if isinstance(field.type, Struct):
            if nullable and self._take(1)[0] >= 128:
                return None
            return self._value(field.type, compact, nullable)
        if not isinstance(field.type, Array):
            return self._value(field.type, compact, nullable)
        count = self._length(4, compact, nullable)
        if count is None:
            return None
        # One by one: a length that the data cannot hold ends at the end of the data.
        return tuple(self._value(field.type.element, compact, False) for _ in range(count))

    def _value(self, type_: Type, compact: bool, nullable: bool) -> Any:  # noqa: ANN401 - any type
        if isinstance(type_, Struct):
            return self.struct(type_.name, self._spec.struct(type_.name).fields)
        if isinstance(type_, Uuid):
            return UUID(bytes=self._take(16))
        if isinstance(type_, Fixed):
            number = int.from_bytes(self._take(type_.width), "big", signed=True)
            return bool(number) if type_.name == "bool" else number
        size = self._length(2 if type_ == STRING else 4, compact, nullable)
        if size is None:
            return None
        if type_ != STRING:
            return self._take(size)
        if size > MAX_STRING:
            raise InterpretError("string too long")
        try:
            return self._take(size).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InterpretError("not UTF-8") from error

    def _length(self, width: int, compact: bool, nullable: bool) -> int | None:
        if compact:
            count = self._uvarint() - 1
        else:
            count = int.from_bytes(self._take(width), "big", signed=True)
        if count < -1 or (count == -1 and not nullable):
            raise InterpretError(f"length {count}")
        return None if count == -1 else count

    def _uvarint(self) -> int:
        value = 0
        for index in range(5):
            byte = self._take(1)[0]
            value += (byte % 128) << (7 * index)
            if byte < 128:
                if value >= 1 << 32:
                    break
                return value
        raise InterpretError("varint too long")

    def _take(self, count: int) -> bytes:
        if count > len(self._data) - self.offset:
            raise InterpretError("the data end before the message does")
        taken = self._data[self.offset : self.offset + count]
        self.offset += count
        return taken
