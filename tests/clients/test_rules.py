"""Nineteen rules that keep stock clients alive, one after the other, on bare connections.

Each is known from a client that fails without it; the comments name one.
"""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from clients.cluster import CONTROLLER
from clients.player import Player
from hypothesis import given, settings
from hypothesis import strategies as st
from thin_line.world import World

from klamm.controller.core.model import Assignment, ClusterState, Leadership, Partition, Topic
from klamm.controller.handlers.api import Context, Submit
from klamm.controller.handlers.table import HANDLERS, advertised
from klamm.protocol import registry
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
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from klamm.protocol.generated.produce_response import ProduceResponse
from klamm.protocol.message import Message

Targets = dict[tuple[str, int], list[int] | None]

HERE, BROKER = "controller", "broker"
METADATA, API_VERSIONS, ALTER, LIST, DESCRIBE_CLUSTER = 3, 18, 45, 46, 60


@pytest.fixture
def player(world: World) -> Iterator[Player]:
    """A client with a connection to the controller and one to broker 3."""
    cluster = world.local.cluster
    with Player() as found:
        found.connect(HERE, cluster.endpoint.port)
        found.connect(BROKER, cluster.brokers.brokers[3].port)
        yield found


def altering(targets: Targets) -> AlterPartitionReassignmentsRequest:
    topics: dict[str, list[ReassignablePartition]] = {}
    for (topic, number), target in targets.items():
        replicas = None if target is None else tuple(target)
        topics.setdefault(topic, []).append(ReassignablePartition(number, replicas))
    entries = (ReassignableTopic(name, tuple(found)) for name, found in topics.items())
    return AlterPartitionReassignmentsRequest(topics=tuple(entries))


def alter(player: Player, targets: Targets, at: str = HERE) -> AlterPartitionReassignmentsResponse:
    return player.ask(at, altering(targets), 0, AlterPartitionReassignmentsResponse)


def codes(response: AlterPartitionReassignmentsResponse) -> list[tuple[str, int, int]]:
    return [
        (topic.name, item.partition_index, item.error_code)
        for topic in response.responses
        for item in topic.partitions
    ]


def listing(topics: dict[str, list[int]] | None) -> ListPartitionReassignmentsRequest:
    if topics is None:
        return ListPartitionReassignmentsRequest(topics=None)
    asked = (ListPartitionReassignmentsTopics(name, tuple(of)) for name, of in topics.items())
    return ListPartitionReassignmentsRequest(topics=tuple(asked))


def listed(player: Player, topics: dict[str, list[int]] | None) -> dict[tuple[str, int], Any]:
    response = player.ask(HERE, listing(topics), 0, ListPartitionReassignmentsResponse)
    assert response.error_code == 0
    return {
        (topic.name, item.partition_index): item
        for topic in response.topics
        for item in topic.partitions
    }


def table(player: Player, at: str) -> dict[int, range]:
    response = player.ask(at, ApiVersionsRequest("test", "1"), 3, ApiVersionsResponse)
    assert response.error_code == 0
    return {
        item.api_key: range(item.min_version, item.max_version + 1) for item in response.api_keys
    }


def test_rule_01_every_partition_is_answered_once(world: World, player: Player) -> None:
    """Java: UnknownServerException, or a future that never completes."""
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2], [1, 2])
    response = alter(
        player,
        {
            (topic, 0): [4, 2],
            (topic, 1): [],
            (topic, 2): None,
            (topic, 9): [1, 2],
            ("nowhere", 0): [1, 2],
        },
    )
    expected = [(topic, 0, 0), (topic, 1, 39), (topic, 2, 85), (topic, 9, 3), ("nowhere", 0, 3)]
    assert codes(response) == expected


def test_rule_02_an_error_at_the_top_is_echoed_for_every_partition() -> None:
    """Java: an empty list turns into UnknownServerException.

    The one such error that klamm has is REQUEST_TIMED_OUT, if time-outs are to be honoured.
    """
    one = Partition(Assignment((1, 2)), Leadership(1, 0, (1, 2), 1, 0))
    state = ClusterState(CONTROLLER, 1, 1, topics={"t": Topic("t", 0, {0: one, 1: one})})
    context = Context(CONTROLLER, "PLAINTEXT", advertised(), state=state, honours_timeouts=True)
    outcome = HANDLERS[ALTER].handle(context, altering({("t", 1): [2, 1], ("u", 0): None}), 0)
    assert isinstance(outcome, Submit)
    assert outcome.timeout is not None
    response = outcome.timeout.response(context)
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert response.error_code == 7
    assert codes(response) == [("t", 1, 7), ("u", 0, 7)]
    texts = {item.error_message for topic in response.responses for item in topic.partitions}
    assert texts == {response.error_message}


