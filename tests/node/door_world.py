"""Doors of several nodes over one ZooKeeper in memory, and transactions that leave their name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from klamm.controller.core.ops import Check, Create, Op, SetData
from klamm.controller.core.origins import FromClient
from klamm.controller.core.results import Refusal
from klamm.controller.node.door import Door, DoorEffect
from klamm.controller.node.effects import Commit, Journal, ReadZnodes, Transacted
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.memory_tree import Applied
from klamm.controller.store.port import (
    CommitDone,
    Read,
    ReadData,
    ReadDone,
    SessionEvent,
    SessionState,
    StoreEvent,
    Znode,
)
from klamm.controller.store.transaction import Decision, Found, Note
from klamm.controller.znodes.errors import ZnodeError

FENCE = "/fence"
PATHS = ("/a", "/b")
NOTICES = "/notices"
ORIGIN = FromClient("127.0.0.1:5000", "admin-1", 7, 44)


@dataclass(frozen=True, slots=True)
class Sign:
    """Adds a name to the list in a znode, and leaves a notice of it; comes to the name."""

    path: str
    name: str
    fence: Check | None = None

    @property
    def reads(self) -> tuple[Read, ...]:
        return (ReadData(self.path),)

    def decide(self, found: tuple[Found, ...]) -> Decision[str]:
        (present,) = found
        notice = Create(f"{NOTICES}/n_", self.name.encode(), sequential=True)
        note = Note("signed", self.name)
        if not isinstance(present, Znode):
            create = Create(self.path, self.name.encode())
            return Decision(self.name, (create, notice), self.fence, note)
        if present.data is None:
            raise ZnodeError(self.path, "it holds no names")
        data = present.data + b" " + self.name.encode()
        write = SetData(self.path, data, present.version)
        return Decision(self.name, (write, notice), self.fence, note)


@dataclass(frozen=True, slots=True)
class SignAll:
    """Adds a name to the lists in several znodes at once."""

    paths: tuple[str, ...]
    name: str

    @property
    def reads(self) -> tuple[Read, ...]:
        return tuple(ReadData(path) for path in self.paths)

    def decide(self, found: tuple[Found, ...]) -> Decision[str]:
        signs = (
            Sign(path, self.name).decide((each,))
            for path, each in zip(self.paths, found, strict=True)
        )
        return Decision(self.name, tuple(decision.ops[0] for decision in signs))


@dataclass(frozen=True, slots=True)
class Look:
    """Reads the names and writes nothing."""

    path: str

    @property
    def reads(self) -> tuple[Read, ...]:
        return (ReadData(self.path),)

    def decide(self, found: tuple[Found, ...]) -> Decision[tuple[str, ...]]:
        (present,) = found
        data = present.data if isinstance(present, Znode) else None
        return Decision(tuple((data or b"").decode().split()))


@dataclass(frozen=True, slots=True)
class Fall(Look):
    """Falls over whatever it has read, with a secret in its own values."""

    secret: str = "hunter2"

    def decide(self, found: tuple[Found, ...]) -> Decision[tuple[str, ...]]:
        raise OverflowError("a number is too large")


@dataclass
class Visitor:
    """One node's door and its session with ZooKeeper."""

    zookeeper: MemoryZookeeper
    door: Door = field(default_factory=Door)
    answers: dict[int, list[tuple[Any, ...]]] = field(default_factory=dict)
    asked: int = 0
    inbox: list[StoreEvent] = field(default_factory=list)
    journal: list[Journal] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        def post(event: StoreEvent) -> None:
            if store is self.store:
                self.inbox.append(event)

        self.store: MemoryStore
        self.store = store = self.zookeeper.open(post)

    def enter(self, *transactions: Sign | SignAll | Look) -> int:
        self.asked += 1
        self.answers[self.asked] = []
        self.carry_out(self.door.enter(self.asked, transactions, ORIGIN))
        return self.asked

    def feed(self) -> None:
        """Hand over what has come in."""
        while self.inbox:
            event = self.inbox.pop(0)
            match event:
                case SessionEvent(state=SessionState.CONNECTED):
                    self.carry_out(self.door.connected(event.session))
                case SessionEvent(state=SessionState.SUSPENDED):
                    self.door.disconnected()
                case SessionEvent(state=SessionState.LOST):
                    self.give_up("expired")
                case ReadDone() | CommitDone():
                    assert Door.owns(event.request)
                    self.carry_out(self.door.answered(event))
                case _:
                    raise AssertionError(event)

    def give_up(self, reason: str) -> None:
        """End the session, whatever it still says, and begin another."""
        self.carry_out(self.door.lost(reason))
        former = self.store
        self.inbox.clear()
        self.open()
        former.close()

    def carry_out(self, effects: Iterable[DoorEffect]) -> None:
        for effect in effects:
            match effect:
                case ReadZnodes(request, reads, sync):
                    self.store.read(request, reads, sync)
                case Commit(request, ops, fence):
                    self.store.commit(request, ops, fence)
                case Transacted(request, results):
                    self.answers[request].append(results)
                case Journal():
                    self.journal.append(effect)

    def result(self, request: int) -> Any:  # noqa: ANN401 - whatever the transaction comes to
        """The one result of a request of one transaction, answered once."""
        ((result,),) = self.answers[request]
        return result


class House:
    """Some visitors of one ZooKeeper."""

    def __init__(self, visitors: int = 1) -> None:
        self.zookeeper = MemoryZookeeper()
        self.write(Create(NOTICES, None), Create(FENCE, b""))
        self.visitors = [Visitor(self.zookeeper) for _ in range(visitors)]

    def write(self, *ops: Op) -> None:
        written = self.zookeeper.write(ops)
        assert isinstance(written, Applied), written

    def settle(self) -> None:
        """Run until nothing happens any more."""
        for _ in range(1_000):
            self.zookeeper.run()
            busy = [visitor for visitor in self.visitors if visitor.inbox]
            if not busy:
                return
            for visitor in busy:
                visitor.feed()
        raise AssertionError("no rest after 1,000 rounds")

    def names(self, path: str) -> list[str]:
        node = self.zookeeper.tree.nodes.get(path)
        return (node.data or b"").decode().split() if node else []

    def notices(self) -> list[str]:
        """The names in the notices, in their order."""
        nodes = self.zookeeper.tree.nodes
        found = sorted(path for path in nodes if path.startswith(f"{NOTICES}/"))
        return [(nodes[path].data or b"").decode() for path in found]


def refusal(result: object) -> str:
    assert isinstance(result, Refusal), result
    return result.message
