"""What else administrators ask: elections, log directories, topics by pages, klamm's own view."""

import json
from collections.abc import Iterator

import pytest
from clients.admin_cluster import (
    NODE,
    PREFERRED,
    SIZE,
    UNCLEAN,
    World,
    astray,
    log_dirs,
    running,
)
from confluent_kafka import ElectionType
from confluent_kafka import TopicPartition as ConfluentPartition
from confluent_kafka.admin import AdminClient
from kafka import TopicPartitionReplica
from kafka.errors import (
    ElectionNotNeededError,
    EligibleLeadersNotAvailableError,
    LogDirNotFoundError,
    NoError,
    PreferredLeaderNotAvailableError,
    ReplicaNotAvailableError,
    UnknownTopicOrPartitionError,
)
from thin_line.world import eventually

from klamm.controller.core.model import TopicPartition as Name
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.describe_configs_request import DescribeConfigsRequest
from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
from klamm.protocol.generated.describe_reassignments_response import DescribeReassignmentsResponse


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """As klamm is, and with its own request."""
    with running(klamm_describe_reassignments_enable="true") as found:
        yield found


@pytest.fixture(scope="module")
def newest() -> Iterator[World]:
    """A cluster that is taken for one of Kafka 4.1."""
    with running(klamm_advertised_release="4.1") as found:
        yield found


# --- elections -----------------------------------------------------------------------------------


def test_preferred_leaders_with_kafka_python(world: World) -> None:
    topic = astray(world)
    assert world.elect(PREFERRED, (topic, 0), (topic, 9)) == {
        (topic, 0): NoError,
        (topic, 9): UnknownTopicOrPartitionError,
    }
    assert world.led_by(topic) == 2, "the answer comes when the controller's Metadata shows it"
    assert world.elect(PREFERRED, (topic, 0)) == {(topic, 0): ElectionNotNeededError}


def test_all_that_need_an_election_with_confluent_kafka(world: World) -> None:
    topics = [astray(world), astray(world)]
    admin = AdminClient({"bootstrap.servers": world.local.bootstrap})
    found = admin.elect_leaders(ElectionType.PREFERRED, None).result()
    assert {name.topic for name in found} >= set(topics)
    eventually(lambda: [world.leader(topic) for topic in topics] == [2, 2], "the leaders")
    again = admin.elect_leaders(ElectionType.PREFERRED, [ConfluentPartition(topics[0], 0)]).result()
    [error] = again.values()
    assert error.code() == 84


def test_a_replica_that_is_out_of_sync_leads_if_it_is_told_to(world: World) -> None:
    topic = world.topic([3])
    world.order("freeze", broker=0)
    world.alter(topic, 0, 3)
    assert world.elect(UNCLEAN, (topic, 0)) == {(topic, 0): ElectionNotNeededError}
    assert world.elect(PREFERRED, (topic, 0)) == {(topic, 0): PreferredLeaderNotAvailableError}
    world.order("kill", broker=3, end_session=True)
    try:
        eventually(lambda: world.leader(topic) == -1, "nobody to lead")
        assert world.elect(PREFERRED, (topic, 0)) == {(topic, 0): PreferredLeaderNotAvailableError}
        assert world.elect(UNCLEAN, (topic, 0)) == {(topic, 0): NoError}
        assert world.led_by(topic) == 0
    finally:
        world.order("return", broker=3)
        world.order("thaw", broker=0)
    lost = world.topic([3])
    world.order("kill", broker=3, end_session=True)
    try:
        eventually(lambda: world.leader(lost) == -1, "nobody to lead")
        assert world.elect(UNCLEAN, (lost, 0)) == {(lost, 0): EligibleLeadersNotAvailableError}
    finally:
        world.order("return", broker=3)
    eventually(lambda: world.leader(lost) == 3, "the leader that is back")


