"""What configs belong to, as requests 32 and 44 name it."""

import re
from enum import IntEnum

_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")


class ResourceType(IntEnum):
    """Kafka's ConfigResource.Type in 3.9; it calls every other number UNKNOWN."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16


def integer(text: str) -> int | None:
    """Read a broker id as Java's parser does; None if it is none."""
    return int(text) if _INTEGER.fullmatch(text) else None
