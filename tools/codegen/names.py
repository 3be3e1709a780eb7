"""One rule for the names of fields, modules and locals."""

from __future__ import annotations

import keyword
import re

# A word is an optional capital with a capitalised word behind it (Topic, KRaft), a run of
# capitals (ISR), or a run of small letters and digits (is).
_WORD = re.compile(r"[A-Z]?[A-Z][a-z0-9]+|[A-Z]+(?![a-z])|[a-z0-9]+")


def words(camel: str) -> list[str]:
    """Split a Kafka name into its words, in small letters.

    >>> words("LeaderAndIsrRequest")
    ['leader', 'and', 'isr', 'request']
    """
    return [word.lower() for word in _WORD.findall(camel)]


def snake(camel: str) -> str:
    """Give the Python name of a field, or of the module of a message.

    One capital before a capitalised word belongs to that word, so that KRaft stays whole.

    >>> snake("TimeoutMs"), snake("isKRaftController"), snake("V0Host"), snake("TopicISR")
    ('timeout_ms', 'is_kraft_controller', 'v0_host', 'topic_isr')

    A Python keyword gets an underscore behind it.

    >>> snake("From")
    'from_'
    """
    name = "_".join(words(camel))
    return f"{name}_" if keyword.iskeyword(name) else name
