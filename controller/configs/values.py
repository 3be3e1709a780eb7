"""Types and valid values of configs, by the rules and in the words of Kafka's ConfigDef.

Source: Kafka 3.9, ConfigDef.parseType and convertToString, ThrottledReplicaListValidator,
MetadataVersionValidator. What Java's parsers take and Python's do not, and the other way round,
goes as in Java.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

Value = bool | int | float | str | tuple[str, ...]
"""A parsed value; a list is a tuple."""


class Kind(IntEnum):
    """The types of configs, with the numbers that DescribeConfigs shows."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class InvalidValueError(ValueError):
    """A value is none for its config; the text says so as Kafka's ConfigException does."""

    def __init__(self, name: str, value: str, reason: str) -> None:
        super().__init__(f"Invalid value {value} for configuration {name}: {reason}")


Check = Callable[[str, Value], None]
"""Takes a config's name and parsed value; raises InvalidValueError."""

_BITS = {Kind.SHORT: 15, Kind.INT: 31, Kind.LONG: 63}
_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(NaN|Infinity|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?)", re.ASCII)
_HEXADECIMAL = re.compile(
    r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[dDfF]?"
)
_BLANK = "".join(map(chr, range(33)))
_COMMA = re.compile(r"[ \t\n\x0b\f\r]*,[ \t\n\x0b\f\r]*")


def parse(name: str, kind: Kind, text: str) -> Value:
    """Read a value; raises InvalidValueError."""
    trimmed = text.strip(_BLANK)
    if kind is Kind.BOOLEAN:
        if trimmed.lower() not in ("true", "false"):
            raise InvalidValueError(name, text, "Expected value to be either true or false")
        return trimmed.lower() == "true"
    if kind in _BITS:
        number, limit = _integer(trimmed), 1 << _BITS[kind]
        if number is None or not -limit <= number < limit:
            raise InvalidValueError(name, text, f"Not a number of type {kind.name}")
        return number
    if kind is Kind.DOUBLE:
        return _double(name, text, trimmed)
    if kind is Kind.LIST:
        return tuple(_COMMA.split(trimmed)) if trimmed else ()
    return trimmed if kind in (Kind.STRING, Kind.CLASS) else text


def show(value: Value) -> str:
    """Write a value as Kafka's convertToString does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    return java_double(value) if isinstance(value, float) else str(value)


def _integer(text: str) -> int | None:
    """Read a whole number; None if it is none, or has more digits than any type."""
    digits = text.lstrip("+-0")  # Python reads no more than 4300 digits, and zeros are some
    if not _INTEGER.fullmatch(text) or len(digits) > 19:
        return None
    return int(digits or "0") * (-1 if text.startswith("-") else 1)


def _double(name: str, text: str, trimmed: str) -> float:
    if _HEXADECIMAL.fullmatch(trimmed):
        try:
            return float.fromhex(trimmed.rstrip("dDfF"))
        except OverflowError:  # where Java, and Python for decimals, have an infinity
            return -math.inf if trimmed.startswith("-") else math.inf
    if not _DECIMAL.fullmatch(trimmed):
        raise InvalidValueError(name, text, "Not a number of type DOUBLE")
    return float(trimmed.rstrip("dDfF"))


def java_double(number: float) -> str:
    """Write a double as Java does.

    >>> [java_double(number) for number in (0.5, 1e7, 1.5e-5, 100.0, float("inf"))]
    ['0.5', '1.0E7', '1.5E-5', '100.0', 'Infinity']
    """
    if number != number or number in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(number)]
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    # The shortest digits are those of repr; only where the point stands differs.
    mantissa, _, exponent = f"{number:.{_digits(number) - 1}e}".partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def _digits(number: float) -> int:
    """Count the digits that a double needs to be read back as itself."""
    return next(count for count in range(1, 18) if float(f"{number:.{count - 1}e}") == number)


# --- valid values --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Range:
    """At least one number, at most the other; None is no bound."""

    least: int | None
    most: int | None = None

    def __call__(self, name: str, value: Value) -> None:
        """Check a number; NaN is neither too small nor too large."""
        assert isinstance(value, int | float)
        if self.least is not None and value < self.least:
            raise InvalidValueError(name, show(value), f"Value must be at least {self.least}")
        if self.most is not None and value > self.most:
            raise InvalidValueError(name, show(value), f"Value must be no more than {self.most}")


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these texts; of a list, every element."""

    choices: tuple[str, ...]

    def __call__(self, name: str, value: Value) -> None:
        """Check a text, or the elements of a list."""
        for text in value if isinstance(value, tuple) else (show(value),):
            if text not in self.choices:
                reason = f"String must be one of: {', '.join(self.choices)}"
                raise InvalidValueError(name, text, reason)


@dataclass(frozen=True, slots=True)
class RangeOr:
    """A number in a range, or one outside that stands for a default."""

    least: int
    most: int
    default: int

    def __call__(self, name: str, value: Value) -> None:
        """Check a number."""
        assert isinstance(value, int)
        if value != self.default and not self.least <= value <= self.most:
            reason = (
                f"Value must be between {self.least} and {self.most} or equal to {self.default}"
            )
            raise InvalidValueError(name, show(value), reason)


_THROTTLED = re.compile(r"([0-9]+:[0-9]+)?")
_THROTTLED_FORM = "[partitionId]:[brokerId],[partitionId]:[brokerId],..."


def throttled_replicas(name: str, value: Value) -> None:
    """Check a list of throttled replicas: `*` for all, or partition:broker pairs, or nothing."""
    assert isinstance(value, tuple)
    if value == ("*",) or all(_THROTTLED.fullmatch(pair) for pair in value):
        return
    reason = (
        f"{name} must be the literal '*' or a list of replicas in the following format:"
        f" {_THROTTLED_FORM}"
    )
    raise InvalidValueError(name, f"[{', '.join(value)}]", reason)


VERSIONS = tuple(
    f"{release}{f'-IV{number}' if last >= 0 else ''}"
    for release, last in (
        *(("0.8.0", -1), ("0.8.1", -1), ("0.8.2", -1), ("0.9.0", -1)),
        *(("0.10.0", 1), ("0.10.1", 2), ("0.10.2", 0), ("0.11.0", 2), ("1.0", 0), ("1.1", 0)),
        *(("2.0", 1), ("2.1", 2), ("2.2", 1), ("2.3", 1), ("2.4", 1), ("2.5", 0), ("2.6", 0)),
        *(("2.7", 2), ("2.8", 1), ("3.0", 1), ("3.1", 0), ("3.2", 0), ("3.3", 3), ("3.4", 0)),
        *(("3.5", 2), ("3.6", 2), ("3.7", 4), ("3.8", 0), ("3.9", 0), ("4.0", 1)),
    )
    for number in range(max(last, 0) + 1)
)
"""Every version that Kafka 3.9 knows, as inter.broker.protocol.version names them."""

_NAMED = frozenset((*VERSIONS, *(version.partition("-")[0] for version in VERSIONS)))


def known_version(name: str, value: Value) -> None:
    """Check a version: a full name, or a release with or without its last number."""
    text = show(value)
    parts = text.split(".")
    length = 3 if text.startswith("0.") else 2
    if ".".join(parts[:length]) not in _NAMED:
        raise InvalidValueError(name, text, f"Version {text} is not a valid version")
