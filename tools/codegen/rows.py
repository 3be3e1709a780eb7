"""Which structs are rows (`klamm.protocol.rows`), and how their parts are called."""

from __future__ import annotations

from dataclasses import dataclass

from klamm.tools.codegen.layout import Slot, StructLayout
from klamm.tools.codegen.spec import Array, Fixed


@dataclass(frozen=True, slots=True)
class Numbers:
    """An array of numbers in a row."""

    slot: Slot
    element: Fixed

    @property
    def arrays(self) -> str:
        """The name of the `Arrays` that turns the bytes of such arrays into tuples."""
        form = "compact_" if self.slot.compact else ""
        form += "nullable_" if self.slot.nullable else ""
        return f"_{form}{self.element.name}s"

    @property
    def arguments(self) -> str:
        """What that `Arrays` is made with."""
        compact, nullable = self.slot.compact, self.slot.nullable
        return f'"{self.element.code}", compact={compact}, nullable={nullable}'


def numbers_in(slot: Slot) -> Numbers | None:
    """Give the array of numbers that this slot is, None for any other slot."""
    type_ = slot.field.type
    if isinstance(type_, Array) and isinstance(type_.element, Fixed):
        return Numbers(slot, type_.element)
    return None


def is_row(layout: StructLayout) -> bool:
    """Tell whether a struct consists of numbers and arrays of numbers, at least one of them."""
    return (
        bool(layout.slots)
        and not layout.tagged
        and all(isinstance(slot.field.type, Fixed) or numbers_in(slot) for slot in layout.slots)
    )


def has_arrays(layout: StructLayout) -> bool:
    """Tell whether the rows of this layout can differ in shape."""
    return any(numbers_in(slot) for slot in layout.slots)
