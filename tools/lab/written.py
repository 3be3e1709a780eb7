"""What was written into ZooKeeper in a step, as values instead of bytes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

from klamm.controller.core.model import Assignment, TopicPartition
from klamm.controller.core.ops import Op
from klamm.controller.store.port import OpResult
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.state import StateZnode
from klamm.controller.znodes.topic import TopicZnode
from klamm.tools.lab.events import Content, Happened

Z = TypeVar("Z")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A znode whose content no controller can read, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Write:
    """One znode written; version -1 says that it was removed.

    `by` is the controller node that did it, "" if it was somebody else; `incumbent` the session
    that had begun the controller epoch which was the newest until then.
    """

    by: str
    session: int
    incumbent: int
    path: str
    version: int


@dataclass(frozen=True, slots=True)
class TopicWrite(Write):
    """A topic znode written, made (`before` is None) or removed (`after` is None)."""

    name: str
    before: TopicZnode | Unreadable | None
    after: TopicZnode | Unreadable | None


@dataclass(frozen=True, slots=True)
class StateWrite(Write):
    """A state znode, likewise."""

    name: TopicPartition
    before: StateZnode | Unreadable | None
    after: StateZnode | Unreadable | None


Orders = Mapping[TopicPartition, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class AdminWrite(Write):
    """`/admin/reassign_partitions`: what it ordered before and orders now."""

    before: Orders
    after: Orders


@dataclass(frozen=True, slots=True)
class EpochWrite(Write):
    """`/controller_epoch`: the epoch that was, and that begins; None if it cannot be told."""

    before: int
    epoch: int | None


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A node has been told that its Commit of these operations is durable."""

    ops: tuple[Op, ...]
    results: tuple[OpResult, ...]


@dataclass(slots=True)
class Digest:
    """One step, with what was written as values."""

    happened: Happened
    writes: list[Write] = field(default_factory=list)
    epochs: list[EpochWrite] = field(default_factory=list)
    topics: list[TopicWrite] = field(default_factory=list)
    states: list[StateWrite] = field(default_factory=list)
    admin: list[AdminWrite] = field(default_factory=list)
    acknowledged: list[Acknowledged] = field(default_factory=list)


@dataclass(slots=True)
class Order:
    """An entry of the admin znode, and since when it is there, in steps seen."""

    replicas: tuple[int, ...]
    since: int


def fields(write: Write) -> tuple[str, int, int, str, int]:
    """Return what a write of every kind has, in order."""
    return write.by, write.session, write.incumbent, write.path, write.version


def read(
    decode: Callable[[bytes | None, str], Z], content: Content | None, path: str
) -> Z | Unreadable | None:
    """Decode a znode, if there is one."""
    if content is None:
        return None
    try:
        return decode(content.data, path)
    except ZnodeError as error:
        return Unreadable(str(error))


def assignment(znode: TopicZnode | Unreadable | None, number: int) -> Assignment | None:
    """Return what a topic znode says of a partition; None if it does not have it."""
    if not isinstance(znode, TopicZnode) or number not in znode.partitions:
        return None
    adding, removing = znode.adding.get(number, ()), znode.removing.get(number, ())
    return Assignment(znode.partitions[number], adding, removing)


def written(write: TopicWrite | StateWrite) -> Iterator[str]:
    """Yield what a znode said before and says after, of partitions of which that differs."""
    if isinstance(write, StateWrite):
        for when, state in (("before", write.before), ("after", write.after)):
            yield f"{when}: {tell_state(state)}"
        return
    both = [each.partitions for each in (write.before, write.after) if isinstance(each, TopicZnode)]
    for number in sorted({*chain(*both)}):
        was, now = assignment(write.before, number), assignment(write.after, number)
        if was != now:
            yield f"{TopicPartition(write.name, number)} before: {tell(was)}"
            yield f"{TopicPartition(write.name, number)} after: {tell(now)}"


def tell_state(state: StateZnode | Unreadable | None) -> str:
    """Return a state in words."""
    match state:
        case None:
            return "nothing"
        case Unreadable(why):
            return why
    return f"leader {state.leader}, epoch {state.leader_epoch}, ISR {[*state.isr]}"


def tell(each: Assignment | None) -> str:
    """Return an assignment in words."""
    if each is None:
        return "nothing"
    return f"RS={[*each.replicas]} AR={[*each.adding]} RR={[*each.removing]}"