def test_a_leader_that_was_out_of_sync_recovers_with_the_next_isr() -> None:
    """KIP-704, which brokers know from inter.broker.protocol.version 3.2 on."""
    with running(inter_broker_protocol_version="3.9") as world:
        topic = world.topic([3])

        def state() -> dict[str, object]:
            found = world.local.read(f"/brokers/topics/{topic}/partitions/0/state")
            return dict(json.loads(found or b""))

        world.order("freeze", broker=0)
        world.alter(topic, 0, 3)
        world.order("kill", broker=3, end_session=True)
        eventually(lambda: world.leader(topic) == -1, "nobody to lead")
        assert world.elect(UNCLEAN, (topic, 0)) == {(topic, 0): NoError}
        elected = state()
        assert (elected["leader"], elected["isr"]) == (0, [0])
        assert elected["leader_recovery_state"] == 1
        world.order("return", broker=3)
        eventually(lambda: state()["isr"] == [0, 3], "the other replica in sync")
        assert "leader_recovery_state" not in state()


# --- log directories -----------------------------------------------------------------------------


def test_log_directories_of_all_nodes(world: World) -> None:
    world.reconnect()
    topic = world.topic([1, 2])
    # By number: kafka-python remembers the nodes that it saw, and one may have been away then.
    nodes = [0, 1, 2, 3, NODE]
    found = {each["broker"]: each for each in world.admin.describe_log_dirs(None, nodes)}
    assert sorted(found) == nodes
    assert [each["log_dir"] for each in found[NODE]["log_dirs"]] == ["(none)"]
    assert {each["log_dir"] for each in found[1]["log_dirs"]} == {"/a", "/b"}
    assert all(each["total_bytes"] == 1 << 40 for each in found[1]["log_dirs"])
    assert [size for size, _ in log_dirs(world, 1, topic).values()] == [SIZE]
    assert log_dirs(world, 3, topic) == {}


def test_a_replica_moves_to_another_directory(world: World) -> None:
    world.reconnect()
    topic = world.topic([1, 2])
    [here] = log_dirs(world, 1, topic)
    there = "/b" if here == "/a" else "/a"
    mine = TopicPartitionReplica(topic, 0, 1)
    wanted = {
        mine: there,
        TopicPartitionReplica(topic, 0, 2): "/nowhere",
        TopicPartitionReplica(topic, 0, 3): "/a",
        TopicPartitionReplica(topic, 0, NODE): "/a",
    }
    assert list(world.admin.alter_replica_log_dirs(wanted).values()) == [
        NoError, LogDirNotFoundError, ReplicaNotAvailableError, LogDirNotFoundError,
    ]  # fmt: skip
    eventually(lambda: log_dirs(world, 1, topic) == {there: (SIZE, False)}, "the replica to move")
    assert world.admin.alter_replica_log_dirs({mine: there}) == {mine: NoError}


@pytest.mark.parametrize("path", ["/a", "/b"])
def test_a_replica_is_made_where_it_was_wanted_before_it_came(world: World, path: str) -> None:
    world.reconnect()
    topic = world.topic([1])
    wish = TopicPartitionReplica(topic, 0, 2)
    assert world.admin.alter_replica_log_dirs({wish: path}) == {wish: ReplicaNotAvailableError}
    world.alter(topic, 2)
    eventually(lambda: log_dirs(world, 2, topic), "the replica to come")
    assert log_dirs(world, 2, topic).keys() == {path}


# --- klamm's own ---------------------------------------------------------------------------------


def test_what_the_controller_knows_of_a_move(world: World) -> None:
    topic = world.topic([1, 2])
    world.order("freeze", broker=3)
    try:
        world.alter(topic, 3, 2)
        with world.wire() as wire:
            answer = wire.ask(DescribeReassignmentsRequest())
        assert isinstance(answer, DescribeReassignmentsResponse)
        [found] = [item for item in answer.topics if item.name == topic]
        [part] = found.partitions
        assert (part.original_replicas, part.step_replicas) == ((1, 2), None)
        assert (part.waiting_for, part.owed_deletes) == (None, ())
    finally:
        world.order("thaw", broker=3)


