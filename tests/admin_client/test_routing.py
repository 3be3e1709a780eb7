"""Whom a client asks, and again, against nodes that do what they please."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from admin_client.scripted import SERVED, Answer, Instead, ScriptedCluster

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from klamm.protocol.generated.create_topics_request import CreateTopicsRequest
from klamm.protocol.generated.create_topics_response import (
    CreatableTopicResult,
    CreateTopicsResponse,
)
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import (
    DescribeClusterBroker,
    DescribeClusterResponse,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponseBroker
from klamm.protocol.message import Message
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    NewTopic,
    OptionError,
    OpType,
    ResourceType,
    TopicPartition,
    errors,
)

QUICK = {"retry.backoff.ms": "1", "retry.backoff.max.ms": "20"}
#: What a call may take on a busy machine, in seconds.
PATIENCE = 30.0
FOO = TopicPartition("foo", 0)


@pytest.fixture
def cluster() -> Iterator[ScriptedCluster]:
    with ScriptedCluster() as started:
        started.on(ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse())
        yield started


def connect(cluster: ScriptedCluster, **properties: str) -> Admin:
    found = {name.replace("_", "."): value for name, value in properties.items()}
    return Admin.connect(cluster.bootstrap, {**QUICK, **found})


def test_41_leads_to_the_next_controller(cluster: ScriptedCluster) -> None:
    def answer(node: int, request: Message) -> Answer:
        code = 0 if node == 2 else 41
        cluster.controller = 2
        return ListPartitionReassignmentsResponse(error_code=code)

    cluster.on(ListPartitionReassignmentsRequest, answer)
    with connect(cluster) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
    assert cluster.asked(ListPartitionReassignmentsRequest) == [1, 2]
    assert cluster.looks == 2


def test_a_controller_that_stays_a_former_one_is_asked_until_the_time_is_over(
    cluster: ScriptedCluster,
) -> None:
    cluster.on(ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse(error_code=41))
    with connect(cluster) as admin:
        future = admin.list_partition_reassignments(timeout_ms=300)
        with pytest.raises(errors.TimeoutError_, match="listPartitionReassignments") as caught:
            future.result(PATIENCE)
    assert isinstance(caught.value.__cause__, errors.NotControllerError)
    assert isinstance(caught.value, TimeoutError)
    assert len(cluster.asked(ListPartitionReassignmentsRequest)) > 1


@pytest.mark.parametrize("first", list(Instead))
def test_a_lost_or_late_answer_leads_to_another_try(
    cluster: ScriptedCluster, first: Instead
) -> None:
    def answer(node: int, request: Message) -> Answer:
        tries = len(cluster.asked(ListPartitionReassignmentsRequest))
        return first if tries == 1 else ListPartitionReassignmentsResponse()

    cluster.on(ListPartitionReassignmentsRequest, answer)
    with connect(cluster, request_timeout_ms="500") as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
    assert cluster.asked(ListPartitionReassignmentsRequest) == [1, 1]


def test_a_node_that_never_answers_costs_the_time_of_the_call(cluster: ScriptedCluster) -> None:
    cluster.on(ListPartitionReassignmentsRequest, Instead.KEEP_SILENT)
    with (
        connect(cluster, default_api_timeout_ms="200") as admin,
        pytest.raises(errors.TimeoutError_, match="after 1 try"),
    ):
        admin.list_partition_reassignments().result(PATIENCE)


def test_the_first_bootstrap_server_may_be_dead(cluster: ScriptedCluster) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        dead = server.getsockname()[1]
    with Admin.connect(f"127.0.0.1:{dead},{cluster.bootstrap}", QUICK) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}


def test_without_a_node_the_text_begins_as_that_of_java_and_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        dead = server.getsockname()[1]
    with (
        Admin.connect(f"127.0.0.1:{dead}", QUICK) as admin,
        pytest.raises(errors.TimeoutError_) as caught,
    ):
        admin.describe_cluster(timeout_ms=200).result(PATIENCE)
    text = str(caught.value)
    assert text.startswith("Timed out waiting for a node assignment. Call: describeCluster: ")
    assert f"127.0.0.1:{dead} cannot be reached" in text
    assert str(caught.value.__cause__) in text


def test_a_name_that_cannot_be_is_one_that_cannot_be_reached() -> None:
    with Admin.connect("a..b:9092", QUICK) as admin, pytest.raises(errors.TimeoutError_) as caught:
        admin.describe_cluster(timeout_ms=200).result(PATIENCE)
    assert "a..b:9092 cannot be reached" in str(caught.value.__cause__)


def test_a_controller_that_is_not_there_yet_is_waited_for(cluster: ScriptedCluster) -> None:
    def metadata(node: int, request: Message) -> Answer:
        return cluster.metadata(controller_id=-1 if cluster.looks < 3 else 1)

    cluster.on(MetadataRequest, metadata)
    with connect(cluster) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
    assert cluster.looks == 3


def test_a_controller_outside_the_list_of_brokers_is_none(cluster: ScriptedCluster) -> None:
    cluster.on(MetadataRequest, lambda node, request: cluster.metadata(controller_id=9))
    with connect(cluster) as admin, pytest.raises(errors.TimeoutError_, match="node assignment"):
        admin.list_partition_reassignments(timeout_ms=200).result(PATIENCE)


def test_an_api_that_nobody_serves_fails_at_once(cluster: ScriptedCluster) -> None:
    with (
        connect(cluster) as admin,
        pytest.raises(errors.UnsupportedVersionError, match="key 17904"),
    ):
        admin.describe_reassignments().result(PATIENCE)


@pytest.mark.parametrize("dead", [1, 2])
def test_any_node_means_another_one_after_a_failure(cluster: ScriptedCluster, dead: int) -> None:
    def answer(node: int, request: Message) -> Answer:
        return Instead.HANG_UP if node == dead else DescribeClusterResponse(cluster_id="c")

    cluster.on(DescribeClusterRequest, answer)
    with connect(cluster) as admin:
        for _ in range(3):
            assert admin.describe_cluster().result(PATIENCE).cluster_id == "c"
    assert cluster.asked(DescribeClusterRequest).count(dead) <= 1


def test_a_node_that_moves_is_found_again_and_its_answers_are_not_waited_for(
    cluster: ScriptedCluster,
) -> None:
    """One call waits for node 1 when another learns that 1 has another address."""
    moved = threading.Event()

    def metadata(node: int, request: Message) -> Answer:
        found = cluster.metadata()
        if moved.is_set():
            here = [cluster.ports[2], cluster.ports[1]]
            ids = zip(cluster.ids, here, strict=True)
            brokers = tuple(MetadataResponseBroker(id_, "127.0.0.1", port) for id_, port in ids)
            return cluster.metadata(brokers=brokers)
        return found

    def listed(node: int, request: Message) -> Answer:
        if node == 1:
            moved.set()
            return Instead.KEEP_SILENT
        return ListPartitionReassignmentsResponse()

    cluster.on(MetadataRequest, metadata)
    cluster.on(ListPartitionReassignmentsRequest, listed)
    cluster.on(DescribeClusterRequest, Instead.HANG_UP)
    with connect(cluster) as admin:
        waiting = admin.list_partition_reassignments()
        assert moved.wait(PATIENCE)
        # Whoever is asked hangs up, and so there is a new look.
        with pytest.raises(errors.TimeoutError_):
            admin.describe_cluster(timeout_ms=500).result(PATIENCE)
        assert waiting.result(PATIENCE) == {}
    assert cluster.asked(ListPartitionReassignmentsRequest) == [1, 2]


def test_nobody_waits_for_a_node_that_stands_still(cluster: ScriptedCluster) -> None:
    """Node 1 keeps a call waiting for 30 s; node 2, which hangs up once, does what others want."""
    begun = threading.Event()

    def stand_still(node: int, request: Message) -> Answer:
        begun.set()
        return Instead.KEEP_SILENT

    def answer(node: int, request: Message) -> Answer:
        tries = len(cluster.asked(DescribeClusterRequest))
        return Instead.HANG_UP if tries == 1 else DescribeClusterResponse(cluster_id="c")

    cluster.on(ListPartitionReassignmentsRequest, stand_still)
    cluster.on(DescribeClusterRequest, answer)
    with connect(cluster) as admin:
        waiting = admin.list_partition_reassignments()
        assert begun.wait(PATIENCE)
        assert admin.describe_cluster().result(25.0).cluster_id == "c"
        assert not waiting.done()
    assert cluster.asked(DescribeClusterRequest) == [2, 2]


def test_a_node_that_answers_again_is_as_good_as_before(cluster: ScriptedCluster) -> None:
    def answer(node: int, request: Message) -> Answer:
        tries = len(cluster.asked(DescribeClusterRequest))
        return Instead.HANG_UP if tries == 1 else DescribeClusterResponse(cluster_id="c")

    cluster.on(DescribeClusterRequest, answer)
    with connect(cluster) as admin:
        admin.describe_cluster().result(PATIENCE)
        admin.list_partition_reassignments().result(PATIENCE)
        admin.describe_cluster().result(PATIENCE)
    assert cluster.asked(DescribeClusterRequest) == [1, 2, 1]


def test_a_node_may_hold_a_request_for_less_than_the_answer_is_waited_for(
    cluster: ScriptedCluster,
) -> None:
    cluster.on(CreateTopicsRequest, CreateTopicsResponse(0, (CreatableTopicResult("foo"),)))
    with connect(cluster, request_timeout_ms="20000") as admin:
        admin.create_topics([NewTopic("foo")]).result(PATIENCE)
    [(_, request)] = cluster.seen
    assert isinstance(request, CreateTopicsRequest)
    assert request.timeout_ms == 18_000


def test_a_peer_that_hangs_up_while_tls_begins_is_tried_again(cluster: ScriptedCluster) -> None:
    """Nodes of this cluster know no TLS: they take its first bytes for a frame of 369 MB."""
    with (
        connect(cluster, security_protocol="SSL", default_api_timeout_ms="300") as admin,
        pytest.raises(errors.TimeoutError_, match="node assignment"),
    ):
        admin.describe_cluster().result(PATIENCE)


def test_controllers_answer_for_brokers_and_say_6_for_41(cluster: ScriptedCluster) -> None:
    leader = 1

    def described(node: int, request: Message) -> Answer:
        brokers = tuple(
            DescribeClusterBroker(id_, "127.0.0.1", cluster.ports[id_]) for id_ in cluster.ids
        )
        return DescribeClusterResponse(
            endpoint_type=2, cluster_id="c", controller_id=leader, brokers=brokers
        )

    def altered(node: int, request: Message) -> Answer:
        nonlocal leader
        leader = 2
        result = AlterConfigsResourceResponse(6 if node == 1 else 0, None, 4, "77")
        return IncrementalAlterConfigsResponse(responses=(result,))

    cluster.on(DescribeClusterRequest, described)
    cluster.on(IncrementalAlterConfigsRequest, altered)
    broker = ConfigResource(ResourceType.BROKER, "77")
    change = AlterConfigOp("leader.replication.throttled.rate", OpType.DELETE)
    with Admin.connect(cluster.bootstrap, QUICK, bootstrap_controller=True) as admin:
        admin.incremental_alter_configs({broker: [change]}).result(PATIENCE)
    assert cluster.asked(IncrementalAlterConfigsRequest) == [1, 2]


def test_without_describe_cluster_there_is_metadata(cluster: ScriptedCluster) -> None:
    for node in cluster.ids:
        cluster.served[node] = {key: SERVED[key] for key in SERVED if key != 60}
    with connect(cluster) as admin:
        found = admin.describe_cluster().result(PATIENCE)
    assert found.cluster_id == "scripted"
    assert found.controller_id == 1
    assert list(found.brokers) == [1, 2]


def test_old_nodes_are_asked_in_old_versions(cluster: ScriptedCluster) -> None:
    """ApiVersions answers with error 35 and its own versions; all else is Kafka 2.4."""
    for node in cluster.ids:
        cluster.served[node] = {3: range(10), 18: range(3), 46: range(1)}
    versions = []
    with Admin.connect(
        cluster.bootstrap, QUICK, record=lambda node, key, version, body: versions.append(version)
    ) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
    assert versions == [9, 0]
    # Of the bootstrap server and of the node.
    assert cluster.api_versions == [4, 2, 4, 2]


def test_versions_that_do_not_meet_are_named(cluster: ScriptedCluster) -> None:
    for node in cluster.ids:
        cluster.served[node] = {**SERVED, 19: range(4)}
    with (
        connect(cluster) as admin,
        pytest.raises(errors.UnsupportedVersionError, match="0 to 3 there, 4 to 7 here"),
    ):
        admin.create_topics([NewTopic("foo")]).result(PATIENCE)


def test_bootstrap_controllers_are_found_by_describe_cluster(cluster: ScriptedCluster) -> None:
    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, DescribeClusterRequest)
        assert request.endpoint_type == 2
        brokers = tuple(
            DescribeClusterBroker(id_, "127.0.0.1", cluster.ports[id_]) for id_ in cluster.ids
        )
        return DescribeClusterResponse(
            endpoint_type=2, cluster_id="c", controller_id=2, brokers=brokers
        )

    cluster.on(DescribeClusterRequest, answer)
    with Admin.connect(cluster.bootstrap, QUICK, bootstrap_controller=True) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
        assert admin.describe_cluster().result(PATIENCE).controller_id == 2
    assert cluster.looks == 0
    assert cluster.asked(ListPartitionReassignmentsRequest) == [2]
    assert cluster.asked(DescribeClusterRequest) == [1, 2]


def test_a_cluster_that_wants_to_be_met_anew_is(cluster: ScriptedCluster) -> None:
    for node in cluster.ids:
        cluster.served[node] = {**SERVED, 3: range(14)}

    def metadata(node: int, request: Message) -> Answer:
        return cluster.metadata(error_code=129 if cluster.looks == 1 else 0)

    cluster.on(MetadataRequest, metadata)
    with connect(cluster) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
    assert cluster.looks == 2


def test_calls_side_by_side_share_a_connection_one_after_the_other(
    cluster: ScriptedCluster,
) -> None:
    with connect(cluster) as admin:
        futures = [admin.list_partition_reassignments() for _ in range(50)]
        assert [future.result(PATIENCE) for future in futures] == [{}] * 50
    assert cluster.asked(ListPartitionReassignmentsRequest) == [1] * 50
    assert cluster.looks == 1


def test_a_callback_may_start_the_next_call(cluster: ScriptedCluster) -> None:
    done = threading.Event()
    with connect(cluster) as admin:

        def again(_: object) -> None:
            admin.list_partition_reassignments().add_done_callback(lambda _: done.set())

        admin.list_partition_reassignments().add_done_callback(again)
        assert done.wait(PATIENCE)


def test_closing_fails_what_waits_and_what_comes(cluster: ScriptedCluster) -> None:
    cluster.on(ListPartitionReassignmentsRequest, Instead.KEEP_SILENT)
    with connect(cluster) as admin:
        future = admin.list_partition_reassignments()
    with pytest.raises(errors.ClosedError):
        future.result(PATIENCE)
    with pytest.raises(errors.ClosedError):
        admin.describe_cluster()
    admin.close()


def test_a_short_answer_is_an_error_and_no_wait(cluster: ScriptedCluster) -> None:
    """Java's client waits for ever for the partition that is missing (see clients, rule 1)."""
    partition = ReassignablePartitionResponse(0, 0, None)
    cluster.on(
        AlterPartitionReassignmentsRequest,
        AlterPartitionReassignmentsResponse(
            responses=(ReassignableTopicResponse("foo", (partition,)),)
        ),
    )
    with connect(cluster) as admin:
        bar = TopicPartition("bar", 1)
        results = admin.alter_partition_reassignments({FOO: (1, 2), bar: (1, 2)})
        results.futures[FOO].result(PATIENCE)
        with pytest.raises(errors.ApiError, match="says nothing of bar-1"):
            results.futures[bar].result(PATIENCE)


@pytest.mark.parametrize(
    ("bootstrap", "properties", "text"),
    [
        ("", {}, "no address is given"),
        ("host", {}, "'host' is no address"),
        ("host:0", {}, "'host:0' is no address"),
        ("host:66000", {}, "'host:66000' is no address"),
        ("h:1", {"request.timeout.ms": "soon"}, r"request\.timeout\.ms=soon"),
        ("h:1", {"security.protocol": "TLS"}, "PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ("h:1", {"security.protocol": "SASL_PLAINTEXT"}, r"sasl\.mechanism"),
    ],
)
def test_what_cannot_be_used_is_named(
    bootstrap: str, properties: dict[str, str], text: str
) -> None:
    with pytest.raises(OptionError, match=text):
        Admin.connect(bootstrap, properties)


def test_properties_name_the_bootstrap_servers(cluster: ScriptedCluster) -> None:
    with Admin.connect(properties={"bootstrap.servers": cluster.bootstrap}) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
