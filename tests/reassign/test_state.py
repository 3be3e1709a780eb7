"""How far partitions are, as a cluster tells: what is asked, and what is made of it."""

import pytest
from reassign.tool import Sent
from thin_line.world import World

from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.message import Message
from klamm.tools.admin import Admin, TopicPartition
from klamm.tools.reassign.state import States, Target, Verdict, read_states


def read(world: World, targets: dict[TopicPartition, Target]) -> tuple[States, list[Sent]]:
    """Look once; return what was asked on the way, after the client has found the cluster."""
    sent: list[Sent] = []

    def record(node: int | None, key: int, version: int, body: Message) -> None:
        sent.append(Sent(node, key, version, body))

    with Admin.connect(world.local.bootstrap, record=record) as admin:
        admin.describe_cluster().result()
        sent.clear()
        return read_states(admin, targets), sent


@pytest.mark.req("R1335-19")
def test_each_verdict(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2], [1, 2])
    other = world.topic([1, 2])
    assert world.alter(topic, [4, 2]) == 0
    assert world.alter(other, [4, 2]) == 0
    names = [TopicPartition(topic, number) for number in range(4)]
    missing = TopicPartition("nowhere", 0)
    targets = {missing: (1,), names[2]: (2, 1), names[1]: (1, 2), names[0]: (4, 2), names[3]: (1,)}
    states, sent = read(world, targets)
    found = {name: (state.current, state.verdict) for name, state in states.partitions.items()}
    assert found == {
        names[0]: ((4, 2, 1), Verdict.MOVING),
        names[1]: ((1, 2), Verdict.COMPLETE),
        names[2]: ((1, 2), Verdict.INCONSISTENT),
        names[3]: ((), Verdict.INCONSISTENT),
        missing: ((), Verdict.INCONSISTENT),
    }
    assert [*states.partitions] == [*targets]
    assert set(states.moving) == {names[0], TopicPartition(other, 0)}
    first, *others = [one.body for one in sent if one.key != 18]
    assert isinstance(first, ListPartitionReassignmentsRequest)
    assert first.topics is None, "everything"
    asked = {
        found.name
        for body in others
        if isinstance(body, MetadataRequest)
        for found in body.topics or ()
    }
    assert asked == {topic, "nowhere"}


def test_topics_that_only_move_are_not_described(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    assert world.alter(topic, [4, 2]) == 0
    states, sent = read(world, {TopicPartition(topic, 0): (1, 2)})
    assert states.partitions[TopicPartition(topic, 0)].moving
    assert not any(isinstance(one.body, MetadataRequest) and one.body.topics for one in sent)