def test_it_is_shown_to_those_alone_who_are_told_to_show_it(world: World, newest: World) -> None:
    assert (17904 in versions(world), 17904 in versions(newest)) == (True, False)
    with newest.wire() as wire:
        wire.send(DescribeReassignmentsRequest())
        assert wire.is_closed()


# --- another release -----------------------------------------------------------------------------


def versions(world: World) -> dict[int, tuple[int, int]]:
    with world.wire() as wire:
        answer = wire.ask(ApiVersionsRequest("test", "1"), 3)
    assert isinstance(answer, ApiVersionsResponse)
    return {item.api_key: (item.min_version, item.max_version) for item in answer.api_keys}


def test_a_client_takes_the_cluster_for_one_of_that_release(newest: World) -> None:
    table = versions(newest)
    assert (table[3], table[45], table[60], table[75]) == ((0, 13), (0, 1), (0, 2), (0, 0))
    assert (table[32], table[35]) == ((1, 4), (1, 4))
    for broker in (*range(4), NODE):
        known = newest.admin.get_broker_version_data(broker).api_versions
        assert {key: known[key] for key in (3, 35, 45, 75)} == {
            key: table[key] for key in (3, 35, 45, 75)
        }


def test_topics_are_described_by_pages(newest: World) -> None:
    topic = newest.topic([1, 2], [2, 3], [3, 0])
    first = newest.admin.describe_topic_partitions([topic], response_partition_limit=2)
    assert first["next_cursor"] == {"topic_name": topic, "partition_index": 2}
    second = newest.admin.describe_topic_partitions([topic], cursor=first["next_cursor"])
    assert second["next_cursor"] is None
    parts = [part for page in (first, second) for part in page["topics"][0]["partitions"]]
    assert [part["replica_nodes"] for part in parts] == [[1, 2], [2, 3], [3, 0]]
    assert [part["leader_id"] for part in parts] == [1, 2, 3]


def test_a_move_must_keep_the_number_of_replicas_if_that_is_asked_for(newest: World) -> None:
    topic = newest.topic([1, 2])

    def ask(*target: int, allowed: bool) -> tuple[int, str | None]:
        partitions = (ReassignablePartition(0, target),)
        request = AlterPartitionReassignmentsRequest(
            30_000, allowed, (ReassignableTopic(topic, partitions),)
        )
        with newest.wire() as wire:
            answer = wire.ask(request, 1)
        assert isinstance(answer, AlterPartitionReassignmentsResponse)
        assert answer.allow_replication_factor_change is allowed
        [part] = answer.responses[0].partitions
        return part.error_code, part.error_message

    assert ask(1, 2, 3, allowed=False) == (38, "The replication factor is changed from 2 to 3")
    assert ask(2, 3, allowed=False) == (0, None)
    assert ask(1, 2, 3, allowed=True) == (0, None)
    newest.alter(topic, 1, 2)


def test_no_broker_is_fenced(newest: World) -> None:
    with newest.wire() as wire:
        answer = wire.ask(DescribeClusterRequest(include_fenced_brokers=True), 2)
    assert isinstance(answer, DescribeClusterResponse)
    assert {broker.broker_id for broker in answer.brokers} == {0, 1, 2, 3, NODE}
    assert not any(broker.is_fenced for broker in answer.brokers)


def test_versions_that_the_release_does_not_have_are_not_served(newest: World) -> None:
    with newest.wire() as wire:
        wire.send(DescribeConfigsRequest(), 0)
        assert wire.is_closed()


def test_names_on_disk_are_names_on_the_wire(world: World) -> None:
    """The two ways to look at a broker's disks agree: the model's and the protocol's."""
    topic = world.topic([1])
    name = Name(topic, 0)
    log = world.local.call(lambda: world.local.cluster.brokers.logs(1)[name])
    assert log_dirs(world, 1, topic) == {log.directory: (log.end, False)}
