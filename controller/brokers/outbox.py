"""What one broker must still be told: names of partitions, never a history of requests.

Requests are made from the state when they are sent, so a partition that changes twice before a
slow broker takes its next request costs one line, and that line is the newest. Per partition the
outbox holds at most one order to the replica (lead, or stop) and one notice for clients.

Rules of merging (each has a test):
1. `is_new`, once true, stays true until it is sent.
2. A later Lead takes back an unsent Stop of that replica, and a later Stop an unsent Lead.
3. Of two unsent Stops the one that deletes stays.
4. What is in flight is never changed; a link that breaks puts it back, below what came since.
5. Nobody is told to stop what the state says it is a replica of: the stop is of a former life,
   and StopReplica of versions 1 and 2 has no epoch that would let the broker see it.
6. Order of sending: live brokers alone if they changed, Lead, Publish, Stop, Stop with delete.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice

from klamm.controller.brokers.messages import leader_and_isr, stop_replica, update_metadata
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import Broker, ClusterState, TopicPartition
from klamm.protocol.message import Message

#: A broker makes a log for each new replica before it answers: 1,000 took seconds (measured).
NEW_REPLICAS_PER_REQUEST = 500
REPLICAS_PER_REQUEST = 2_000
NOTICES_PER_REQUEST = 5_000


class Kind(Enum):
    """The requests that a controller sends."""

    UPDATE_METADATA = auto()
    LEADER_AND_ISR = auto()
    STOP_REPLICA = auto()


@dataclass(frozen=True, slots=True)
class InFlight:
    """A request that was handed out: what it told, to put it back or to read its answer by.

    `flags` are is_new of a Lead or delete of a Stop; `epochs` the leader epochs told by a Lead.
    """

    number: int
    kind: Kind
    flags: Mapping[TopicPartition, bool]
    epochs: Mapping[TopicPartition, int] = field(default_factory=dict)


@dataclass(slots=True)
class Outbox:
    """What the broker of this epoch must still be told; `listener` is the one between brokers."""

    broker: Broker
    announce: bool = False
    leads: dict[TopicPartition, bool] = field(default_factory=dict)
    notices: dict[TopicPartition, None] = field(default_factory=dict)
    stops: dict[TopicPartition, bool] = field(default_factory=dict)
    in_flight: InFlight | None = None
    listener: str = "PLAINTEXT"

    def lead(self, name: TopicPartition, is_new: bool) -> None:
        """Tell it the partition's leadership (rules 1 and 2)."""
        self.stops.pop(name, None)
        self.leads[name] = self.leads.get(name, False) or is_new

    def publish(self, name: TopicPartition) -> None:
        """Tell it what clients ask about the partition."""
        self.notices[name] = None

    def stop(self, name: TopicPartition, delete: bool) -> None:
        """Tell it to stop its replica (rules 2 and 3)."""
        self.leads.pop(name, None)
        self.stops[name] = self.stops.get(name, False) or delete

    def refill(self, state: ClusterState, restarted: bool = False) -> None:
        """Forget what was to be told; begin with everything that a new broker must know.

        An adding replica outside the ISR may have no log yet, so it is new to the broker. One
        that `restarted` is not told what it led before, see `Refill`.
        """
        self.in_flight = None
        self.stops.clear()
        self.announce = True
        led = {name: p for name, p in state.partitions() if p.leadership is not None}
        self.notices = dict.fromkeys(led)
        self.leads = {
            name: self.broker.id in partition.additions_to_make
            for name, partition in led.items()
            if self.broker.id in partition.assignment.replicas
            and not (restarted and partition.leader == self.broker.id)
        }

    def next_request(
        self, state: ClusterState, protocol: InterBrokerProtocol, number: int
    ) -> tuple[Message, int] | None:
        """Hand out the next request and its version; None if one is in flight or none is due."""
        if self.in_flight is not None:
            return None
        if self.announce:
            self.announce = False
            return self._notify(state, (), protocol, number)
        while self.leads:
            due = self._lead(state, protocol, number)
            if due:
                return due
        while self.notices:
            names = _take(self.notices, NOTICES_PER_REQUEST)
            led = [name for name in names if _is_led(state, name)]
            if led:
                return self._notify(state, led, protocol, number)
        self.stops = {
            name: delete
            for name, delete in self.stops.items()
            if not state.is_replica(name, self.broker.id)
        }
        for delete in (False, True):
            names = [name for name, flag in self.stops.items() if flag == delete]
            if names:
                return self._stop(state, names[:REPLICAS_PER_REQUEST], delete, protocol, number)
        return None

    def put_back(self) -> None:
        """Take the request in flight as never sent: its link broke (rule 4)."""
        sent, self.in_flight = self.in_flight, None
        if sent is None:
            return
        match sent.kind:
            case Kind.UPDATE_METADATA:
                self.announce = self.announce or not sent.flags
                self.notices = {**dict.fromkeys(sent.flags), **self.notices}
            case Kind.LEADER_AND_ISR:
                for name, is_new in sent.flags.items():
                    if name not in self.stops:
                        self.leads[name] = self.leads.get(name, False) or is_new
            case Kind.STOP_REPLICA:
                for name, delete in sent.flags.items():
                    # A stop that came since belongs to a later life of the replica.
                    if name not in self.leads and name not in self.stops:
                        self.stops[name] = delete

    def _lead(
        self, state: ClusterState, protocol: InterBrokerProtocol, number: int
    ) -> tuple[Message, int] | None:
        flags: dict[TopicPartition, bool] = {}
        new = 0
        for name, is_new in self.leads.items():
            if len(flags) == REPLICAS_PER_REQUEST or new == NEW_REPLICAS_PER_REQUEST:
                break
            flags[name] = is_new
            new += is_new
        for name in flags:
            del self.leads[name]
        flags = {name: flag for name, flag in flags.items() if _is_led(state, name)}
        if not flags:
            return None
        request = leader_and_isr(state, self.broker, flags, protocol, self.listener)
        epochs = {
            TopicPartition(topic.topic_name, partition.partition_index): partition.leader_epoch
            for topic in request.topic_states
            for partition in topic.partition_states
        }
        self.in_flight = InFlight(number, Kind.LEADER_AND_ISR, flags, epochs)
        return request, protocol.leader_and_isr

    def _notify(
        self,
        state: ClusterState,
        names: Sequence[TopicPartition],
        protocol: InterBrokerProtocol,
        number: int,
    ) -> tuple[Message, int]:
        self.in_flight = InFlight(number, Kind.UPDATE_METADATA, dict.fromkeys(names, False))
        return update_metadata(state, self.broker, names), protocol.update_metadata

    def _stop(
        self,
        state: ClusterState,
        names: list[TopicPartition],
        delete: bool,
        protocol: InterBrokerProtocol,
        number: int,
    ) -> tuple[Message, int]:
        for name in names:
            del self.stops[name]
        self.in_flight = InFlight(number, Kind.STOP_REPLICA, dict.fromkeys(names, delete))
        request = stop_replica(state, self.broker, names, delete=delete, protocol=protocol)
        return request, protocol.stop_replica


def _take(names: dict[TopicPartition, None], count: int) -> list[TopicPartition]:
    """Remove and return the first `count` names."""
    taken = list(islice(names, count))
    for name in taken:
        del names[name]
    return taken


def _is_led(state: ClusterState, name: TopicPartition) -> bool:
    partition = state.partition(name)
    return partition is not None and partition.leadership is not None
