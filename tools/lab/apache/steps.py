"""One event of Kafka's controller, write by write, in Kafka's order.

Every write is a Commit of its own, so a crash or a failed write can fall between any two. The
phases are those of Kafka 3.9's KafkaController.scala: U (updateCurrentReassignment), A and B
(onPartitionReassignment); stopping replicas is ReplicaStateMachine.scala (doHandleStateChanges,
removeReplicasFromIsr). Steps that send nothing and write nothing are left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from klamm.controller.core.apply import apply
from klamm.controller.core.changes import Change, SetAdmin, SetPartition, TouchTopic
from klamm.controller.core.election import first_eligible
from klamm.controller.core.events import FollowUp
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    ClusterState,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.controller.core.ops import Op, SetData
from klamm.controller.core.plan import Commit, Entry, Lead, Message, Plan, Publish, Stop
from klamm.controller.core.results import Result
from klamm.controller.core.settings import Settings
from klamm.controller.core.writes import encode_leadership, topic_write
from klamm.controller.znodes import paths


class Steps:
    """The Commits so far, and the state as the last of them leaves it.

    `cause` is what is being decided on: a Commit that fails takes it back, to be decided again
    from the state as it is then. `settle` ends it.
    """

    def __init__(self, state: ClusterState, settings: Settings) -> None:
        self.state = state
        self.settings = settings
        self.cause = 0
        self._commits: list[Commit] = []

    @property
    def plan(self) -> Plan:
        """All Commits, in order."""
        return tuple(self._commits)

    def extend(self, plan: Iterable[Commit]) -> None:
        """Take over Commits that were decided over the present state."""
        for commit in plan:
            self._commits.append(commit)
            self.state = apply(self.state, commit.changes)

    def settle(
        self,
        result: Result | None = None,
        messages: Sequence[Message] = (),
        follow_ups: Sequence[FollowUp] = (),
    ) -> None:
        """End the event; who waits for it is answered now, when all of it is written."""
        results = () if result is None else ((self.cause, result),)
        commit = Commit(
            messages=tuple(messages),
            results=results,
            causes=(self.cause,),
            follow_ups=tuple(follow_ups),
        )
        self.extend((commit,))

    def step(
        self,
        *ops: Op,
        changes: Sequence[Change] = (),
        messages: Sequence[Message] = (),
        note: tuple[str, TopicPartition] | None = None,
    ) -> None:
        """Do one step; `note` is the journal's kind and whom it is about."""
        entries: tuple[Entry, ...] = ()
        if note is not None:
            kind, name = note
            entries = (Entry(kind, "", self.cause, name, name.topic),)
        parts = (self.cause,)
        self.extend((Commit(ops, tuple(changes), tuple(messages), entries=entries, parts=parts),))

    # --- partitions --------------------------------------------------------------------------

    def partition(self, name: TopicPartition) -> Partition:
        """Return the partition as it is after the steps so far; KeyError if it is unknown."""
        partition = self.state.partition(name)
        if partition is None:
            raise KeyError(f"no partition {name} to move")
        return partition

    def reassign(self, name: TopicPartition, wanted: Assignment, kind: str) -> None:
        """Do phase U, then A or B; `kind` is the journal's word for the new target.

        Nobody asks who would lead, or whether anybody with the data remains (F15, F16).
        """
        before = self.partition(name).assignment
        if wanted != before:
            self._write_topic(name, wanted, kind)  # U1, U2
            self._stop(name, [b for b in before.replicas if b not in wanted.replicas])  # U3
        self.go_on(name)

    def go_on(self, name: TopicPartition) -> None:
        """Begin copying (phase A), or finish if the whole target is in the ISR (phase B, H8).

        Does nothing without a state znode; Kafka throws there (N3).
        """
        partition = self.partition(name)
        if partition.leadership is None:
            return
        if is_complete(partition):
            self._finish(name, partition.assignment)
        else:
            replicas, adding = partition.assignment.replicas, partition.assignment.adding
            told = (Lead(name, replicas, adding), Publish(name))
            self._write_state(name, partition.leadership, messages=told, kind="resume")  # A1
            if adding:
                self.step(messages=(Lead(name, adding, adding), Publish(name)))  # A2

    def _finish(self, name: TopicPartition, before: Assignment) -> None:
        """Do phase B, with memory ahead of ZooKeeper from B2 to B6 (H5)."""
        wanted = self.settings.rules.finished(before)
        leadership = self.partition(name).leadership
        self.step(changes=(SetPartition(name, Partition(wanted, leadership)),))  # B2
        self._lead_within(name, wanted)  # B3
        self._stop(name, before.removing)  # B4, B5
        self._write_topic(name, wanted, "end")  # B6
        if self.state.admin.entries.get(name) == wanted.replicas:
            self.strike((name,))  # B7

    def _lead_within(self, name: TopicPartition, wanted: Assignment) -> None:
        """Elect within the target if need be, else raise the epoch; who finds nobody goes on."""
        leadership = self.partition(name).leadership
        if leadership is None:
            return
        leader, kind = leadership.leader, "resume"
        able = {b for b in self.state.alive if not self.state.is_offline(name, b)}
        if leader not in wanted.replicas or leader not in able:
            leader, kind = first_eligible(wanted.replicas, leadership.isr, able), "elect"
        if leader == NO_LEADER:
            return  # the error is dropped: PartitionStateMachine.scala, doHandleStateChanges
        told = (Lead(name, wanted.replicas), Publish(name))
        self._write_state(name, leadership, leader, messages=told, kind=kind)

    def _stop(self, name: TopicPartition, removed: Sequence[int]) -> None:
        """Take replicas out of the ISR one by one, then tell them to stop, then to delete.

        The last member of an ISR stays in it, though it deletes. A broker that is gone is told
        nothing, and nobody remembers it (H7).
        """
        if not removed:
            return
        for broker in removed:
            held = self.partition(name).leadership
            if held is not None and broker in held.isr:
                leader = NO_LEADER if held.leader == broker else held.leader
                isr = tuple(b for b in held.isr if b != broker) or held.isr
                self._write_state(name, held, leader, isr, kind="isr-shrink")
        left = self.partition(name).assignment.replicas
        online = [broker for broker in removed if broker in self.state.brokers]
        stops = (Stop(name, broker, delete=False) for broker in online)
        self.step(messages=(Lead(name, left), Publish(name), *stops))
        self.step(messages=tuple(Stop(name, broker, delete=True) for broker in online))

    # --- writes ------------------------------------------------------------------------------

    def strike(self, names: Iterable[TopicPartition]) -> None:
        """Take the entries of these partitions out of the admin znode, all others stay."""
        admin = self.state.admin
        gone = admin.entries.keys() & set(names)
        if gone:
            kept, accepted = admin.without(gone)
            self.step(admin.removal(kept), changes=(SetAdmin(admin.after(kept, accepted)),))

    def _write_topic(self, name: TopicPartition, wanted: Assignment, kind: str) -> None:
        """Write the whole topic."""
        topic = self.state.topics[name.topic]
        after = replace(self.partition(name), assignment=wanted)
        written = replace(topic, partitions={**topic.partitions, name.partition: after})
        self.step(
            topic_write(written, self.settings),
            changes=(
                SetPartition(name, after),
                TouchTopic(name.topic, topic.version + 1, topic.bare),
            ),
            note=(kind, name),
        )

    def _write_state(
        self,
        name: TopicPartition,
        before: Leadership,
        leader: int | None = None,
        isr: tuple[int, ...] | None = None,
        *,
        messages: Sequence[Message] = (),
        kind: str,
    ) -> None:
        """Write leader and ISR, by default the present ones, in the next leader epoch."""
        after = replace(
            before,
            leader=before.leader if leader is None else leader,
            leader_epoch=before.leader_epoch + 1,
            isr=before.isr if isr is None else isr,
            controller_epoch=self.state.epoch,
            version=before.version + 1,
        )
        self.step(
            SetData(paths.state(*name), encode_leadership(after), before.version),
            changes=(SetPartition(name, Partition(self.partition(name).assignment, after)),),
            messages=messages,
            note=(kind, name),
        )


def is_complete(partition: Partition) -> bool:
    """Tell whether a move may end: the ISR alone says so (KafkaController.scala, H8)."""
    assignment, leadership = partition.assignment, partition.leadership
    in_sync = leadership.isr if leadership else ()
    return not assignment.moving or set(assignment.target).issubset(in_sync)
