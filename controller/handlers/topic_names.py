"""Which topic names are lawful, and which are Kafka's own (Kafka 3.9, common.internals.Topic)."""

import re

MAX_TOPIC_NAME = 249

_LAWFUL = re.compile(rf"[A-Za-z0-9._-]{{1,{MAX_TOPIC_NAME}}}")
_INTERNAL = frozenset({"__consumer_offsets", "__transaction_state"})


def is_lawful(name: str) -> bool:
    """Tell whether a topic may have this name.

    >>> [is_lawful(name) for name in ("orders.eu-1_x", "", "..", "a b", "x" * 250)]
    [True, False, False, False, False]
    """
    return bool(_LAWFUL.fullmatch(name)) and name not in (".", "..")


def is_internal(name: str) -> bool:
    """Tell whether the topic holds Kafka's own records."""
    return name in _INTERNAL