@pytest.mark.parametrize("topics", [None, {"t": [0]}])
def test_rule_03_not_controller_is_said_at_the_top(
    world: World, player: Player, topics: dict[str, list[int]] | None
) -> None:
    """No client looks for 41 per partition."""
    response = alter(player, {(world.topic([1, 2]), 0): [2, 1]}, BROKER)
    assert (response.error_code, response.responses) == (41, ())
    found = player.ask(BROKER, listing(topics), 0, ListPartitionReassignmentsResponse)
    assert (found.error_code, found.topics) == (41, ())


@pytest.mark.parametrize("version", range(1, 13))
def test_rule_04_the_controller_is_one_of_the_brokers_listed(player: Player, version: int) -> None:
    """Java asks again every 100 ms for a minute; kafkajs fails at once."""
    for at in (HERE, BROKER):
        response = player.ask(at, MetadataRequest(topics=()), version, MetadataResponse)
        assert response.controller_id == CONTROLLER
        assert CONTROLLER in [item.node_id for item in response.brokers]


def test_rule_05_the_controller_is_listed_and_takes_no_replica(
    world: World, player: Player
) -> None:
    """Java lets every id of DescribeCluster pass as a target: the refusal is ours."""
    topic = world.topic([1, 2])
    for at in (HERE, BROKER):
        for version in (0, 1):
            request = DescribeClusterRequest()
            response = player.ask(at, request, version, DescribeClusterResponse)
            assert {item.broker_id for item in response.brokers} == {0, 1, 2, 3, 4, 5, CONTROLLER}
            assert response.controller_id == CONTROLLER
    assert codes(alter(player, {(topic, 0): [1, CONTROLLER]})) == [(topic, 0, 39)]


def test_rule_06_only_what_moves_is_listed(world: World, player: Player) -> None:
    """Java takes an entry without adding and removing for a move that goes on."""
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2], [1, 2], [1, 2])
    targets: Targets = {(topic, 0): [2, 1], (topic, 1): [1, 2], (topic, 2): [4, 2]}
    assert {code for _, _, code in codes(alter(player, targets))} == {0}
    assert set(listed(player, {topic: [0, 1, 2, 3]})) == {(topic, 2)}
    world.thaw(4)
    world.await_replicas(topic, [4, 2], 2)
    assert listed(player, {topic: [0, 1, 2, 3]}) == {}


@pytest.mark.req("R455-38")
def test_rule_07_the_target_comes_first_then_what_leaves(world: World, player: Player) -> None:
    """Java takes the sources of a throttle to be the replicas minus the adding ones."""
    world.freeze(3)
    topic = world.topic([0, 1, 2])
    alter(player, {(topic, 0): [0, 1, 3]})
    found = listed(player, {topic: [0]})[topic, 0]
    assert found.replicas == (0, 1, 3, 2)
    assert (found.adding_replicas, found.removing_replicas) == ((3,), (2,))
    world.await_replicas(topic, [0, 1, 3, 2])


def test_rule_07_a_cancel_keeps_that_order(world: World, player: Player) -> None:
    world.freeze(0)
    topic = world.topic([3, 2, 1])
    alter(player, {(topic, 0): [0, 2, 1]})
    assert codes(alter(player, {(topic, 0): None})) == [(topic, 0, 0)]
    world.await_replicas(topic, [2, 1, 3])


def test_rule_08_the_target_is_there_in_order_at_the_end(world: World, player: Player) -> None:
    """Java's verify and topicctl compare lists, not sets."""
    topic = world.topic([1, 2, 3])
    alter(player, {(topic, 0): [5, 3, 4]})
    found = world.await_replicas(topic, [5, 3, 4])
    assert sorted(found["isr_nodes"]) == [3, 4, 5]


def test_rule_09_null_lists_everything_and_empty_nothing(world: World, player: Player) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    alter(player, {(topic, 0): [4, 2]})
    assert (topic, 0) in listed(player, None)
    assert listed(player, {}) == {}
    assert listed(player, {topic: []}) == {}
    assert set(listed(player, {"nowhere": [0], topic: [7, 0]})) == {(topic, 0)}


