"""What one broker must still be told: names of partitions, never a history of requests.

Requests are made from the state when they are sent, so a partition that changes twice before a
slow broker takes its next request costs one line, and that line is the newest. Per partition the
outbox holds at most one order to the replica (lead, or stop) and one notice for clients.

Rules of merging (each has a test):
1. `is_new`, once true, stays true until it is sent.
2. A later Lead takes back an unsent Stop of that replica, and a later Stop an unsent Lead.
3. Of two unsent Stops the one that deletes stays.
4. What is in flight is never changed. If it has to be told again, for its link broke or the
   broker refused it, it is put back below what came since, as far as it is still true.
5. Nobody is told to stop what the state says it is a replica of: the stop is of a former life,
   and StopReplica of versions 1 and 2 has no epoch that would let the broker see it.
   Replicas of a topic that is being deleted are told so, and are led no more. A broker that is
   shutting down stops what it follows, and keeps it.
6. Order of sending: live brokers alone if they changed, Lead, what is gone, Publish, Stop, Stop
   with delete.
7. That a partition is gone is told even if a topic of the same name has come since, and before
   what is told of that one: brokers keep of a topic what they are not told to forget.
"""

from collections.abc import Mapping
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

    `flags` are is_new of a Lead, delete of a Stop, gone of a notice; `epochs` are the leader
    epochs told by a Lead.
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
    withdrawals: dict[TopicPartition, None] = field(default_factory=dict)
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

    def withdraw(self, name: TopicPartition) -> None:
        """Tell it that the partition is gone for clients, and nothing of it to be led (rule 7)."""
        self.leads.pop(name, None)
        self.notices.pop(name, None)
        self.withdrawals[name] = None

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
        self.withdrawals.clear()
        self.announce = True
        led = {name: p for name, p in state.partitions() if p.leadership is not None}
        self.notices = dict.fromkeys(led)
        self.leads = {
            name: self.broker.id in partition.additions_to_make
            for name, partition in led.items()
            if self.broker.id in partition.assignment.replicas
            and not state.vanishing(name.topic)
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
            return self._notify(state, {}, protocol, number)
        while flags := self._take_leads(state, protocol):
            due = self._lead(state, flags, protocol, number)
            if due:
                return due
        if self.withdrawals:
            names = _take(self.withdrawals, NOTICES_PER_REQUEST)
            return self._notify(state, dict.fromkeys(names, True), protocol, number)
        while self.notices:
            names = _take(self.notices, NOTICES_PER_REQUEST)
            known = dict.fromkeys((name for name in names if _is_public(state, name)), False)
            if known:
                return self._notify(state, known, protocol, number)
        self.stops = {
            name: delete
            for name, delete in self.stops.items()
            if state.vanishing(name.topic)
            or not state.is_replica(name, self.broker.id)
            or (not delete and self.broker.id in state.shutting_down)
        }
        for delete in (False, True):
            names = [name for name, flag in self.stops.items() if flag == delete]
            if names:
                return self._stop(state, names[:REPLICAS_PER_REQUEST], delete, protocol, number)
        return None

    def put_back(self, sent: InFlight, state: ClusterState) -> None:
        """Take a request, or what is left of it, as never sent (rule 4).

        An unsent Stop that came since belongs to the same end of the replica, and the one that
        deletes stays (rule 3); unless that end is a later one, whose delete must still wait for
        the leader.
        """
        match sent.kind:
            case Kind.UPDATE_METADATA:
                self.announce = self.announce or not sent.flags
                withdrawn = [name for name, gone in sent.flags.items() if gone]
                public = [name for name, gone in sent.flags.items() if not gone]
                self.withdrawals = {**dict.fromkeys(withdrawn), **self.withdrawals}
                self.notices = {**dict.fromkeys(public), **self.notices}
            case Kind.LEADER_AND_ISR:
                for name, is_new in sent.flags.items():
                    if name not in self.stops and state.is_replica(name, self.broker.id):
                        self.leads[name] = self.leads.get(name, False) or is_new
            case Kind.STOP_REPLICA:
                for name, delete in sent.flags.items():
                    early = delete and state.must_wait(name, self.broker.id)
                    if name not in self.leads and not early:
                        self.stops[name] = self.stops.get(name, False) or delete

    def _take_leads(
        self, state: ClusterState, protocol: InterBrokerProtocol
    ) -> dict[TopicPartition, bool]:
        """Remove and return a request's worth of what is to be led, with its `is_new`.

        Where topics have ids, a topic without one waits for it: brokers keep it with the log.
        """
        flags: dict[TopicPartition, bool] = {}
        new = 0
        for name, is_new in self.leads.items():
            if len(flags) == REPLICAS_PER_REQUEST or new == NEW_REPLICAS_PER_REQUEST:
                break
            topic = state.topics.get(name.topic)
            if protocol.topic_ids and topic is not None and topic.topic_id is None:
                continue
            flags[name] = is_new
            new += is_new
        for name in flags:
            del self.leads[name]
        return flags

    def _lead(
        self,
        state: ClusterState,
        flags: dict[TopicPartition, bool],
        protocol: InterBrokerProtocol,
        number: int,
    ) -> tuple[Message, int] | None:
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
        gone: dict[TopicPartition, bool],
        protocol: InterBrokerProtocol,
        number: int,
    ) -> tuple[Message, int]:
        self.in_flight = InFlight(number, Kind.UPDATE_METADATA, gone)
        withdrawn = {name for name, flag in gone.items() if flag}
        request = update_metadata(state, self.broker, gone, withdrawn)
        return request, protocol.update_metadata

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
    if partition is None or state.vanishing(name.topic):
        return False
    return partition.leadership is not None


def _is_public(state: ClusterState, name: TopicPartition) -> bool:
    """Tell whether brokers have something to learn: only of what was led ever."""
    partition = state.partition(name)
    return partition is not None and partition.leadership is not None
