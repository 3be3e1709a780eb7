"""kafka-python's library, unmodified, against a whole cluster, undisturbed and disturbed."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import Thread

import pytest
from clients.cluster import BROKERS, CONTROLLER, config, lift_throttles
from clients.fault_proxy import CutAnswer, CutRequest, EditAnswer, FaultProxy, HoldAnswer
from clients.java_scripts import LISTS, RATES
from clients.not_controller import not_controller
from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import ConfigResource
from kafka.errors import (
    InvalidPartitionsError,
    KafkaConnectionError,
    NoReassignmentInProgressError,
    RequestTimedOutError,
    UnknownTopicOrPartitionError,
)
from thin_line.world import World, eventually

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)

METADATA, API_VERSIONS, ALTER, LIST = 3, 18, 45, 46


@contextmanager
def admin_at(proxy: FaultProxy, **options: object) -> Iterator[KafkaAdminClient]:
    """A client that knows the controller's address only, and only that of the proxy."""
    with closing(KafkaAdminClient(bootstrap_servers=proxy.bootstrap(CONTROLLER), **options)) as it:
        yield it


def test_a_session_of_alter_list_and_cancel(world: World, proxy: FaultProxy) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    name = TopicPartition(topic, 0)
    with admin_at(proxy) as admin:
        assert admin.alter_partition_reassignments({name: [4, 3, 2]}) == {name: None}
        moving = {"replicas": [4, 3, 2, 1], "adding_replicas": [4], "removing_replicas": [1]}
        assert admin.list_partition_reassignments() == {name: moving}
        assert admin.list_partition_reassignments([name]) == {name: moving}
        assert admin.list_partition_reassignments({topic: [0, 7], "nowhere": [0]}) == {name: moving}
        assert admin.list_partition_reassignments({}) == {}
        assert admin.alter_partition_reassignments({name: None}) == {name: None}
        second = admin.alter_partition_reassignments({name: None})
        assert second == {name: NoReassignmentInProgressError}
    assert set(proxy.calls(ALTER)) == {(ALTER, 0)}
    assert proxy.bodies(ListPartitionReassignmentsRequest)[0].topics is None
    assert proxy.calls()[0] == (API_VERSIONS, 4)
    assert {seen.node for seen in proxy.seen if seen.header.request_api_key in (45, 46)} == {900}


VERSIONS = [
    pytest.param({ALTER: range(1)}, (ALTER, 0), id="45 as 0-0"),
    pytest.param({ALTER: range(2)}, (ALTER, 1), id="45 as 0-1"),
    pytest.param({API_VERSIONS: range(1)}, (API_VERSIONS, 0), id="18 as 0-0"),
    pytest.param({API_VERSIONS: range(4)}, (API_VERSIONS, 3), id="18 as 0-3"),
    pytest.param({API_VERSIONS: range(5)}, (API_VERSIONS, 4), id="18 as 0-4"),
    pytest.param({METADATA: range(2)}, (METADATA, 1), id="3 as 0-1"),
    pytest.param({METADATA: range(14)}, (METADATA, 13), id="3 as 0-13"),
]


@pytest.mark.parametrize(("shown", "call"), VERSIONS)
def test_every_advertised_range_leads_to_a_move(
    world: World, proxy: FaultProxy, shown: dict[int, range], call: tuple[int, int]
) -> None:
    world.freeze(4)
    name = TopicPartition(world.topic([1, 2]), 0)
    proxy.versions = shown
    with admin_at(proxy) as admin:
        assert admin.alter_partition_reassignments({name: [4, 2]}) == {name: None}
        assert admin.list_partition_reassignments([name])[name]["adding_replicas"] == [4]
        assert admin.alter_partition_reassignments({name: None}) == {name: None}
    assert proxy.calls(call[0])[-1] == call


@pytest.mark.parametrize("key", [ALTER, LIST])
def test_one_answer_of_a_former_controller_is_survived(
    world: World, proxy: FaultProxy, key: int
) -> None:
    world.freeze(4)
    name = TopicPartition(world.topic([1, 2]), 0)
    proxy.next(key, EditAnswer(not_controller))
    with admin_at(proxy) as admin:
        assert admin.alter_partition_reassignments({name: [4, 2]}) == {name: None}
        assert list(admin.list_partition_reassignments([name])) == [name]
    assert len(proxy.calls(key)) == 2
    first, second = (at for at, seen in enumerate(proxy.seen) if seen.call[0] == key)
    assert METADATA in [seen.call[0] for seen in proxy.seen[first:second]]


def test_two_such_answers_are_an_error_that_changes_nothing(
    world: World, proxy: FaultProxy
) -> None:
    world.freeze(4)
    name = TopicPartition(world.topic([1, 2]), 0)
    proxy.next(LIST, EditAnswer(not_controller), EditAnswer(not_controller))
    with admin_at(proxy) as admin:
        with pytest.raises(RuntimeError, match="Failed to find active controller id"):
            admin.list_partition_reassignments([name])
        assert admin.list_partition_reassignments([name]) == {}
    assert len(proxy.calls(LIST)) == 3


@pytest.mark.parametrize("after", [0, 3, 4, 20])
def test_a_connection_cut_within_an_alter_starts_nothing(
    world: World, proxy: FaultProxy, after: int
) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    name = TopicPartition(topic, 0)
    proxy.next(ALTER, CutRequest(after))
    with admin_at(proxy) as admin, pytest.raises(KafkaConnectionError):
        admin.alter_partition_reassignments({name: [4, 2]})
    assert world.listed(topic) == {}
    assert world.topic_znode(topic)[1] == 0
    with admin_at(proxy) as admin:
        assert admin.alter_partition_reassignments({name: [4, 2]}) == {name: None}


