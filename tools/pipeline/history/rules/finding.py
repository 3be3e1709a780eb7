"""What a rule says when it does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from klamm.tools.pipeline.history.rules.event import Event


class Finding(NamedTuple):
    """What is wrong, in a sentence, and the events that show it, the last of them the breach.

    `like` is the row of the catalogue that such a breach is known from, "" if of none.
    """

    rule: str
    text: str
    shown: tuple[Event, ...]
    like: str = ""


Findings = Iterator[Finding]
