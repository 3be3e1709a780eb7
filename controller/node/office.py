"""Standing for office: registering the node, electing, and knowing who is controller.

Source: Kafka 3.9, KafkaZkClient.scala, registerControllerAndIncrementControllerEpoch. One multi
creates `/controller` and raises `/controller_epoch` at its known version; the version that leaves
behind fences every later write.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from klamm.controller.core.ops import Create, Delete, Op, SetData
from klamm.controller.node.effects import (
    ArmWatch,
    Commit,
    Effect,
    Journal,
    ReadZnodes,
    Severity,
    Update,
)
from klamm.controller.store.port import (
    Committed,
    Missing,
    ReadData,
    ReadResult,
    Unreadable,
    Watch,
    Znode,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import (
    ControllerZnode,
    decode_controller,
    decode_controller_epoch,
    encode_controller,
    encode_controller_epoch,
)
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.klamm import KlammNodeZnode, encode_klamm_node

#: Read together, so that the epoch and whose it is are of one moment.
ELECTION_READS = (ReadData(paths.CONTROLLER), ReadData(paths.CONTROLLER_EPOCH))


@dataclass(frozen=True, slots=True)
class Held:
    """We are controller: our epoch, and the dataVersion of its znode that fences our writes."""

    epoch: int
    fence_version: int


@dataclass(frozen=True, slots=True)
class HeldBy:
    """Another node or broker is controller; `epoch` is what /controller_epoch says, 0 if nothing.

    An epoch that we read is only ever a reason to believe less. What we write is fenced by that of
    our own election: to go on under one that somebody else has raised is KAFKA-1096.
    """

    controller_id: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Vacant:
    """Nobody is controller: the writes that would make it us, and the epoch they would give."""

    ops: tuple[Op, ...]
    epoch: int


@dataclass(slots=True)
class Office:
    """What a node knows of the office during one session and the sessions before."""

    node: KlammNodeZnode
    session: int = 0
    former_sessions: set[int] = field(default_factory=set)
    requests: int = 0
    #: The epoch that our election gave, or would give; 0 when it no longer counts.
    candidate_epoch: int = 0
    #: Elections in a row that ZooKeeper refused us, and terms that ended because we could not
    #: read what a controller must know.
    setbacks: int = 0
    #: After such a term: do not stand for office before the timer says so.
    waits: bool = False
    #: Another session holds our registration, or may: do not stand for office under its id.
    id_taken: bool = False
    #: The czxid of the registration last made, by which controllers call this life of the node.
    registration_epoch: int = 0
    #: Numbers of the newest requests of each kind; answers to earlier ones are out of date.
    election: int = 0
    question: int = 0
    registration: int = 0
    inspection: int = 0

    @property
    def registration_path(self) -> str:
        """Where this node is registered."""
        return paths.klamm_node(self.node.id)

    def begin(self, session: int) -> Iterator[Effect]:
        """Enter a new session."""
        self.session = session
        yield from self.arrive()

    def end(self) -> None:
        """Leave the session: whatever it still says counts no more."""
        if self.session:
            self.former_sessions.add(self.session)
        self.session = 0
        self.candidate_epoch = 0
        self.id_taken = False

    def arrive(self) -> Iterator[Effect]:
        """Make the paths everybody expects, register the node, and ask who is controller.

        Every connection begins with this: the one before may have been lost before it was done.
        """
        for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
            yield Update(self.next_request(), Create(path, None))
        watches = (Watch(paths.CONTROLLER), Watch(self.registration_path))
        yield ArmWatch(self.next_request(), watches)
        yield self.register()
        yield self.ask()

    def register(self) -> Update:
        """Make the node's own ephemeral registration."""
        self.registration = self.next_request()
        create = Create(self.registration_path, encode_klamm_node(self.node), ephemeral=True)
        return Update(self.registration, create)

    def registered(self, czxid: int) -> Iterator[Effect]:
        """Note that the registration is ours; who did not stand because of it asks again."""
        self.registration_epoch = czxid
        if self.id_taken:
            self.id_taken = False
            yield self.ask()

    def inspect(self) -> ReadZnodes:
        """Look whose registration stands in the way of ours; answered by `taken`."""
        self.id_taken = True
        self.inspection = self.next_request()
        return ReadZnodes(self.inspection, (ReadData(self.registration_path),))

    def ask(self, *, sync: bool = False) -> ReadZnodes:
        """Ask who is controller; answered by `found`."""
        self.question = self.next_request()
        return ReadZnodes(self.question, ELECTION_READS, sync)

    def remove(self, leftover: Delete) -> Update:
        """Remove an ephemeral that a former session of ours left behind."""
        return Update(self.next_request(), leftover)

    def found(
        self, results: tuple[ReadResult, ...], wall_ms: int
    ) -> Held | HeldBy | Vacant | Delete:
        """Tell what the election reads say; a Delete removes a leftover of ours.

        An ephemeral of a former session of ours is no office held: Kafka stops there, and nobody
        is controller (F39). Raises ZnodeError if what must be known cannot be read.
        """
        controller, epoch = results
        number, version = 0, 0
        if isinstance(epoch, Znode):
            number, version = decode_controller_epoch(epoch.data), epoch.version
        elif isinstance(epoch, Unreadable):
            number, version = -1, -1  # no epoch of ours, if we are controller
        if isinstance(controller, Znode):
            if controller.ephemeral_owner == self.session:
                return Held(number, version)
            if controller.ephemeral_owner in self.former_sessions:
                return Delete(controller.path, controller.version)
            return HeldBy(decode_controller(controller.data).broker_id, max(0, number))
        for result in results:
            if isinstance(result, Unreadable):
                raise ZnodeError(result.path, f"who is controller cannot be told: {result.error}")
        create = Create(
            paths.CONTROLLER,
            encode_controller(ControllerZnode(self.node.id, wall_ms)),
            ephemeral=True,
        )
        raise_epoch = SetData(paths.CONTROLLER_EPOCH, encode_controller_epoch(number + 1), version)
        if isinstance(epoch, Znode):
            return Vacant((create, raise_epoch), number + 1)
        first = Create(paths.CONTROLLER_EPOCH, encode_controller_epoch(0))
        return Vacant((create, first, raise_epoch), number + 1)

    def stand(self, vacant: Vacant) -> Commit:
        """Ask ZooKeeper for the office; the only multi without a fence."""
        self.candidate_epoch = vacant.epoch
        self.election = self.next_request()
        return Commit(self.election, vacant.ops, fence=None)

    def won(self, outcome: Committed) -> Held:
        """Return what the election gave us; the raised epoch is the multi's last operation."""
        version = outcome.results[-1].version
        if version is None:
            raise ValueError("the store gave no version for the raised controller epoch")
        return Held(self.candidate_epoch, version)

    def taken(self, results: tuple[ReadResult, ...]) -> Iterator[Effect]:
        """Settle a registration that exists: ours from a former session goes, another's stays."""
        (owner,) = results
        if isinstance(owner, Missing):
            yield self.register()
        elif isinstance(owner, Znode) and owner.ephemeral_owner in self.former_sessions:
            yield self.remove(Delete(owner.path, owner.version))
            yield self.register()
        elif isinstance(owner, Znode) and owner.ephemeral_owner == self.session:
            yield from self.registered(owner.czxid)
        else:
            text = f"node.id {self.node.id} is taken by another klamm node; choose another id"
            yield Journal(Severity.ERROR, "node id taken", text)

    def next_request(self) -> int:
        """Number requests below zero: those of turns are above."""
        self.requests -= 1
        return self.requests
