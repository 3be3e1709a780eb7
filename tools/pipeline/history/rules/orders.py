"""N10: orders in /admin/reassign_partitions that wait, and who cancels them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from klamm.tools.pipeline.history.rules.event import Event
from klamm.tools.pipeline.history.rules.finding import Finding, Findings

#: What of a journal is looked at here, beside what a cluster has anyway.
BEGUN = frozenset({"accept", "refuse"})
_NONE_IN_PROGRESS = 85


class _Order(msgspec.Struct):
    topic: str
    partition: int


class _Orders(msgspec.Struct):
    """What is looked at of /admin/reassign_partitions."""

    partitions: list[_Order] = []


def ordered(said: dict[str, Any]) -> frozenset[str]:
    """Return the names of the partitions that the written znode orders to move."""
    try:
        found = msgspec.json.decode(said.get("data") or "{}", type=_Orders)
    except msgspec.MsgspecError:
        return frozenset()
    return frozenset(f"{each.topic}-{each.partition}" for each in found.partitions)


@dataclass(slots=True)
class Waiting:
    """N10: who cancels an order that waits is not told that there is none.

    Told of the controller that had read the order before, and began it after, by its own journal:
    one that it had not read yet it could not know.
    """

    #: By node: its epoch, and the version of the orders that it has read.
    read: dict[int | None, tuple[int | None, str]] = field(default_factory=dict)
    refused: dict[str, tuple[str, Event]] = field(default_factory=dict)
    begun: list[tuple[str, Event, Event]] = field(default_factory=list)
    #: By version of the znode: what it orders; None if there were several of that version.
    orders: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Take an entry of a journal in."""
        epoch, version = self.read.get(event.node, (None, ""))
        if event.kind == "admin-read":
            version = (event.text or "").removeprefix("version ").partition(":")[0]
            self.read[event.node] = event.controller_epoch, version
        elif event.kind == "refuse" and event.rpc_error == _NONE_IN_PROGRESS:
            if epoch == event.controller_epoch:
                self.refused[event.name] = version, event
        elif event.name in self.refused:
            version, refused = self.refused.pop(event.name)
            if event.kind == "accept" and _asks(event) == "BeginEntry":
                self.begun.append((version, refused, event))

    def ordered(self, version: int | None, names: frozenset[str]) -> None:
        """Take in what the znode says from this version on."""
        key = str(version)
        self.orders[key] = names if key not in self.orders else None

    def end(self) -> Findings:
        """Judge the whole."""
        for version, refused, begun in self.begun:
            if refused.name in (self.orders.get(version) or ()):
                text = f"node {refused.node} cancels nothing of {refused.name}, whose order it has"
                yield Finding("N10", f"{text} read, and begins later", (refused, begun), "N10")


def _asks(event: Event) -> str:
    """Return what an entry decides on."""
    asked = event.said.get("event")
    return str(asked.get("kind")) if isinstance(asked, dict) else ""
