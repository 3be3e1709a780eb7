"""The three requests to brokers, field by field and in every version that an IBP asks for."""

from dataclasses import replace
from uuid import UUID

import pytest
from core.clusters import CONTROLLER, EPOCH, T, broker, cluster, one, partition, topic

from klamm.controller.brokers.messages import (
    NO_EPOCH,
    NO_TOPIC_ID,
    leader_and_isr,
    stop_replica,
    update_metadata,
)
from klamm.controller.core.ibp import DEFAULT, KNOWN, InterBrokerProtocol, by_name
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    ClusterState,
    Endpoint,
    Partition,
    TopicPartition,
)
from klamm.controller.core.plan import Refill
from klamm.controller.node.data import NodeConfig
from klamm.controller.node.machine import Node
from klamm.protocol.codec import Message, decode, encode
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrRequest,
)
from klamm.protocol.generated.stop_replica_request import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicV1,
)
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataEndpoint,
    UpdateMetadataRequest,
)

MOVING = partition((4, 3, 2, 1), (4,), (1,), leader=1, isr=(1, 2, 3), leader_epoch=6, version=9)
U = TopicPartition("t", 1)
TOPIC_ID = UUID("5f39ec14-1418-4dff-a32d-e06d20deb525")


def state(online: tuple[int, ...] = (1, 2, 3, 4)) -> ClusterState:
    made = cluster(online, topic("t", {0: MOVING, 1: partition((2, 1))}))
    return replace(made, nodes={CONTROLLER: broker(CONTROLLER)})


#: One of each kind: these differ in at least one of the three versions.
PROTOCOLS = pytest.mark.parametrize(
    "protocol",
    {(p.leader_and_isr, p.update_metadata, p.stop_replica): p for p in KNOWN}.values(),
    ids=lambda protocol: protocol.name,
)


@PROTOCOLS
@pytest.mark.req("R455-42", "R455-43")
def test_leader_and_isr_in_every_version(protocol: InterBrokerProtocol) -> None:
    version = protocol.leader_and_isr
    sent = leader_and_isr(state(), broker(4), {T: True, U: False}, protocol)
    read = decode(LeaderAndIsrRequest, encode(sent, version), version)
    assert (read.controller_id, read.controller_epoch, read.broker_epoch) == (900, EPOCH, 104)
    (of_topic,) = read.topic_states
    first, second = of_topic.partition_states
    assert of_topic.topic_name == "t"
    assert (first.partition_index, second.partition_index) == (0, 1)
    # The epoch in which the leadership was written, not the present one.
    assert first.controller_epoch == EPOCH - 1
    assert (first.leader, first.leader_epoch, first.isr) == (1, 6, (1, 2, 3))
    assert (first.partition_epoch, first.replicas) == (9, (4, 3, 2, 1))
    assert (first.is_new, second.is_new) == (True, False)
    moves = ((4,), (1,)) if version >= 3 else ((), ())
    assert (first.adding_replicas, first.removing_replicas) == moves
    assert (second.adding_replicas, second.removing_replicas) == ((), ())
    assert [leader.broker_id for leader in read.live_leaders] == [1, 2]
    assert read.live_leaders[0] == LeaderAndIsrLiveLeader(1, "host1", 9092)


@pytest.mark.req("R455-42")
def test_the_versions_that_the_proposals_rows_name() -> None:
    assert [by_name(name).leader_and_isr for name in ("2.3-IV1", "2.4-IV0", "3.9-IV0")] == [2, 3, 7]


def test_a_leader_that_is_gone_or_none_is_no_live_leader() -> None:
    assert leader_and_isr(state(online=(3, 4)), broker(4), {T: False}, DEFAULT).live_leaders == ()
    dead = one((1, 2), partition((1, 2), leader=NO_LEADER))
    sent = leader_and_isr(dead, broker(2), {T: False}, DEFAULT)
    assert sent.live_leaders == ()
    assert sent.topic_states[0].partition_states[0].leader == -1


def test_followers_are_sent_to_the_listener_between_brokers() -> None:
    outside, inside = Endpoint("OUT", "SSL", "out", 1), Endpoint("IN", "PLAINTEXT", "in", 2)

    def leaders(*endpoints: Endpoint) -> tuple[LeaderAndIsrLiveLeader, ...]:
        made = replace(state(), brokers={1: replace(broker(1), endpoints=endpoints)})
        return leader_and_isr(made, broker(4), {T: True}, DEFAULT, "IN").live_leaders

    assert leaders(outside, inside) == (LeaderAndIsrLiveLeader(1, "in", 2),)
    # Better a guess than nothing, as the controller's own links have it.
    assert leaders(outside) == (LeaderAndIsrLiveLeader(1, "out", 1),)
    assert leaders() == ()


def test_the_configured_listener_reaches_the_request() -> None:
    inside = Endpoint("IN", "PLAINTEXT", "in", 2)
    leader = replace(broker(1), endpoints=(*broker(1).endpoints, inside))
    made = replace(state(), brokers={**state().brokers, 1: leader})
    node = Node(NodeConfig(CONTROLLER, (), listener="IN"))
    list(node.links.put(Refill(4), made))
    sent: list[Message] = []
    while outbox_due := node.links.outboxes[4].next_request(made, DEFAULT, len(sent)):
        sent.append(outbox_due[0])
        node.links.outboxes[4].in_flight = None
    [leads] = [each for each in sent if isinstance(each, LeaderAndIsrRequest)]
    assert leads.live_leaders == (LeaderAndIsrLiveLeader(1, "in", 2),)


