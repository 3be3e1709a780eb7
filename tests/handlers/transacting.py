"""Carries a handler's transactions out on znodes in a dictionary."""

from dataclasses import dataclass, field
from typing import Any

from klamm.controller.core.ops import Check, Create, Op, SetData
from klamm.controller.handlers.api import Answer, Outcome, Transact
from klamm.controller.store.port import Children, Missing, Read, ReadChildren, Znode
from klamm.controller.store.transaction import Found
from klamm.protocol.codec import decode, encode
from klamm.protocol.message import Message


@dataclass
class Znodes:
    """Data by path; `ops` are the writes of all transactions."""

    data: dict[str, bytes | None] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    fences: list[Check | None] = field(default_factory=list)

    def find(self, read: Read) -> Found:
        if isinstance(read, ReadChildren):
            below = f"{read.path}/"
            names = {path.removeprefix(below) for path in self.data if path.startswith(below)}
            return Children(read.path, tuple(sorted(names)), 1, 1)
        if read.path not in self.data:
            return Missing(read.path)
        return Znode(read.path, self.data[read.path], 7, 1, 1)

    def answer(self, outcome: Outcome) -> Message:
        """Return the response, as it is after its way over the wire."""
        if isinstance(outcome, Answer):
            return outcome.response
        assert isinstance(outcome, Transact)
        results: list[Any] = []
        for transaction in outcome.transactions:
            decision = transaction.decide(tuple(self.find(read) for read in transaction.reads))
            results.append(decision.result)
            for op in decision.ops:
                self._apply(op)
            if decision.ops:
                self.fences.append(decision.fence)
        made = outcome.respond(results)
        return self.answer(made) if isinstance(made, Transact) else made

    def _apply(self, op: Op) -> None:
        self.ops.append(op)
        match op:
            case Check(path):
                assert path in self.data
            case SetData(path, data, version):
                assert path in self.data
                assert version == 7
                self.data[path] = data
            case Create(path, data, sequential=True):
                self.data[f"{path}{len(self.data):010}"] = data
            case Create(path, data):
                assert path not in self.data
                self.data[path] = data
            case _:
                raise AssertionError(op)

    def notices(self) -> list[bytes | None]:
        return [data for path, data in self.data.items() if "/config_change_" in path]


def on_the_wire(message: Message, version: int) -> Message:
    """Encode and decode a response."""
    return decode(type(message), encode(message, version), version)