def test_rule_09_byte_by_byte(player: Player) -> None:
    # 46 v0, correlation id 7, client id "t", no tags | timeout 30000, no topics, no tags.
    player.send_bytes(HERE, bytes.fromhex("00000012 002e 0000 00000007 0001 74 00 00007530 01 00"))
    # Correlation id 7, no tags | throttle time, code, empty text, no topics, no tags.
    assert player.receive_frame(HERE) == bytes.fromhex("00000007 00 00000000 0000 01 01 00")


def test_rule_10_null_cancels_and_empty_never_does(world: World, player: Player) -> None:
    """kafkajs and kafka-go can only send empty arrays."""
    world.freeze(4)
    topic = world.topic([1, 2])
    alter(player, {(topic, 0): [4, 2]})
    assert codes(alter(player, {(topic, 0): []})) == [(topic, 0, 39)]
    assert set(listed(player, {topic: [0]})) == {(topic, 0)}
    assert codes(alter(player, {(topic, 0): None})) == [(topic, 0, 0)]
    assert listed(player, {topic: [0]}) == {}


def test_rule_10_null_topics_end_the_connection_alone(player: Player) -> None:
    """@platformatic/kafka sends them if it is called wrongly."""
    # 45 v0, correlation id 8, client id "t"; timeout 30000, null topics, no tags.
    frame = "0000 0012 002d 0000 00000008 0001 74 00 | 00007530 00 00".replace("|", " ")
    player.send_bytes(HERE, bytes.fromhex(frame))
    assert player.is_closed(HERE)
    response = player.ask(BROKER, MetadataRequest(topics=()), 12, MetadataResponse)
    assert response.controller_id == CONTROLLER


@given(
    targets=st.dictionaries(
        st.tuples(st.sampled_from(["T", "nowhere", ""]), st.integers(-1, 3)),
        st.none() | st.lists(st.integers(-1, 7) | st.just(CONTROLLER), max_size=4),
        max_size=8,
    )
)
@settings(max_examples=60, derandomize=True)
def test_rule_11_codes_are_few_and_counts_are_right(
    client_cluster: World, shared_topic: str, targets: Targets
) -> None:
    """Cruise Control takes any other code for fatal."""
    named = {
        (shared_topic if name == "T" else name, number): target
        for (name, number), target in targets.items()
    }
    with Player() as player:
        player.connect(HERE, client_cluster.local.cluster.endpoint.port)
        response = alter(player, named)
    assert response.error_code == 0
    assert {(name, number) for name, number, _ in codes(response)} == named.keys()
    assert len(codes(response)) == len(named)
    assert {code for _, _, code in codes(response)} <= {0, 3, 39, 85}


@pytest.fixture(scope="module")
def shared_topic(client_cluster: World) -> str:
    return client_cluster.topic([1, 2], [2, 3], [3, 4])


def test_rule_12_an_alter_may_be_repeated(world: World, player: Player) -> None:
    """Java sends it again by itself after a lost connection, and after 41."""
    world.freeze(4)
    topic = world.topic([1, 2])
    for _ in range(2):
        assert codes(alter(player, {(topic, 0): [4, 2]})) == [(topic, 0, 0)]
    assert world.topic_znode(topic)[1] == 1, "written once"
    assert codes(alter(player, {(topic, 0): None})) == [(topic, 0, 0)]
    assert codes(alter(player, {(topic, 0): None})) == [(topic, 0, 85)]


@pytest.mark.req("R455-29")
def test_rule_13_the_answer_waits_for_no_broker(world: World, player: Player) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    before = time.monotonic()
    assert codes(alter(player, {(topic, 0): [4, 2]})) == [(topic, 0, 0)]
    assert time.monotonic() - before < 5
    assert set(listed(player, {topic: [0]})) == {(topic, 0)}


@pytest.mark.parametrize(
    ("at", "endpoint_type", "code", "nodes"),
    [
        (HERE, 1, 0, {0, 1, 2, 3, 4, 5, CONTROLLER}),
        (HERE, 2, 0, {CONTROLLER}),
        (HERE, 7, 115, set()),
        (BROKER, 1, 0, {0, 1, 2, 3, 4, 5, CONTROLLER}),
        (BROKER, 2, 114, set()),
    ],
)
def test_rule_14_the_endpoint_type_is_echoed(
    player: Player, at: str, endpoint_type: int, code: int, nodes: set[int]
) -> None:
    """Java: MismatchedEndpointType, which is fatal."""
    request = DescribeClusterRequest(endpoint_type=endpoint_type)
    response = player.ask(at, request, 1, DescribeClusterResponse)
    assert (response.error_code, response.endpoint_type) == (code, endpoint_type)
    assert {item.broker_id for item in response.brokers} == nodes


