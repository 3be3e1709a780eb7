"""Copies of worlds: all that may change is copied, what nobody changes all copies share.

What is shared need not be picklable: the functions and modules of a variant, for one.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from klamm.controller.handlers.api import Context
from klamm.tools.lab.explore.shapes import Kind, kind

#: Frozen, and yet with parts that change: a handler's context draws from its desk.
_MIXED = (Context,)


@dataclass(frozen=True, slots=True)
class Packed:
    """An object as it was at one moment; `shared` are the values in it."""

    data: bytes
    shared: tuple[object, ...]

    def unpacked(self) -> Any:  # noqa: ANN401 - what was packed
        """Return another object that is the same; only in the process that has packed it."""
        return _Unpickler(io.BytesIO(self.data), self.shared).load()


def packed(value: object) -> Packed:
    """Keep an object as it is now."""
    buffer = io.BytesIO()
    pickler = _Pickler(buffer)
    pickler.dump(value)
    return Packed(buffer.getvalue(), tuple(pickler.shared))


def _is_value(thing: Any) -> bool:  # noqa: ANN401 - takes anything apart
    """Tell whether nobody changes an object, or what lies in it, once it is made.

    Nobody may change a mapping that lies in a frozen dataclass.
    """
    match kind(type(thing)):
        case Kind.ATOM:
            return True
        case Kind.VALUE:
            return not isinstance(thing, _MIXED)
        case Kind.ROW:
            return all(map(_is_value, thing))
    return isinstance(thing, frozenset)


class _Pickler(pickle.Pickler):
    """Leaves values out and numbers them, but for those that are read as fast as they are found."""

    def __init__(self, buffer: io.BytesIO) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self.shared: list[object] = []
        self._places: dict[int, int] = {}

    def persistent_id(self, obj: object) -> int | None:
        """Return the number of a value, None for all that is copied."""
        is_plain = kind(type(obj)) is Kind.ATOM and not isinstance(obj, Enum)
        if is_plain or not _is_value(obj):
            return None
        place = self._places.setdefault(id(obj), len(self.shared))
        if place == len(self.shared):
            self.shared.append(obj)
        return place


class _Unpickler(pickle.Unpickler):
    """Puts in what all copies share."""

    #: Returns the value of a number: the sequence's own method, for it is called most.
    persistent_load: Callable[[int], object]

    def __init__(self, buffer: io.BytesIO, shared: Sequence[object]) -> None:
        super().__init__(buffer)
        self.persistent_load = shared.__getitem__
