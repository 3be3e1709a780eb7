"""JSON documents in a text, with whatever prose is between them.

Tools wrap their JSON in sentences, people paste both, and files are printed on one line or on many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from klamm.tools.pipeline.formats.base import Bad, Line, bad, tidy

_MARKS = re.compile(r'["\\{}\[\]]')
#: How a document begins; a prompt such as `[zk: ..` is none.
_BEGIN = re.compile(r'\s*(?:\{|\[\s*(?:[\[{"\d\]-]|$))')
#: Deeper than any tool's; a hostile one would overflow the decoder's stack.
_MOST_DEPTH = 64


class Document(NamedTuple):
    """A JSON object or list, where it begins and ends, and its first line."""

    line: int
    last: int
    value: Any
    text: str


class Prose(NamedTuple):
    """A line of text, which may be empty."""

    line: int
    text: str


class _Balance:
    """Counts brackets outside of strings, over lines."""

    def __init__(self) -> None:
        self.depth = 0
        self.deepest = 0
        self._in_string = False

    def take(self, text: str) -> None:
        escaped = -1
        for found in _MARKS.finditer(text):
            mark = found[0]
            if self._in_string:
                if found.start() == escaped:
                    continue
                if mark == "\\":
                    escaped = found.start() + 1
                elif mark == '"':
                    self._in_string = False
            elif mark == '"':
                self._in_string = True
            elif mark in "{[":
                self.depth += 1
                self.deepest = max(self.deepest, self.depth)
            elif mark in "}]":
                self.depth -= 1


def documents(lines: Iterator[Line]) -> Iterator[Document | Prose | Bad]:
    """Give documents and prose in order; every line is in one of them, or bad."""
    gathered: list[str] = []
    first = last = 0
    balance = _Balance()
    for number, text in tidy(lines):
        if not gathered and _BEGIN.match(text) is None:
            yield Prose(number, text)
            continue
        if not gathered:
            first, balance = number, _Balance()
        gathered.append(text)
        last = number
        balance.take(text)
        if balance.depth <= 0:
            yield _decoded(first, last, gathered, balance)
            gathered = []
    if gathered:
        reason = f"JSON that is cut off: {balance.depth} brackets are open at the end"
        yield bad(first, reason, gathered[0])


def _decoded(first: int, last: int, gathered: list[str], balance: _Balance) -> Document | Bad:
    if balance.deepest > _MOST_DEPTH:
        return bad(first, f"JSON that is nested more than {_MOST_DEPTH} deep", gathered[0])
    text = "\n".join(gathered)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError) as error:
        return bad(first, f"no JSON: {error}", text)
    return Document(first, last, value, gathered[0])


def values(text: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Decode one JSON text; raises ValueError with the place of the fault."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise ValueError(f"no JSON: {error}") from None
