"""Keys 3, 18, 60 and 0: answers from the snapshot and the table."""

from dataclasses import replace
from uuid import UUID

import pytest
from handlers.worlds import NODE, broker, cluster, context, partition, topic

from klamm.controller.brokers.metadata import MetadataCache
from klamm.controller.core.model import ClusterState
from klamm.controller.handlers import (
    k0_produce,
    k3_metadata,
    k18_api_versions,
    k60_describe_cluster,
)
from klamm.controller.handlers.api import Answer, Context, Disconnect
from klamm.controller.handlers.table import HANDLERS, advertised
from klamm.protocol import codec, registry
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse, MetadataResponseTopic
from klamm.protocol.generated.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from klamm.protocol.generated.produce_response import ProduceResponse

ID = UUID(int=7)
STATE = cluster(
    topic("foo", {0: partition((4, 3, 2, 1), adding=(4,), removing=(1,)), 1: partition((1, 2))}),
    replace(topic("named", {0: partition((2, 3))}), topic_id=ID),
    topic("__consumer_offsets", {0: partition((1,))}),
)


def metadata(
    request: MetadataRequest, version: int, given: Context | None = None
) -> MetadataResponse:
    """Ask, and carry the answer through the bytes of its version."""
    outcome = k3_metadata.handle(given or context(STATE), request, version)
    assert isinstance(outcome, Answer)
    return codec.decode(MetadataResponse, codec.encode(outcome.response, version), version)


def named(*names: str | None) -> MetadataRequest:
    return MetadataRequest(topics=tuple(MetadataRequestTopic(name=name) for name in names))


@pytest.mark.parametrize("version", k3_metadata.VERSIONS)
def test_metadata_lists_brokers_nodes_and_the_controller_in_every_version(version: int) -> None:
    response = metadata(named("foo"), version)
    assert {item.node_id: item.port for item in response.brokers} == {
        1: 9001, 2: 9002, 3: 9003, 4: 9004, NODE: 9900,
    }  # fmt: skip
    assert response.controller_id == (NODE if version >= 1 else -1)
    assert response.cluster_id == ("c1" if version >= 2 else None)
    [foo] = response.topics
    first, second = foo.partitions
    assert (first.error_code, first.leader_id, first.replica_nodes) == (0, 1, (4, 3, 2, 1))
    assert first.isr_nodes == (1, 2, 3)
    assert second.replica_nodes == (1, 2)


def test_null_asks_for_all_topics_and_an_empty_list_for_none() -> None:
    every = ["foo", "named", "__consumer_offsets"]
    assert [item.name for item in metadata(MetadataRequest(topics=None), 1).topics] == every
    assert metadata(MetadataRequest(topics=()), 1).topics == ()
    assert [item.name for item in metadata(MetadataRequest(topics=()), 0).topics] == every
    assert [item.is_internal for item in metadata(MetadataRequest(topics=None), 1).topics] == [
        False,
        False,
        True,
    ]


def codes(topics: tuple[MetadataResponseTopic, ...]) -> list[tuple[str | None, int]]:
    return [(item.name, item.error_code) for item in topics]


def test_unknown_and_unlawful_names() -> None:
    response = metadata(named("nope", "a b", "foo"), 12)
    assert codes(response.topics) == [("nope", 3), ("a b", 17), ("foo", 0)]


@pytest.mark.parametrize("wanted", [True, False])
def test_nothing_is_created_because_somebody_asks_for_it(wanted: bool) -> None:
    asked = replace(named("nope"), allow_auto_topic_creation=wanted)
    assert codes(metadata(asked, 12).topics) == [("nope", 3)]


def test_topics_by_id() -> None:
    known = MetadataRequestTopic(topic_id=ID, name=None)
    unknown = MetadataRequestTopic(topic_id=UUID(int=8), name=None)
    response = metadata(MetadataRequest(topics=(known, unknown)), 12)
    assert codes(response.topics) == [("named", 0), (None, 100)]
    assert [item.topic_id for item in response.topics] == [ID, UUID(int=8)]
    assert codes(metadata(MetadataRequest(topics=(known,)), 11).topics) == [("", 42)]


def test_a_dead_leader_is_no_leader() -> None:
    state = cluster(*STATE.topics.values(), brokers=(2, 3, 4))
    [foo] = metadata(named("foo"), 12, context(state)).topics
    assert [(item.error_code, item.leader_id) for item in foo.partitions] == [(5, -1), (5, -1)]
    assert foo.partitions[0].offline_replicas == (1,)
    assert foo.partitions[0].leader_epoch == 3


def with_listener(state: ClusterState, id_: int, listener: str) -> ClusterState:
    return replace(state, brokers={**state.brokers, id_: broker(id_, listener)})


def test_a_broker_without_the_listener_is_not_shown() -> None:
    given = context(with_listener(STATE, 1, "OTHER"))
    response = metadata(named("foo"), 6, given)
    assert 1 not in {item.node_id for item in response.brokers}
    assert [item.error_code for item in response.topics[0].partitions] == [72, 72]
    assert [item.error_code for item in metadata(named("foo"), 5, given).topics[0].partitions] == [
        5,
        5,
    ]


def test_version_0_hides_replicas_that_cannot_be_reached() -> None:
    given = context(with_listener(STATE, 2, "OTHER"))
    first = metadata(named("foo"), 0, given).topics[0].partitions[0]
    assert (first.error_code, first.replica_nodes, first.isr_nodes) == (9, (4, 3, 1), (1, 3))


