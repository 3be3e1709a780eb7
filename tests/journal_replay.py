"""Replaying a journal: what its lines say that ZooKeeper holds, and that they are whole."""

from klamm.controller.core.model import NO_LEADER, ClusterState, Partition
from klamm.controller.node.effects import Journal
from klamm.controller.node.forms import VERSION, Line, PartitionForm
from klamm.controller.node.kinds import KINDS
from klamm.controller.node.lines import decode, encode, line
from klamm.tools.pipeline.history import replay
from klamm.tools.pipeline.history.replay import ReplayedTopic, told_by_line

WALL_MS, MONOTONIC = 1_700_000_000_000, 0.5


class Replay:
    """Takes the entries of one node, in order, through the form in which they are written."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._replay = replay.Replay()

    @property
    def topics(self) -> dict[str, ReplayedTopic]:
        return self._replay.topics

    def entry(self, entry: Journal, node: int = 900) -> None:
        self.take(decode(encode(line(entry, node, WALL_MS, MONOTONIC))))

    def take(self, each: Line) -> None:
        if self.lines:
            before = self.lines[-1]
            assert each.seq == before.seq + (before.lost or 1), "a gap in the sequence"
        assert each.v == VERSION
        assert each.kind in KINDS
        if each.cause is not None and each.cause.sequence is not None:
            assert 0 < each.cause.sequence < each.seq, "a cause comes before what it causes"
        self.lines.append(each)
        if each.kind == "snapshot":
            self._replay.forget()
        told = told_by_line(each)
        if told is not None:
            self._replay.take(told)

    def kinds(self) -> list[str]:
        return [each.kind for each in self.lines]

    def assert_is(self, state: ClusterState) -> None:
        """The journal tells of every topic what the state has."""
        assert self.topics.keys() == state.topics.keys()
        for name, topic in state.topics.items():
            replayed = self.topics[name]
            assert replayed.version == topic.version, name
            assert replayed.partitions.keys() == topic.partitions.keys(), name
            for number, partition in topic.partitions.items():
                assert_same(replayed.partitions[number], partition)


def assert_same(told: PartitionForm, partition: Partition) -> None:
    assignment, held, pace = partition.assignment, partition.leadership, partition.pace
    assert (told.pace is None) == (pace is None)
    if told.pace is not None and pace is not None:
        for field in ("hosted", "origin", "steps", "waiting", "leads", "ended_ms"):
            assert getattr(told.pace, field) == getattr(pace, field), field
        assert (told.pace.running is None) == (pace.running is None)
        if told.pace.running is not None and pace.running is not None:
            for field in ("kind", "adding", "before", "since_ms", "limit"):
                assert getattr(told.pace.running, field) == getattr(pace.running, field), field
        started = None if pace.started is None else tuple(sorted(pace.started))
        assert told.pace.started == started
    assert (told.replicas, told.adding, told.removing) == (
        assignment.replicas,
        assignment.adding,
        assignment.removing,
    )
    if held is None:
        assert (told.leader, told.leader_epoch) == (NO_LEADER, -1)
    else:
        assert (told.leader, told.leader_epoch, told.isr, told.controller_epoch, told.version) == (
            held.leader,
            held.leader_epoch,
            held.isr,
            held.controller_epoch,
            held.version,
        )