def test_topic_ids_go_where_there_are_any() -> None:
    plain = state()
    known = replace(plain.topics["t"], topic_id=TOPIC_ID)
    with_id = replace(plain, topics={"t": known})
    for made, expected in ((plain, NO_TOPIC_ID), (with_id, TOPIC_ID)):
        for protocol in KNOWN:
            leads = leader_and_isr(made, broker(4), {T: True}, protocol)
            notices = update_metadata(made, broker(4), [T])
            assert leads.topic_states[0].topic_id == expected
            assert notices.topic_states[0].topic_id == expected
            assert encode(leads, protocol.leader_and_isr)
            assert encode(notices, protocol.update_metadata)


def test_the_recovery_state_is_told_from_version_6_on() -> None:
    assert MOVING.leadership is not None
    recovering = replace(MOVING, leadership=replace(MOVING.leadership, leader_recovery_state=1))
    for name, expected in (("2.4-IV0", 0), ("3.1-IV0", 0), ("3.2-IV0", 1), ("3.9-IV0", 1)):
        protocol = by_name(name)
        version = protocol.leader_and_isr
        sent = leader_and_isr(one((1, 2, 3, 4), recovering), broker(4), {T: True}, protocol)
        read = decode(LeaderAndIsrRequest, encode(sent, version), version)
        assert read.topic_states[0].partition_states[0].leader_recovery_state == expected


def test_a_partition_without_leadership_cannot_be_told() -> None:
    bare = one((1,), Partition(Assignment((1,))))
    for make in (
        lambda: leader_and_isr(bare, broker(1), {T: True}, DEFAULT),
        lambda: update_metadata(bare, broker(1), [T]),
    ):
        with pytest.raises(KeyError, match="has no leadership to send"):
            make()


@PROTOCOLS
@pytest.mark.req("R455-94")
def test_update_metadata_in_every_version(protocol: InterBrokerProtocol) -> None:
    version = protocol.update_metadata
    sent = update_metadata(state(online=(1, 2, 3)), broker(2), [T, U])
    read = decode(UpdateMetadataRequest, encode(sent, version), version)
    assert (read.controller_id, read.controller_epoch, read.broker_epoch) == (900, EPOCH, 102)
    (of_topic,) = read.topic_states
    first, second = of_topic.partition_states
    assert (first.partition_index, second.partition_index) == (0, 1)
    assert (first.leader, first.leader_epoch, first.isr) == (1, 6, (1, 2, 3))
    assert (first.zk_version, first.controller_epoch) == (9, EPOCH - 1)
    assert first.replicas == (4, 3, 2, 1)
    assert first.offline_replicas == (4,)
    assert second.offline_replicas == ()
    # Brokers first, then klamm nodes: all that clients may connect to.
    assert [live.id for live in read.live_brokers] == [1, 2, 3, CONTROLLER]
    assert read.live_brokers[0].endpoints == (
        UpdateMetadataEndpoint(9092, "host1", "PLAINTEXT", 0),
    )


def test_every_listener_and_rack_is_told() -> None:
    endpoints = tuple(
        Endpoint(name, name, "h", port)
        for port, name in enumerate(("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"), start=1)
    )
    made = replace(state(), brokers={1: replace(broker(1, rack="r1"), endpoints=endpoints)})
    live, _ = update_metadata(made, broker(1), []).live_brokers
    assert live.rack == "r1"
    assert [(e.port, e.listener, e.security_protocol) for e in live.endpoints] == [
        (1, "PLAINTEXT", 0),
        (2, "SSL", 1),
        (3, "SASL_PLAINTEXT", 2),
        (4, "SASL_SSL", 3),
    ]


@PROTOCOLS
@pytest.mark.parametrize("delete", [False, True])
def test_stop_replica_in_every_version(protocol: InterBrokerProtocol, delete: bool) -> None:
    version = protocol.stop_replica
    gone = TopicPartition("gone", 2)
    sent = stop_replica(state(), broker(1), [T, gone, U], delete=delete, protocol=protocol)
    read = decode(StopReplicaRequest, encode(sent, version), version)
    assert (read.controller_id, read.controller_epoch, read.broker_epoch) == (900, EPOCH, 101)
    if version < 3:
        assert read.delete_partitions == delete
        assert read.topics == (StopReplicaTopicV1("t", (0, 1)), StopReplicaTopicV1("gone", (2,)))
        return
    states = {of_topic.topic_name: of_topic.partition_states for of_topic in read.topic_states}
    assert states == {
        "t": (
            StopReplicaPartitionState(0, leader_epoch=6, delete_partition=delete),
            StopReplicaPartitionState(1, leader_epoch=3, delete_partition=delete),
        ),
        "gone": (StopReplicaPartitionState(2, leader_epoch=NO_EPOCH, delete_partition=delete),),
    }