def test_a_controller_that_nobody_can_find_is_not_named() -> None:
    hidden = replace(context(STATE), metadata=replace(context(STATE).metadata, controller_id=9))
    assert metadata(named("foo"), 1, hidden).controller_id == -1
    other = replace(STATE, nodes={NODE: broker(NODE, "OTHER")})
    assert metadata(named("foo"), 1, context(other)).controller_id == -1
    assert metadata(named(), 1, replace(hidden, metadata=MetadataCache())).brokers == ()


@pytest.mark.parametrize("version", [8, 10, 12])
def test_authorized_operations_only_when_asked(version: int) -> None:
    asked = replace(
        named("foo"),
        include_topic_authorized_operations=True,
        include_cluster_authorized_operations=version <= 10,
    )
    response = metadata(asked, version)
    assert response.topics[0].topic_authorized_operations == 3576
    assert response.cluster_authorized_operations == (8096 if version <= 10 else -(2**31))
    assert metadata(named("foo"), version).topics[0].topic_authorized_operations == -(2**31)


def test_api_versions_show_the_table() -> None:
    outcome = k18_api_versions.handle(context(STATE), ApiVersionsRequest(), 4)
    assert isinstance(outcome, Answer)
    assert isinstance(outcome.response, ApiVersionsResponse)
    shown = {
        item.api_key: (item.min_version, item.max_version) for item in outcome.response.api_keys
    }
    assert shown == {
        0: (0, 11), 3: (0, 12), 7: (0, 3), 17: (0, 1), 18: (0, 4), 19: (0, 7), 20: (0, 6),
        29: (0, 3), 30: (0, 3), 31: (0, 3), 32: (0, 4), 33: (0, 2), 34: (0, 2), 35: (0, 4),
        36: (0, 2), 37: (0, 3), 43: (0, 2), 44: (0, 1), 45: (0, 0), 46: (0, 0), 50: (0, 0),
        51: (0, 0), 56: (0, 3), 60: (0, 1), 67: (0, 0),
    }  # fmt: skip
    for version in k18_api_versions.VERSIONS:
        codec.encode(outcome.response, version)


def test_an_unknown_version_of_api_versions_is_answered_with_its_own_range() -> None:
    answer = k18_api_versions.unsupported_version(advertised())
    assert codec.encode(answer, 0).hex() == "002300000001001200000004"


def test_the_table_advertises_nothing_that_the_codecs_cannot_read() -> None:
    for key, handler in HANDLERS.items():
        for version in handler.versions:
            assert version in registry.request(key).versions, "a handler promises too much"
            assert version in registry.response(key).versions
    for key, versions in advertised().items():
        assert set(versions) <= set(HANDLERS[key].versions)


def test_a_table_of_fewer_keys() -> None:
    assert dict(advertised([3, 18])) == {3: range(13), 18: range(5)}
    with pytest.raises(KeyError):
        advertised([9999])


def describe(
    request: DescribeClusterRequest, version: int, given: Context | None = None
) -> DescribeClusterResponse:
    outcome = k60_describe_cluster.handle(given or context(STATE), request, version)
    assert isinstance(outcome, Answer)
    return codec.decode(DescribeClusterResponse, codec.encode(outcome.response, version), version)


@pytest.mark.parametrize("version", k60_describe_cluster.VERSIONS)
def test_the_cluster_is_described_like_in_metadata(version: int) -> None:
    response = describe(DescribeClusterRequest(), version)
    same = metadata(named(), 12)
    assert [(item.broker_id, item.host, item.port, item.rack) for item in response.brokers] == [
        (item.node_id, item.host, item.port, item.rack) for item in same.brokers
    ]
    assert (response.cluster_id, response.controller_id) == ("c1", NODE)
    assert (response.error_code, response.error_message, response.endpoint_type) == (0, None, 1)
    assert response.cluster_authorized_operations == -(2**31)
    asked = DescribeClusterRequest(include_cluster_authorized_operations=True)
    assert describe(asked, version).cluster_authorized_operations == 8096


def test_controllers_are_listed_by_nodes_and_refused_by_brokers() -> None:
    request = DescribeClusterRequest(endpoint_type=2)
    response = describe(request, 1)
    assert ([item.broker_id for item in response.brokers], response.controller_id) == ([NODE], NODE)
    assert response.endpoint_type == 2
    refused = describe(request, 1, replace(context(STATE), controllers=None))
    assert (refused.error_code, refused.endpoint_type, refused.brokers) == (114, 2, ())
    unknown = describe(DescribeClusterRequest(endpoint_type=3), 1)
    assert (unknown.error_code, unknown.error_message) == (115, "Unsupported endpoint type 3")


def produce(acks: int) -> ProduceRequest:
    partitions = (PartitionProduceData(index=0, records=None), PartitionProduceData(index=1))
    return ProduceRequest(acks=acks, topic_data=(TopicProduceData("foo", partitions),))


@pytest.mark.parametrize("version", k0_produce.VERSIONS)
def test_produce_is_sent_elsewhere(version: int) -> None:
    outcome = k0_produce.handle(context(STATE), produce(-1), version)
    assert isinstance(outcome, Answer)
    response = codec.decode(ProduceResponse, codec.encode(outcome.response, version), version)
    [foo] = response.responses
    assert [
        (item.index, item.error_code, item.base_offset) for item in foo.partition_responses
    ] == [
        (0, 6, -1),
        (1, 6, -1),
    ]


def test_produce_without_acknowledgement_costs_the_connection() -> None:
    assert isinstance(k0_produce.handle(context(STATE), produce(0), 9), Disconnect)
