"""Copies of worlds: all that may change is copied, what all copies share is not.

What is shared need not be picklable: the functions and modules of a variant, for one.
"""

import io
import pickle
from collections.abc import Sequence
from typing import Any


def packed(value: object, shared: Sequence[object]) -> bytes:
    """Return the value as bytes, with the places in `shared` of those objects in it."""
    places = {id(each): at for at, each in enumerate(shared) if each is not None}
    buffer = io.BytesIO()
    _Pickler(buffer, places).dump(value)
    return buffer.getvalue()


def unpacked(data: bytes, shared: Sequence[object]) -> Any:  # noqa: ANN401 - what was packed
    """Return another value that is the same, of bytes that this process has packed."""
    return _Unpickler(io.BytesIO(data), shared).load()


class _Pickler(pickle.Pickler):
    """Leaves out what all copies share."""

    def __init__(self, buffer: io.BytesIO, places: dict[int, int]) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._places = places

    def persistent_id(self, obj: object) -> int | None:
        """Return where a shared object is found again, None for others."""
        return self._places.get(id(obj))


class _Unpickler(pickle.Unpickler):
    """Puts in what all copies share."""

    def __init__(self, buffer: io.BytesIO, shared: Sequence[object]) -> None:
        super().__init__(buffer)
        self._shared = shared

    def persistent_load(self, pid: int) -> object:
        """Return the shared object at this place."""
        return self._shared[pid]
