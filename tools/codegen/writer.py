"""Lines of Python with indentation, wrapped as `ruff format` would wrap them at 100 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

WIDTH = 100
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Writer:
    """Collects lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._indent = ""

    def line(self, text: str = "") -> None:
        """Add one line, or an empty one."""
        self._lines.append(f"{self._indent}{text}" if text else "")

    def lines(self, *texts: str) -> None:
        """Add lines one after the other."""
        for text in texts:
            self.line(text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Add `head`, and indent what is added inside."""
        self.line(head)
        with self.indented():
            yield

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Indent what is added inside."""
        before = self._indent
        self._indent += "    "
        yield
        self._indent = before

    def listing(self, heads: Sequence[str], items: Sequence[str], tail: str = "") -> None:
        """Add nested calls, of which the innermost takes `items`, on one line or one item a line.

        The comma behind the last item keeps `ruff format` from joining the lines again.
        """
        closing = [_CLOSING[head[-1]] for head in reversed(heads)]
        one_line = f"{''.join(heads)}{', '.join(items)}{''.join(closing)}{tail}"
        if self.fits(one_line):
            self.line(one_line)
            return
        self._exploded(heads, [[f"{item},"] for item in items], f"{''.join(closing)}{tail}")

    def formatted(
        self, heads: Sequence[str], parts: Sequence[str], items: Sequence[str], tail: str
    ) -> None:
        """Add a call whose first argument is the string of all `parts`, an f-string if need be.

        A string that is too long for its line is cut between two parts.
        """
        text = "".join(parts)
        first = f'{"f" if "{" in text else ""}"{text}"'
        one_line = f"{''.join(heads)}{', '.join([first, *items])}){tail}"
        if self.fits(one_line):
            self.line(one_line)
            return
        comma = "," if items else ""
        pieces = [""]
        for part in parts:
            if not self.fits(f'    f"{pieces[-1]}{part}"{comma}'):
                pieces.append("")
            pieces[-1] += part
        lines = [f'{"f" if "{" in piece else ""}"{piece}"' for piece in pieces]
        lines[-1] += comma
        self._exploded(heads, [lines, *([f"{item},"] for item in items)], f"){tail}")

    def _exploded(self, heads: Sequence[str], items: Sequence[Sequence[str]], closing: str) -> None:
        depth = self._indent
        for head in heads:
            self.line(head)
            self._indent += "    "
        for lines in items:
            self.lines(*lines)
        for index in range(len(heads)):
            self._indent = depth + "    " * (len(heads) - 1 - index)
            self.line(closing if index == len(heads) - 1 else closing[0])
            closing = closing[1:] if index < len(heads) - 1 else closing

    def assignment(self, targets: Sequence[str], value: str) -> None:
        """Add the assignment of a tuple to its targets."""
        if len(targets) == 1:
            self.line(f"({targets[0]},) = {value}")
        elif self.fits(f"{', '.join(targets)} = {value}"):
            self.line(f"{', '.join(targets)} = {value}")
        else:
            self.listing(["("], targets, f" = {value}")

    def condition(self, keyword: str, alternatives: Sequence[str]) -> None:
        """Add ``if a or b:`` on one line, or one alternative a line."""
        one_line = f"{keyword} {' or '.join(alternatives)}:"
        if self.fits(one_line):
            self.line(one_line)
            return
        self.line(f"{keyword} (")
        with self.indented():
            for index, alternative in enumerate(alternatives):
                self.line(f"{'or ' if index else ''}{alternative}")
        self.line("):")

    def fits(self, text: str) -> bool:
        """Tell whether this text fits on a line here."""
        return len(self._indent) + len(text) <= WIDTH

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"
