"""Hypothesis strategies for every message and version, and the bridge to the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from klamm.protocol.message import Message
from klamm.tools.codegen.emit import module_name
from klamm.tools.codegen.interpret import Make, default_of
from klamm.tools.codegen.layout import Slot, StructLayout, layout_of
from klamm.tools.codegen.source import read_schemas
from klamm.tools.codegen.spec import Array, Fixed, MessageSpec, Sized, Struct, Type

SPECS = read_schemas(Path(__file__).resolve().parents[1])
ALL = [(name, version) for name, spec in sorted(SPECS.items()) for version in spec.versions]
"""Every message in every version."""

UNKNOWN_TAGS = st.lists(
    st.tuples(st.integers(8, 300), st.binary(max_size=4)), max_size=2, unique_by=lambda tag: tag[0]
).map(lambda tags: tuple(sorted(tags)))


@cache
def module_of(name: str) -> ModuleType:
    return import_module(f"klamm.protocol.generated.{module_name(SPECS[name])}")


def class_of(name: str) -> type[Message]:
    cls: type[Message] = getattr(module_of(name), name)
    return cls


def make_in(name: str) -> Make:
    """Give the function that makes structs of this message from the interpreter's fields."""
    module = module_of(name)
    return lambda struct, fields: getattr(module, struct)(**fields)


class Drawing:
    """What to draw: unknown `tags` or none, and strategies that replace those of some fields."""

    def __init__(
        self, tags: bool = True, fields: Mapping[str, st.SearchStrategy[Any]] | None = None
    ) -> None:
        self.tags = tags
        self.fields = fields or {}


def messages(name: str, version: int, drawing: Drawing | None = None) -> st.SearchStrategy[Any]:
    """Draw messages that this version can carry."""
    spec = SPECS[name]
    return _struct(spec, layout_of(spec, version), drawing or Drawing())


def _struct(spec: MessageSpec, layout: StructLayout, drawing: Drawing) -> st.SearchStrategy[Any]:
    make = make_in(spec.name)
    fields = {
        field.attribute: _value(spec, field.type, None, drawing)
        if field.ignorable and not isinstance(field.type, Struct | Array)
        else st.just(default_of(field, spec, make))
        for field in layout.absent
    }
    for slot in layout.slots:
        fields[slot.field.attribute] = _slot(spec, slot, drawing)
    for slot in layout.tagged:
        default = st.just(default_of(slot.field, spec, make))
        fields[slot.field.attribute] = default | _slot(spec, slot, drawing)
    if layout.flexible and drawing.tags:
        fields["unknown_tagged_fields"] = st.just(()) | UNKNOWN_TAGS
    return st.builds(getattr(module_of(spec.name), layout.name), **fields)


def _slot(spec: MessageSpec, slot: Slot, drawing: Drawing) -> st.SearchStrategy[Any]:
    values = drawing.fields.get(slot.field.attribute)
    if values is None:
        values = _value(spec, slot.field.type, slot.struct, drawing)
    return st.none() | values if slot.nullable else values


def _value(
    spec: MessageSpec, type_: Type, struct: StructLayout | None, drawing: Drawing
) -> st.SearchStrategy[Any]:
    if isinstance(type_, Array):
        items = _value(spec, type_.element, struct, drawing)
        return st.lists(items, max_size=4).map(tuple)
    if isinstance(type_, Struct):
        assert struct is not None
        return _struct(spec, struct, drawing)
    if isinstance(type_, Fixed):
        if type_.code == "?":
            return st.booleans()
        bound = 1 << (8 * type_.width - 1)
        return st.integers(-bound, bound - 1)
    if type_ == Sized("string"):
        return st.text(max_size=8)
    if isinstance(type_, Sized):
        return st.binary(max_size=8)
    return st.uuids() | st.just(UUID(int=0))


def carried(spec: MessageSpec, layout: StructLayout, value: Any) -> Any:  # noqa: ANN401
    """Give the value as it comes back: what the version leaves out is at its default."""
    make = make_in(spec.name)
    fields: dict[str, Any] = {f.attribute: default_of(f, spec, make) for f in layout.absent}
    for slot in (*layout.slots, *layout.tagged):
        fields[slot.field.attribute] = _carried_field(
            spec, slot, getattr(value, slot.field.attribute)
        )
    if spec.flexible:
        fields["unknown_tagged_fields"] = value.unknown_tagged_fields
    return make(layout.name, fields)


def _carried_field(spec: MessageSpec, slot: Slot, value: Any) -> Any:  # noqa: ANN401
    if value is None or slot.struct is None:
        return value
    if isinstance(slot.field.type, Array):
        return tuple(carried(spec, slot.struct, item) for item in value)
    return carried(spec, slot.struct, value)
