"""Where the tool's words go: texts for people and old scripts, or one JSON object."""

import json
from typing import TextIO

from klamm.tools.reassign.exits import Exit


class TerseError(Exception):
    """An action has failed for a reason that stock scripts know word by word.

    `status` is the exit code, Kafka's 1 unless it is an option of ours that has failed.
    """

    def __init__(self, message: str, status: Exit = Exit.FAILED) -> None:
        super().__init__(message)
        self.status = status


class CommandError(Exception):
    """An action has failed; what is printed starts with `Error: `.

    `hint` is for people, beside a text that stock scripts know.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Output:
    """Texts on `out` as the stock tool has them; with `as_json` one object there instead.

    Warnings of our own go to `err`, so that nobody who parses the texts meets them.
    """

    def __init__(self, out: TextIO, err: TextIO, *, as_json: bool = False) -> None:
        self._out = out
        self._err = err
        self._as_json = as_json
        self._facts: dict[str, object] = {}
        self._last: str | None = None

    @property
    def stream(self) -> TextIO:
        """Where texts go, for views that write on their own."""
        return self._out

    @property
    def as_json(self) -> bool:
        """Tell whether nothing but JSON may go there."""
        return self._as_json

    def say(self, text: str = "") -> None:
        """Print a stock text and a line end."""
        if not self._as_json:
            self._out.write(f"{text}\n")
            self._out.flush()

    def warn(self, text: str) -> None:
        """Print a line that the stock tool does not have."""
        self._err.write(f"{text}\n")
        self._err.flush()

    def note(self, text: str) -> None:
        """Tell people, not scripts: a line for a terminal, and nothing for anything else."""
        if self._err.isatty():
            self.warn(text)

    def put(self, **facts: object) -> None:
        """Add facts to the JSON object."""
        self._facts.update(facts)

    def add(self, name: str, item: object) -> None:
        """Add an item to a list of the JSON object."""
        found = self._facts.setdefault(name, [])
        assert isinstance(found, list), name
        found.append(item)

    def end_with(self, text: str) -> None:
        """Have a line printed after all others, also after what an action fails with."""
        self._last = text

    def close(self, status: int) -> None:
        """Print the last line, or the JSON object if that was wanted; `status` is the exit code."""
        if self._last is not None:
            self.say(self._last)
        if self._as_json:
            self._out.write(json.dumps({**self._facts, "exit": status}) + "\n")
            self._out.flush()
