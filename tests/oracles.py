"""What the comparisons with independent codecs share: one plain form of a message's values."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from message_strategies import ALL, SPECS

from klamm.tools.codegen.layout import Slot, StructLayout, layout_of
from klamm.tools.codegen.spec import Array

QUICK = settings(
    max_examples=3,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
VERSIONS = {name: spec.versions.last + 1 for name, spec in SPECS.items()}


def plain(name: str, version: int, message: object) -> dict[str, Any]:
    """Give the values of a message by normalised field name, in the order of the schema."""
    return _struct(layout_of(SPECS[name], version), message)


def normalised(name: str) -> str:
    """Give a field name without what naming rules differ in: underscores and the unit."""
    return name.replace("_", "").lower().removesuffix("ms")


def _struct(layout: StructLayout, value: object) -> dict[str, Any]:
    return {
        normalised(slot.field.attribute): _field(slot, getattr(value, slot.field.attribute))
        for slot in sorted((*layout.slots, *layout.tagged), key=lambda slot: slot.field.name)
    }


def _field(slot: Slot, value: Any) -> Any:  # noqa: ANN401 - of any field
    if slot.struct is not None and value is not None:
        if isinstance(slot.field.type, Array):
            return tuple(_struct(slot.struct, item) for item in value)
        return _struct(slot.struct, value)
    return int(value) if isinstance(value, IntEnum) else value


def known(names: set[str]) -> list[tuple[str, int]]:
    """Give every message and version of the messages in `names`."""
    return [(name, version) for name, version in ALL if name in names]
