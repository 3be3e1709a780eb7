"""Amounts of data as people write them: 10MiB, 1.5 GB, 4096."""

import math
import re
from collections.abc import Callable

import click

MIB = 2**20

_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_AMOUNT = re.compile(r"\s*(-?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)(?:/s)?\s*", re.ASCII)
_NAMES = ("B", "KiB", "MiB", "GiB", "TiB")


def parse_bytes(text: str) -> int:
    """Return the bytes of a text such as 10MiB, 1.5GB or 4096; raises ValueError."""
    match = _AMOUNT.fullmatch(text)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise ValueError(
            f"{text!r} is no amount of data; write a number, and B, KB, MB, GB, KiB, MiB or GiB"
        )
    found = round(float(match[1]) * unit)
    if found < 0:
        raise ValueError(f"{text!r} is less than nothing")
    if found >= 2**63:
        raise ValueError(f"{text!r} is more than any broker could count")
    return found


def format_bytes(amount: float) -> str:
    """Write an amount for people, in binary units: 10.0 MiB.

    >>> format_bytes(1536), format_bytes(0)
    ('1.5 KiB', '0 B')
    """
    if not math.isfinite(amount):
        return "no end of bytes"
    power = 0
    while power < len(_NAMES) - 1 and abs(amount) >= 1024:
        amount /= 1024
        power += 1
    return f"{amount:.{1 if power else 0}f} {_NAMES[power]}"


def counted(number: int, noun: str) -> str:
    """Write a number of things: 1 partition, 2 partitions."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def byte_count(least: int = 0) -> Callable[[click.Context, click.Parameter, str], int]:
    """Return a click callback that reads an amount in bytes, of at least so many."""

    def read(ctx: click.Context, param: click.Parameter, value: str) -> int:
        try:
            found = parse_bytes(value)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from error
        if found < least:
            raise click.BadParameter(f"{value} is too little: at least {least} B", ctx, param)
        return found

    return read
