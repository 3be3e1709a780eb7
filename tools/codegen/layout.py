"""A message as one version carries it: what the emitter and the interpreter walk.

Two versions with equal layouts have the same bytes and share their functions. The rules are those
of Kafka's generator (MessageDataGenerator.java) and of KIP-482 for flexible versions.
"""

from __future__ import annotations

from dataclasses import dataclass

from klamm.tools.codegen.node import SchemaError
from klamm.tools.codegen.spec import (
    Array,
    FieldSpec,
    Fixed,
    MessageSpec,
    Sized,
    Struct,
    StructSpec,
    Uuid,
)
from klamm.tools.codegen.versions import VersionRange


@dataclass(frozen=True, slots=True)
class Slot:
    """A field as this version carries it. `struct` is set if it is, or holds, structs."""

    field: FieldSpec
    nullable: bool
    compact: bool
    struct: StructLayout | None

    @property
    def least(self) -> int:
        """The fewest bytes that this field can take."""
        type_ = self.field.type
        if isinstance(type_, Fixed):
            return type_.width
        if isinstance(type_, Uuid):
            return 16
        if isinstance(type_, Struct):
            return 1 if self.nullable else self.element.least
        if self.compact:
            return 1
        return 2 if type_ == Sized("string") else 4

    @property
    def element(self) -> StructLayout:
        """The layout of the struct that this field is or holds."""
        if self.struct is None:
            raise AssertionError(f"{self.field.name} holds no struct")
        return self.struct


@dataclass(frozen=True, slots=True)
class StructLayout:
    """A struct in one version: slots in wire order, tagged slots by tag, and what is left out.

    `keeps_tags` says whether the class has a field for unknown tags, as flexible messages do.
    """

    name: str
    flexible: bool
    keeps_tags: bool
    slots: tuple[Slot, ...]
    tagged: tuple[Slot, ...]
    absent: tuple[FieldSpec, ...]

    @property
    def least(self) -> int:
        """The fewest bytes that this struct can take."""
        return sum(slot.least for slot in self.slots) + self.flexible


@dataclass(frozen=True, slots=True)
class Group:
    """Consecutive versions with one layout."""

    versions: VersionRange
    layout: StructLayout


def layout_of(spec: MessageSpec, version: int) -> StructLayout:
    """Give the layout of a message in one of its valid versions."""
    if version not in spec.versions:
        raise ValueError(f"{spec.name} has versions {spec.versions}, not {version}")
    return _layout(spec, spec.root, version)


def groups(spec: MessageSpec) -> tuple[Group, ...]:
    """Give all valid versions, neighbours with equal layouts together."""
    found: list[Group] = []
    for version in spec.versions:
        layout = layout_of(spec, version)
        if found and found[-1].layout == layout:
            first = found.pop().versions.first
            found.append(Group(VersionRange(first, version), layout))
        else:
            found.append(Group(VersionRange(version, version), layout))
    return tuple(found)


def _layout(spec: MessageSpec, struct: StructSpec, version: int) -> StructLayout:
    carried = [field for field in struct.fields if version in field.versions]
    slots = {field.name: _slot(spec, field, version) for field in carried}
    tagged = sorted(
        (field for field in carried if version in field.tagged), key=lambda field: field.tag or 0
    )
    return StructLayout(
        name=struct.name,
        flexible=version in spec.flexible,
        keeps_tags=bool(spec.flexible),
        slots=tuple(slots[field.name] for field in carried if field not in tagged),
        tagged=tuple(slots[field.name] for field in tagged),
        absent=tuple(field for field in struct.fields if version not in field.versions),
    )


def _slot(spec: MessageSpec, field: FieldSpec, version: int) -> Slot:
    flexible = spec.flexible if field.flexible is None else field.flexible
    type_ = field.type.element if isinstance(field.type, Array) else field.type
    struct = None
    if isinstance(type_, Struct):
        struct = _layout(spec, spec.struct(type_.name), version)
        if isinstance(field.type, Array) and not struct.least:
            raise SchemaError(
                f"{spec.source}: an element of {field.name} would take no byte in version "
                f"{version}, so nothing bounds the length that a peer can claim"
            )
    nullable = version in field.nullable
    if isinstance(field.type, Struct) and nullable and version in field.tagged:
        raise SchemaError(f"{spec.source}: {field.name} is a tagged struct that can be null")
    return Slot(field, nullable, version in flexible, struct)
