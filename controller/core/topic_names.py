"""Which topic names are lawful, and which are Kafka's own (Kafka 3.9, common.internals.Topic)."""

import re

MAX_LENGTH = 249

_LAWFUL = re.compile(r"[A-Za-z0-9._-]+")
_INTERNAL = frozenset({"__consumer_offsets", "__transaction_state"})


def unlawful(name: str) -> str | None:
    """Say why no topic may have this name; None if one may.

    >>> unlawful("orders.eu-1_x")
    >>> unlawful("..")
    "'..' is not allowed"
    """
    if not name:
        return "the empty string is not allowed"
    if name in (".", ".."):
        return f"'{name}' is not allowed"
    if len(name) > MAX_LENGTH:
        return f"the length of '{name}' is longer than the max allowed length {MAX_LENGTH}"
    if not _LAWFUL.fullmatch(name):
        text = "contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
        return f"'{name}' {text}"
    return None


def collide(one: str, other: str) -> bool:
    """Tell whether two names have the same metric names, in which '.' becomes '_'."""
    return one.replace(".", "_") == other.replace(".", "_")


def is_internal(name: str) -> bool:
    """Tell whether the topic holds Kafka's own records."""
    return name in _INTERNAL
