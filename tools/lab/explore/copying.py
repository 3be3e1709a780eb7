"""Worlds kept as they are at a moment, and made again: values are shared, the rest is copied."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from typing import Any

from klamm.controller.handlers.api import Context
from klamm.tools.lab.copies import unpacked
from klamm.tools.lab.explore.shapes import Kind, kind
from klamm.tools.lab.world import World

#: Frozen, and yet with parts that change: a handler's context draws from its desk.
_MIXED: frozenset[type] = frozenset({Context})

#: Whether the objects of a class are values.
_VALUES: dict[type, bool] = {}


@dataclass(frozen=True, slots=True)
class Kept:
    """A world at one moment. Values are shared by all worlds made of it.

    Values are frozen dataclasses and what lies in them: nobody may change a mapping that lies in
    a frozen dataclass.
    """

    _bytes: bytes
    _values: tuple[object, ...]

    @classmethod
    def of(cls, world: World) -> Kept:
        """Keep a world as it is now."""
        buffer = io.BytesIO()
        pickler = _Pickler(buffer)
        pickler.dump(world)
        return cls(buffer.getvalue(), tuple(pickler.values))

    def world(self) -> World:
        """Return a world of its own that is as this one was."""
        made: World = unpacked(self._bytes, self._values)
        return made


class _Pickler(pickle.Pickler):
    """Leaves values out and numbers them."""

    def __init__(self, buffer: io.BytesIO) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self.values: list[object] = []
        self._places: dict[int, int] = {}

    def persistent_id(self, obj: Any) -> int | None:  # noqa: ANN401 - takes anything apart
        """Return the number of a value, None for all that is copied."""
        cls = obj.__class__
        is_value = _VALUES.get(cls)
        if is_value is None:
            is_value = _VALUES[cls] = kind(cls) is Kind.VALUE and cls not in _MIXED
        if not is_value:
            return None
        place = self._places.get(id(obj))
        if place is None:
            place = self._places[id(obj)] = len(self.values)
            self.values.append(obj)
        return place