def test_rule_15_topic_partitions_are_described_by_metadata_alone(player: Player) -> None:
    """75 is KRaft's; Java falls back to Metadata where it is not shown."""
    for at in (HERE, BROKER):
        assert 75 not in table(player, at)


def test_rule_16_answers_come_in_the_order_of_the_requests(world: World, player: Player) -> None:
    """kafka-python sends up to five requests before it reads; franz-go more."""
    world.freeze(4)
    topic = world.topic([1, 2])
    start, end = altering({(topic, 0): [4, 2]}), altering({(topic, 0): None})
    metadata = MetadataRequest(topics=())
    sent = [
        player.send(HERE, listing({topic: [0]}), 0),
        player.send(HERE, start, 0),
        player.send(HERE, metadata, 12),
        player.send(HERE, end, 0),
        player.send(HERE, end, 0),
        player.send(HERE, listing({topic: [0]}), 0),
    ]
    assert sent == [0, 1, 2, 3, 4, 5]
    player.receive(HERE, 0, 0, ListPartitionReassignmentsResponse)
    started = player.receive(HERE, 1, 0, AlterPartitionReassignmentsResponse)
    player.receive(HERE, 2, 12, MetadataResponse)
    ended = player.receive(HERE, 3, 0, AlterPartitionReassignmentsResponse)
    again = player.receive(HERE, 4, 0, AlterPartitionReassignmentsResponse)
    player.receive(HERE, 5, 0, ListPartitionReassignmentsResponse)
    assert [codes(item)[0][2] for item in (started, ended, again)] == [0, 0, 85]


def test_rule_17_nobody_is_told_to_wait(world: World, player: Player) -> None:
    """Java and kafka-python pause the connection for any throttle time but 0."""
    topic = world.topic([1, 2])
    answers: list[Message] = [
        alter(player, {(topic, 0): [2, 1]}),
        player.ask(HERE, listing(None), 0, ListPartitionReassignmentsResponse),
        player.ask(HERE, MetadataRequest(topics=()), 12, MetadataResponse),
        player.ask(HERE, DescribeClusterRequest(), 1, DescribeClusterResponse),
        player.ask(HERE, ApiVersionsRequest("test", "1"), 4, ApiVersionsResponse),
    ]
    assert [getattr(answer, "throttle_time_ms", None) for answer in answers] == [0] * 5


def test_rule_18_all_nodes_show_the_ranges_of_kafka_3_9(player: Player) -> None:
    """kafkajs asks the bootstrap node once and uses its table for all nodes."""
    here, there = table(player, HERE), table(player, BROKER)
    shared = here.keys() & there.keys()
    assert shared >= {0, METADATA, API_VERSIONS, 19, ALTER, LIST, DESCRIBE_CLUSTER}
    stock = {key: registry.api(key).stock for key in here}
    assert here == stock
    assert {key: there[key] for key in shared} == {key: here[key] for key in shared}


def test_rule_18_an_unknown_version_of_api_versions_names_the_known_ones(player: Player) -> None:
    """Java, kafka-python, kafka-ts and franz-go ask again with the maximum that they are told."""
    number = 7
    # 18 v5 with the header of version 2 and no client id; the body is anybody's guess.
    frame = bytes.fromhex("0000 000d 0012 0005 00000007 ffff 00 01 01".replace(" ", ""))
    player.send_bytes(HERE, frame[:4] + frame[4:].ljust(13, b"\0"))
    response = player.receive(HERE, number, 0, ApiVersionsResponse)
    [entry] = response.api_keys
    assert response.error_code == 35
    assert (entry.api_key, entry.min_version, entry.max_version) == (API_VERSIONS, 0, 4)
    assert player.ask(HERE, ApiVersionsRequest("t", "1"), 4, ApiVersionsResponse).error_code == 0


def test_rule_19_produce_is_shown_and_led_elsewhere(world: World, player: Player) -> None:
    """franz-go takes a table without key 0 as "versions unknown" and sends its own maxima."""
    topic = world.topic([1, 2])
    assert table(player, HERE)[0] == range(12)
    data = (TopicProduceData(topic, (PartitionProduceData(0, b""),)),)
    request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=data)
    response = player.ask(HERE, request, 9, ProduceResponse)
    [[answer]] = [item.partition_responses for item in response.responses]
    assert answer.error_code == 6
    player.send(HERE, ProduceRequest(acks=0, timeout_ms=1000, topic_data=data), 9)
    assert player.is_closed(HERE)
