"""What one broker must still be told: names of partitions, never a history of requests.

Requests are made from the state when they are sent, so a partition that changes twice before a
slow broker takes its next request costs one line, and that line is the newest. Per partition the
outbox holds at most one order to the replica (lead, or stop) and one notice for clients.

Rules of merging (each has a test):
1. `is_new`, once true, stays true until it is sent, or the replica is stopped or gone.
2. A later Lead takes back an unsent Stop of that replica, and a later Stop an unsent Lead.
3. Of two unsent Stops the one that deletes stays.
4. What is in flight is never changed. If it has to be told again, for its link broke or the
   broker refused it, it is put back below what came since, as far as it is still true.
5. Nobody is told to stop what the state says it hosts: the stop is of a former life, and
   StopReplica of versions 1 and 2 has no epoch that would let the broker see it. A replica that
   no step adds at present stops, and keeps its log.
   Replicas of a topic that is being deleted are told so, and are led no more. A broker that is
   shutting down stops what it follows, and keeps it. Nor is anybody told to delete while the
   present leader has not answered: then it stops, and deletes later.
6. Order of sending: live brokers alone if they changed, Lead, what is gone, Publish, Stop, Stop
   with delete. To another klamm node, which leads nothing, the live brokers alone come last: a
   request without partitions says to it that it has been told of all there are.
7. That a partition is gone is told even if a topic of the same name has come since, and before
   what is told of that one: brokers keep of a topic what they are not told to forget.
8. A new broker is told everything from two backlogs of whole topics, one of what it has replicas
   of and one for clients; by name what is being deleted, for it has to acknowledge that. What is
   said of a partition by name takes it out of them, unless they would tell the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from klamm.controller.brokers.backlog import Backlog
from klamm.controller.brokers.in_flight import InFlight as InFlight
from klamm.controller.brokers.in_flight import Kind as Kind
from klamm.controller.brokers.messages import leader_and_isr, stop_replica, update_metadata
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import Broker, ClusterState, Partition, Topic, TopicPartition
from klamm.protocol.message import Message

#: A broker makes a log for each new replica before it answers: 1,000 took seconds (measured).
NEW_REPLICAS_PER_REQUEST = 500
REPLICAS_PER_REQUEST = 2_000
NOTICES_PER_REQUEST = 5_000


@dataclass(slots=True)
class Outbox:
    """What the broker of this epoch must still be told; `listener` is the one between brokers."""

    broker: Broker
    announce: bool = False
    leads: dict[TopicPartition, bool] = field(default_factory=dict)
    withdrawals: dict[TopicPartition, None] = field(default_factory=dict)
    notices: dict[TopicPartition, None] = field(default_factory=dict)
    stops: dict[TopicPartition, bool] = field(default_factory=dict)
    unled: Backlog = field(default_factory=Backlog)
    unpublished: Backlog = field(default_factory=Backlog)
    in_flight: InFlight | None = None
    #: The replicas that were stopped, or gone, since the newest request was handed out.
    ended: set[TopicPartition] = field(default_factory=set)
    listener: str = "PLAINTEXT"
    #: What it has refused and not done since: a request (without a partition) or parts of one.
    refusals: dict[tuple[Kind, TopicPartition | None], int] = field(default_factory=dict)

    def lead(self, name: TopicPartition, is_new: bool) -> None:
        """Tell it the partition's leadership (rules 1, 2 and 8)."""
        if not is_new and self.unled.covers(name):
            return
        self.unled.leave_out(name)
        self.stops.pop(name, None)
        self.leads[name] = self.leads.get(name, False) or is_new

    def publish(self, name: TopicPartition) -> None:
        """Tell it what clients ask about the partition."""
        if not self.unpublished.covers(name):
            self.notices[name] = None

    def withdraw(self, name: TopicPartition) -> None:
        """Tell it that the partition is gone for clients, and nothing of it to be led (rule 7)."""
        self.unpublished.leave_out(name)
        self._end(name)
        self.notices.pop(name, None)
        self.withdrawals[name] = None

    def stop(self, name: TopicPartition, delete: bool) -> None:
        """Tell it to stop its replica (rules 2 and 3)."""
        self._end(name)
        self.stops[name] = self.stops.get(name, False) or delete

    def _end(self, name: TopicPartition) -> None:
        self.unled.leave_out(name)
        self.leads.pop(name, None)
        self.ended.add(name)

    def relead(self, state: ClusterState) -> None:
        """Tell it everything that it has replicas of once more, for it to say how they are."""
        self.unled = Backlog(state.topics)

    def refill(self, state: ClusterState, restarted: bool = False) -> None:
        """Forget what was to be told; begin with everything that a new broker must know (rule 8).

        One that `restarted` is not told what it led before, see `Refill`.
        """
        self.in_flight = None
        for told_by_name in (self.leads, self.notices, self.stops, self.withdrawals):
            told_by_name.clear()
        self.announce = True
        self.unled, self.unpublished = Backlog(state.topics), Backlog(state.topics)
        if restarted:
            for topic in state.topics.values():
                for number, partition in topic.partitions.items():
                    if partition.leader == self.broker.id:
                        self.unled.leave_out(TopicPartition(topic.name, number))
        for name, partition in state.moving():
            if partition.leadership is not None and self._lacks_log(partition):
                self.lead(name, is_new=True)  # by name, or rule 1 would not hold

    def next_request(
        self, state: ClusterState, protocol: InterBrokerProtocol, number: int
    ) -> tuple[Message, int] | None:
        """Hand out the next request and its version; None if one is in flight or none is due."""
        if self.in_flight is not None:
            return None
        self.ended.clear()
        if self.announce and self.broker.id in state.brokers:
            return self._notify(state, {}, protocol, number)
        while (self.leads or self.unled) and (flags := self._take_leads(state, protocol)):
            due = self._lead(state, flags, protocol, number)
            if due:
                return due
        if self.withdrawals:
            names = _take(self.withdrawals, NOTICES_PER_REQUEST)
            return self._notify(state, dict.fromkeys(names, True), protocol, number)
        while self.notices or self.unpublished:
            self._unfold_notices(state)
            names = _take(self.notices, NOTICES_PER_REQUEST)
            known = dict.fromkeys((name for name in names if _is_public(state, name)), False)
            if known:
                return self._notify(state, known, protocol, number)
        if self.announce:
            return self._notify(state, {}, protocol, number)
        if not self.stops:
            return None
        self.stops = {
            name: delete and self._may_delete(state, name)
            for name, delete in self.stops.items()
            if state.vanishing(name.topic)
            or not state.is_hosted(name, self.broker.id)
            or (not delete and self.broker.id in state.shutting_down)
        }
        for delete in (False, True):
            names = [name for name, flag in self.stops.items() if flag == delete]
            if names:
                return self._stop(state, names[:REPLICAS_PER_REQUEST], delete, protocol, number)
        return None

    def _may_delete(self, state: ClusterState, name: TopicPartition) -> bool:
        """Tell whether its log may go: nobody waits for the leader, and no step comes to it."""
        if state.must_wait(name, self.broker.id):
            return False
        return state.vanishing(name.topic) or not state.is_replica(name, self.broker.id)

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
                    if name not in self.stops and state.is_hosted(name, self.broker.id):
                        still_new = is_new and name not in self.ended
                        self.leads[name] = self.leads.get(name, False) or still_new
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

        def has_id(topic: Topic) -> bool:
            return not protocol.topic_ids or topic.topic_id is not None

        flags = self._pick_leads(state, has_id)
        full = len(flags) == REPLICAS_PER_REQUEST or sum(flags.values()) == NEW_REPLICAS_PER_REQUEST
        if self.unled and not full:
            self.leads = {**flags, **self.leads}
            self._unfold_leads(state, has_id)
            flags = self._pick_leads(state, has_id)
        return flags

    def _pick_leads(
        self, state: ClusterState, ready: Callable[[Topic], bool]
    ) -> dict[TopicPartition, bool]:
        flags: dict[TopicPartition, bool] = {}
        new = 0
        for name, is_new in self.leads.items():
            if len(flags) == REPLICAS_PER_REQUEST or new == NEW_REPLICAS_PER_REQUEST:
                break
            topic = state.topics.get(name.topic)
            if topic is None or ready(topic):
                flags[name] = is_new
                new += is_new
        for name in flags:
            del self.leads[name]
        return flags

    def _unfold_leads(self, state: ClusterState, ready: Callable[[Topic], bool]) -> None:
        """Take a request's worth out of the backlog, to hold it by name."""
        for name, partition in self.unled.take(
            state,
            REPLICAS_PER_REQUEST,
            lambda partition: self.broker.id in partition.hosted,
            ready,
        ):
            self.leads[name] = self.leads.get(name, False) or self._lacks_log(partition)

    def _lacks_log(self, partition: Partition) -> bool:
        """Tell whether the replica is new to it: one that is added and was never in sync."""
        return self.broker.id in partition.additions_to_make

    def _unfold_notices(self, state: ClusterState) -> None:
        """Take what is missing to a request out of the backlog, to hold it by name."""
        missing = NOTICES_PER_REQUEST - len(self.notices)
        for name, _ in self.unpublished.take(state, missing, lambda _: True, lambda _: True):
            self.notices[name] = None

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
        self.announce = self.announce and bool(gone)
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
    return _is_public(state, name) and not state.vanishing(name.topic)


def _is_public(state: ClusterState, name: TopicPartition) -> bool:
    """Tell whether brokers have something to learn: only of what was led ever."""
    partition = state.partition(name)
    return partition is not None and partition.leadership is not None