def test_a_lost_answer_and_the_same_alter_again(world: World, proxy: FaultProxy) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    name = TopicPartition(topic, 0)
    proxy.next(ALTER, CutAnswer())
    with admin_at(proxy) as admin, pytest.raises(KafkaConnectionError):
        admin.alter_partition_reassignments({name: [4, 2]})
    znode = world.topic_znode(topic)
    assert znode[1] == 1
    with admin_at(proxy) as admin:
        assert admin.alter_partition_reassignments({name: [4, 2]}) == {name: None}
    assert world.topic_znode(topic) == znode


def test_a_slow_answer_is_waited_for(world: World, proxy: FaultProxy) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    name = TopicPartition(topic, 0)
    hold = HoldAnswer()
    proxy.next(ALTER, hold)
    answers: list[dict[TopicPartition, object]] = []
    with admin_at(proxy) as admin:
        target = {name: [4, 2]}
        asking = Thread(target=lambda: answers.append(admin.alter_partition_reassignments(target)))
        asking.start()
        # The move is there, and others see it, before the client has heard of it.
        eventually(lambda: world.listed(topic), "the move to be recorded")
        assert answers == []
        hold.released.set()
        asking.join()
    assert answers == [{name: None}]
    assert len(proxy.calls(ALTER)) == 1


def test_an_answer_that_never_comes_is_given_up(world: World, proxy: FaultProxy) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    proxy.next(ALTER, HoldAnswer())
    with admin_at(proxy, request_timeout_ms=4000) as admin, pytest.raises(RequestTimedOutError):
        admin.alter_partition_reassignments({TopicPartition(topic, 0): [4, 2]})
    assert list(world.listed(topic)) == [0]


def test_the_timeout_that_clients_send_is_theirs(world: World, proxy: FaultProxy) -> None:
    topic = world.topic([1, 2])
    with admin_at(proxy) as admin:
        admin.alter_partition_reassignments({TopicPartition(topic, 0): [1, 2]}, timeout_ms=1)
    [body] = proxy.bodies(AlterPartitionReassignmentsRequest)
    assert body == replace(body, timeout_ms=1)


def test_topics_are_created_grown_and_deleted(world: World, proxy: FaultProxy) -> None:
    with admin_at(proxy) as admin:
        admin.create_topics({"library": {"num_partitions": 2, "replication_factor": 3}})
        eventually(lambda: world.told(1, "library", 1), "a broker to know the topic")
        admin.create_partitions({"library": {"count": 3, "assignments": [[5, 4, 3]]}})
        world.await_told("library", [5, 4, 3], 2)
        with pytest.raises(InvalidPartitionsError):
            admin.create_partitions({"library": 2})
        assert "library" in admin.list_topics()
        admin.delete_topics(["library"])

        def is_unknown() -> bool:
            try:
                admin.delete_topics(["library"])
            except UnknownTopicOrPartitionError:
                return True
            return False

        eventually(is_unknown, "the topic to be unknown, as it is when its deletion starts")
        path = "/brokers/topics/library"
        eventually(lambda: not world.zookeeper.exists(path), "its deletion to be done")


def test_configs_of_a_topic(world: World, proxy: FaultProxy) -> None:
    topic = world.topic([1, 2])
    given = {"retention.ms": "5000", LISTS[0]: "0:1", LISTS[1]: "*"}
    with admin_at(proxy) as admin:
        answer = admin.alter_configs([ConfigResource("topic", topic, given)])
        assert answer == {"topic": {topic: "OK"}}
        assert config(world, f"topics/{topic}") == given
        found = admin.describe_configs([ConfigResource("topic", topic)])["topic"][topic]
        assert {name: item["value"] for name, item in found.items()} == given
        assert {item["config_source"] for item in found.values()} == {"DYNAMIC_TOPIC_CONFIG"}
        everything = admin.describe_configs([ConfigResource("topic", topic)], config_filter="all")
        assert len(everything["topic"][topic]) > 20
        reset = dict.fromkeys(given, ("delete", None))
        admin.alter_configs([ConfigResource("topic", topic, reset)])
        assert admin.describe_configs([ConfigResource("topic", topic)]) == {"topic": {topic: {}}}
        bad = ConfigResource("topic", topic, {"retention.ms": "soon"})
        [refusal] = admin.alter_configs([bad])["topic"].values()
        assert "InvalidConfigurationError" in str(refusal)
    assert config(world, f"topics/{topic}") == {}


def test_throttles_of_a_broker(world: World, proxy: FaultProxy) -> None:
    """Kafka calls the rates read-only: the library sends them only if it is told to."""
    rates = dict.fromkeys(RATES[:2], "5000000")
    with admin_at(proxy) as admin:
        with pytest.raises(ValueError, match="Unrecognized configs"):
            admin.alter_configs([ConfigResource("broker", "3", rates)])
        admin.alter_configs([ConfigResource("broker", "3", rates)], raise_on_unknown=False)
        assert config(world, "brokers/3") == rates
        found = admin.describe_configs([ConfigResource("broker", "3")])["broker"]["3"]
        assert {name: found[name]["value"] for name in rates} == rates
    assert {seen.node for seen in proxy.seen if seen.call == (44, 1)} == {3}
    lift_throttles(world)
    assert config(world, "brokers/3") == {}


def test_the_cluster_is_described(proxy: FaultProxy) -> None:
    with admin_at(proxy) as admin:
        described = admin.describe_cluster()
    assert described["controller_id"] == CONTROLLER
    assert {item["broker_id"] for item in described["brokers"]} == {*BROKERS, CONTROLLER}
