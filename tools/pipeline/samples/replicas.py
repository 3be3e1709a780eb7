"""A partition as journals tell of it, and what befalls it, by the rules of KIP-455.

Every step changes the partition as Kafka's controller, or the leader, would: a controller's change
raises the leader epoch, and every change raises the version of the state znode.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy


class Replicated:
    """A partition: RS, AR and RR, leader and ISR; `text` is its form in a line of a journal."""

    __slots__ = (
        "adding",
        "controller_epoch",
        "epoch",
        "isr",
        "leader",
        "number",
        "origin",
        "removing",
        "replicas",
        "size",
        "text",
        "topic",
        "version",
    )

    def __init__(
        self, topic: str, number: int, replicas: list[int], isr: list[int], leader: int, size: int
    ) -> None:
        self.topic, self.number, self.size = topic, number, size
        self.replicas, self.isr, self.leader = replicas, isr, leader
        self.adding: list[int] = []
        self.removing: list[int] = []
        self.origin = replicas
        self.epoch = self.version = 0
        self.controller_epoch = 1
        self.text = self.form()

    @property
    def target(self) -> list[int]:
        """What it has once its move has ended."""
        return self.replicas[: len(self.replicas) - len(self.removing)]

    def form(self) -> str:
        """Return the JSON object; fields that have their default are left out."""
        adding = f',"adding":{self.adding}' if self.adding else ""
        removing = f',"removing":{self.removing}' if self.removing else ""
        leader = f',"leader":{self.leader}' if self.leader >= 0 else ""
        isr = f',"isr":{self.isr}' if self.isr else ""
        return (
            f'{{"replicas":{self.replicas}{adding}{removing}{leader},"leader_epoch":{self.epoch}'
            f'{isr},"controller_epoch":{self.controller_epoch},"version":{self.version}}}'
        ).replace(" ", "")

    def but(self, **other: int | list[int]) -> str:
        """Return the same, with fields that are told wrongly."""
        told = copy(self)
        for name, value in other.items():
            setattr(told, name, value)
        return told.form()

    def start(self, target: list[int], office: int) -> None:
        """Begin to move, or give a move that is under way another target."""
        origin = self.origin
        self.adding = [id_ for id_ in target if id_ not in origin]
        self.removing = [id_ for id_ in origin if id_ not in target]
        self.replicas = [*target, *self.removing]
        self.isr = [id_ for id_ in self.isr if id_ in self.replicas]
        self._controlled(office)

    def join(self, broker: int) -> None:
        """Come in sync: the leader writes it, in its epoch."""
        self.isr = [*self.isr, broker]
        self.version += 1
        self.text = self.form()

    def fall(self, broker: int) -> None:
        """Fall out of sync: the leader writes it, in its epoch."""
        self.isr = [id_ for id_ in self.isr if id_ != broker]
        self.version += 1
        self.text = self.form()

    def end(self, office: int) -> None:
        """End the move: the target is in sync, and who is not of it goes."""
        self._settle(self.target, office)

    def cancel(self, office: int) -> None:
        """End the move where it began. What was to go stays, and what was to come goes."""
        order = [id_ for id_ in self.replicas if id_ in self.origin]
        self._settle(order, office)

    def lose(self, broker: int, office: int) -> bool:
        """Do without a broker that has gone; tell whether that changed who leads."""
        led = self.leader == broker
        others = [id_ for id_ in self.isr if id_ != broker]
        # The last one in sync stays in the ISR: nobody else may lead.
        self.isr = others or self.isr
        if led:
            self.leader = next((id_ for id_ in self.replicas if id_ in others), -1)
        self._controlled(office)
        return led

    def elect(self, leader: int, office: int) -> None:
        """Give the lead to one of the ISR."""
        self.leader = leader
        self._controlled(office)

    def _settle(self, replicas: list[int], office: int) -> None:
        self.replicas, self.origin, self.adding, self.removing = replicas, replicas, [], []
        self.isr = [id_ for id_ in self.isr if id_ in replicas]
        if self.leader not in self.isr:
            self.leader = next(id_ for id_ in replicas if id_ in self.isr)
        self._controlled(office)

    def _controlled(self, office: int) -> None:
        self.epoch += 1
        self.version += 1
        self.controller_epoch = office
        self.text = self.form()


def another(
    replicas: Sequence[int], brokers: Collection[int], chosen: Callable[[list[int]], int]
) -> list[int]:
    """Return the replicas with one of them elsewhere; the same if there is nowhere to go."""
    free = sorted(id_ for id_ in brokers if id_ not in replicas)
    if not free:
        return list(replicas)
    return [*replicas[:-1], chosen(free)]
