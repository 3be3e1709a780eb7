"""Version ranges as Kafka's schemas write them, and the algebra over them.

>>> VersionRange.parse("3+").intersect(VersionRange.parse("0-7"))
VersionRange('3-7')
>>> 4 in VersionRange.parse("none")
False
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

OPEN = 32767
"""The highest version there can be (an int16 on the wire): what "3+" ends at."""

_FORM = re.compile(r"(0|[1-9][0-9]*)(\+|-(0|[1-9][0-9]*))?")


@dataclass(frozen=True, slots=True, repr=False)
class VersionRange:
    """All versions from `first` to `last`, both included; empty if `last` is below `first`."""

    first: int
    last: int

    @classmethod
    def parse(cls, text: str) -> VersionRange:
        """Read "2", "0-3", "5+" or "none"; anything else is a `ValueError` that quotes it."""
        if text == "none":
            return NONE
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f'{text!r} is no version range: use "2", "0-3", "5+" or "none"')
        first = int(match[1])
        last = first if match[2] is None else OPEN if match[2] == "+" else int(match[3])
        if last < first or last > OPEN:
            raise ValueError(f"{text!r} is no version range: it must ascend, up to {OPEN}")
        return cls(first, last)

    def __bool__(self) -> bool:
        return self.first <= self.last

    def __contains__(self, version: object) -> bool:
        return isinstance(version, int) and self.first <= version <= self.last

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))

    def __str__(self) -> str:
        if not self:
            return "none"
        if self.last == OPEN:
            return f"{self.first}+"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def __repr__(self) -> str:
        return f"VersionRange({str(self)!r})"

    def intersect(self, other: VersionRange) -> VersionRange:
        """Give the versions in both."""
        both = VersionRange(max(self.first, other.first), min(self.last, other.last))
        return both or NONE

    def covers(self, other: VersionRange) -> bool:
        """Tell whether every version of `other` is in this range.

        >>> VersionRange.parse("1+").covers(VersionRange.parse("2-4"))
        True
        """
        return self.intersect(other) == (other or NONE)

    def subtract(self, other: VersionRange) -> tuple[VersionRange, ...]:
        """Give what is left of this range without `other`: none, one or two ranges.

        >>> VersionRange.parse("0-7").subtract(VersionRange.parse("2-4"))
        (VersionRange('0-1'), VersionRange('5-7'))
        """
        if not self.intersect(other):
            return (self,) if self else ()
        below = VersionRange(self.first, other.first - 1)
        above = VersionRange(other.last + 1, self.last)
        return tuple(part for part in (below, above) if part)


NONE = VersionRange(0, -1)
"""No version at all; every empty range compares and prints as this one."""
