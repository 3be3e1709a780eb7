"""Broker ids as people write them: 3 or 1,2 or 0-4."""

import re

import click

#: More in one list is a slip of the finger.
_MOST = 1000


def parse_ids(text: str) -> tuple[int, ...]:
    """Return the ids of a text, in its order; raises ValueError.

    >>> parse_ids("7,0-2"), parse_ids("")
    ((7, 0, 1, 2), ())
    """
    found: list[int] = []
    for part in filter(None, text.replace(" ", "").split(",")):
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", part, re.ASCII)
        if match is None:
            raise ValueError(f"{part!r} is no broker id, nor a range as 0-4")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + _MOST:
            raise ValueError(f"{part!r} is no range of at most {_MOST} ids, lowest first")
        found += range(first, last + 1)
    if len(set(found)) != len(found):
        raise ValueError(f"{text!r} names a broker twice")
    return tuple(found)


def read_ids(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """Read an option's ids."""
    try:
        return parse_ids(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error
