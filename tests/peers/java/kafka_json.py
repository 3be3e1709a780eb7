"""A message as the JSON converters of Kafka's generator write it (JsonConverterGenerator.java)."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from typing import Any

from message_strategies import SPECS, make_in

from klamm.tools.codegen.interpret import default_of
from klamm.tools.codegen.layout import Slot, StructLayout, layout_of
from klamm.tools.codegen.spec import Array, MessageSpec, Sized, Struct, Type, Uuid


def as_json(name: str, version: int, message: object, *, records: bool) -> dict[str, Any]:
    """Give all fields that the version carries, tagged ones unless at their default.

    With `records` they are there in full, as Java reads them; else only their size, as it writes
    them. Unknown tagged fields are in no such JSON.
    """
    spec = SPECS[name]
    return _Rendering(spec, records).struct(layout_of(spec, version), message)


class _Rendering:
    def __init__(self, spec: MessageSpec, records: bool) -> None:
        self._spec = spec
        self._records = records

    def struct(self, layout: StructLayout, value: object) -> dict[str, Any]:
        fields = {}
        for slot in layout.slots:
            key, shown = self._field(slot, getattr(value, slot.field.attribute))
            fields[key] = shown
        for slot in layout.tagged:
            item = getattr(value, slot.field.attribute)
            if item != default_of(slot.field, self._spec, make_in(self._spec.name)):
                key, shown = self._field(slot, item)
                fields[key] = shown
        return fields

    def _field(self, slot: Slot, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - of any field
        key = slot.field.name[0].lower() + slot.field.name[1:]
        if value is None:
            return key, None
        if slot.field.type == Sized("records") and not self._records:
            return f"{key}SizeInBytes", len(value)
        return key, self._value(slot.field.type, slot.struct, value)

    def _value(self, type_: Type, layout: StructLayout | None, value: Any) -> Any:  # noqa: ANN401
        if isinstance(type_, Array):
            return [self._value(type_.element, layout, item) for item in value]
        if isinstance(type_, Struct):
            assert layout is not None
            return self.struct(layout, value)
        if isinstance(type_, Uuid):
            return urlsafe_b64encode(value.bytes).rstrip(b"=").decode()
        if isinstance(type_, Sized) and type_ != Sized("string"):
            return b64encode(value).decode()
        return value
