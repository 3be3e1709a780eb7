"""The typed model of a schema: what `parse` makes and everything else reads.

A type is one of five shapes: `Fixed` (a number or a bool), `Sized` (string, bytes or records: a
length, then so many bytes), `Uuid`, `Array` of one of these or of a struct, and `Struct`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from klamm.tools.codegen.versions import NONE, VersionRange


@dataclass(frozen=True, slots=True)
class Fixed:
    """A number or bool of fixed width; `code` is its letter in a `struct` format."""

    name: str
    code: str
    width: int


@dataclass(frozen=True, slots=True)
class Sized:
    """A string, bytes or records: a length, then so many bytes."""

    name: str


@dataclass(frozen=True, slots=True)
class Uuid:
    """Sixteen bytes; all zero stands for "none" and is the default."""

    name: str = "uuid"


@dataclass(frozen=True, slots=True)
class Struct:
    """A nested struct by name; its fields are in `MessageSpec.structs`."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """A length, then so many elements."""

    element: Fixed | Sized | Uuid | Struct

    @property
    def name(self) -> str:
        """The type as a schema writes it."""
        return f"[]{self.element.name}"


Type: TypeAlias = Fixed | Sized | Uuid | Struct | Array
Literal: TypeAlias = int | bool | str | None
"""A default: of a number, a bool, a string, or null. Other types have empty defaults."""

FIXED = {
    fixed.name: fixed
    for fixed in (
        Fixed("bool", "?", 1),
        Fixed("int8", "b", 1),
        Fixed("int16", "h", 2),
        Fixed("int32", "i", 4),
        Fixed("int64", "q", 8),
    )
}
SCALARS: dict[str, Fixed | Sized | Uuid] = {
    **FIXED,
    "string": Sized("string"),
    "bytes": Sized("bytes"),
    "records": Sized("records"),
    "uuid": Uuid(),
}


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field in all its versions.

    `default` is None for null and for the empty default of arrays, structs, bytes and UUIDs; the
    two are told apart by `null_default`.
    """

    name: str
    attribute: str
    type: Type
    versions: VersionRange
    nullable: VersionRange = NONE
    tagged: VersionRange = NONE
    tag: int | None = None
    flexible: VersionRange | None = None
    default: Literal = None
    null_default: bool = False
    ignorable: bool = False
    map_key: bool = False
    entity_type: str | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class StructSpec:
    """A named list of fields in wire order."""

    name: str
    versions: VersionRange
    fields: tuple[FieldSpec, ...]


@dataclass(frozen=True, slots=True)
class MessageSpec:
    """A request, a response or a header: its own fields and every struct that it uses.

    `structs` are ordered so that each one follows those that it holds. `stock` are the versions
    in Kafka's own schema, none for messages of klamm.
    """

    name: str
    kind: str
    api_key: int | None
    versions: VersionRange
    flexible: VersionRange
    deprecated: VersionRange
    fields: tuple[FieldSpec, ...]
    structs: tuple[StructSpec, ...]
    source: str
    stock: VersionRange = NONE

    @property
    def root(self) -> StructSpec:
        """The message itself as a struct."""
        return StructSpec(self.name, self.versions, self.fields)

    def struct(self, name: str) -> StructSpec:
        """Give a nested struct by name."""
        return next(struct for struct in self.structs if struct.name == name)

    def all_structs(self) -> Iterator[StructSpec]:
        """Give the nested structs, each after those that it holds, and last the message."""
        yield from self.structs
        yield self.root
