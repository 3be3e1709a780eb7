"""A JSON object that knows where it stands, so that every refusal can say so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from klamm.tools.codegen.versions import VersionRange


class SchemaError(ValueError):
    """A schema that the generator refuses; the text starts with the file and the place in it."""


class Node:
    """One object of a schema. Each key is taken once; `finish` refuses what nobody took."""

    def __init__(self, place: str, value: object) -> None:
        self.place = place
        if not isinstance(value, dict):
            raise SchemaError(f"{place}: an object is wanted here, not {value!r}")
        self._left: dict[str, Any] = dict(value)

    def refuse(self, reason: str) -> SchemaError:
        """Give the error that names this place."""
        return SchemaError(f"{self.place}: {reason}")

    def text(self, key: str, default: str | None = None) -> str:
        """Take a string; a missing one is refused unless there is a default."""
        value = self._left.pop(key, default)
        if not isinstance(value, str):
            raise self.refuse(f'"{key}" must be a string, not {value!r}')
        return value

    def flag(self, key: str) -> bool:
        """Take a bool that is false if missing."""
        value = self._left.pop(key, False)
        if not isinstance(value, bool):
            raise self.refuse(f'"{key}" must be true or false, not {value!r}')
        return value

    def number(self, key: str) -> int | None:
        """Take an integer that may be missing."""
        value = self._left.pop(key, None)
        if value is not None and type(value) is not int:
            raise self.refuse(f'"{key}" must be an integer, not {value!r}')
        return value

    def versions(self, key: str, default: str | None = None) -> VersionRange:
        """Take a version range."""
        text = self.text(key, default)
        try:
            return VersionRange.parse(text)
        except ValueError as error:
            raise self.refuse(f'"{key}": {error}') from error

    def raw(self, key: str) -> object:
        """Take any value, None if missing."""
        return self._left.pop(key, None)

    def ignore(self, *keys: str) -> None:
        """Let keys pass that say nothing about the bytes."""
        for key in keys:
            self._left.pop(key, None)

    def children(self, key: str) -> Iterator[Node]:
        """Take a list of named objects, empty if missing."""
        value = self._left.pop(key, [])
        if not isinstance(value, list):
            raise self.refuse(f'"{key}" must be a list, not {value!r}')
        for index, item in enumerate(value):
            name = item.get("name", "?") if isinstance(item, dict) else "?"
            yield Node(f"{self.place}, {key}[{index}] {name}", item)

    def finish(self) -> None:
        """Refuse every key that is left."""
        if self._left:
            raise self.refuse(f"unknown key {', '.join(map(repr, sorted(self._left)))}")
