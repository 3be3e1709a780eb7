"""The snapshot behind Metadata: fed by UpdateMetadata, or derived from the controller's state."""

from dataclasses import replace
from uuid import UUID

import pytest
from handlers.worlds import NODE, broker, cluster, endpoint, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.brokers.metadata import (
    MetadataCache,
    PartitionMetadata,
    refreshed,
    updated,
)
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    Broker,
    ClusterState,
    Deletion,
    Endpoint,
    Partition,
)
from klamm.protocol import codec
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from klamm.protocol.primitives import ZERO_UUID

BROKERS = (
    UpdateMetadataBroker(1, endpoints=(UpdateMetadataEndpoint(9001, "h1", "INSIDE", 0),), rack="r"),
    UpdateMetadataBroker(2, endpoints=(UpdateMetadataEndpoint(9002, "h2", "OUTSIDE", 1),)),
)


def state(
    number: int, leader: int, epoch: int = 0, topic_name: str = ""
) -> UpdateMetadataPartitionState:
    return UpdateMetadataPartitionState(
        topic_name, number, 1, leader, epoch, (1, 2), 0, (1, 2), (2,)
    )


def update(
    *topics: UpdateMetadataTopicState, brokers: tuple[UpdateMetadataBroker, ...] = BROKERS
) -> UpdateMetadataRequest:
    request = UpdateMetadataRequest(NODE, topic_states=topics, live_brokers=brokers)
    return codec.decode(UpdateMetadataRequest, codec.encode(request, 7), 7)


def of(
    name: str, *states: UpdateMetadataPartitionState, id_: UUID = ZERO_UUID
) -> UpdateMetadataTopicState:
    return UpdateMetadataTopicState(name, id_, states)


def test_partitions_are_merged_and_brokers_replaced() -> None:
    cache = updated(MetadataCache("c"), update(of("a", state(0, 1)), of("b", state(0, 2))))
    later = updated(cache, update(of("a", state(1, 2)), brokers=BROKERS[:1]))
    assert {name: sorted(item.partitions) for name, item in later.topics.items()} == {
        "a": [0, 1],
        "b": [0],
    }
    assert later.topics["a"].partitions[1] == PartitionMetadata(2, 0, (1, 2), (1, 2), (2,))
    assert later.topics["b"] is cache.topics["b"]
    assert (sorted(cache.brokers), sorted(later.brokers)) == ([1, 2], [1])
    assert (later.cluster_id, later.controller_id) == ("c", NODE)


def test_live_brokers_alone_leave_partitions_as_they_were() -> None:
    cache = updated(MetadataCache(), update(of("a", state(0, 1))))
    assert updated(cache, update()).topics == cache.topics


def test_leader_minus_two_removes_a_partition_and_with_the_last_one_the_topic() -> None:
    cache = updated(MetadataCache(), update(of("a", state(0, 1), state(1, 1))))
    once = updated(cache, update(of("a", state(0, -2))))
    assert list(once.topics["a"].partitions) == [1]
    assert updated(once, update(of("a", state(1, -2)), of("gone", state(0, -2)))).topics == {}


def test_the_last_request_wins_whatever_its_leader_epoch() -> None:
    cache = updated(MetadataCache(), update(of("a", state(0, 1, epoch=9))))
    later = updated(cache, update(of("a", state(0, 2, epoch=8))))
    assert later.topics["a"].partitions[0].leader_epoch == 8


def test_a_topic_id_is_kept_until_the_topic_goes() -> None:
    id_ = UUID(int=5)
    cache = updated(MetadataCache(), update(of("a", state(0, 1), id_=id_)))
    assert updated(cache, update(of("a", state(0, 2)))).topics["a"].topic_id == id_
    gone = updated(cache, update(of("a", state(0, -2))))
    assert updated(gone, update(of("a", state(0, 1)))).topics["a"].topic_id is None


def test_endpoints_and_racks() -> None:
    cache = updated(MetadataCache(), update())
    assert cache.brokers[1] == Broker(1, -1, (Endpoint("INSIDE", "PLAINTEXT", "h1", 9001),), "r")
    found = cache.endpoint(2, "OUTSIDE")
    assert found is not None
    assert (found.security_protocol, found.host, found.port) == ("SSL", "h2", 9002)
    assert cache.endpoint(2, "INSIDE") is None
    assert cache.endpoint(3, "INSIDE") is None


@pytest.mark.parametrize("version", [0, 2, 3, 5])
def test_older_versions_name_endpoints_their_way(version: int) -> None:
    peer = UpdateMetadataBroker(
        1,
        v0_host="h" if version == 0 else "",
        v0_port=9 if version == 0 else 0,
        endpoints=(UpdateMetadataEndpoint(9, "h", "INSIDE" if version >= 3 else "", 0),)
        if version
        else (),
    )
    partitions = (state(0, 1, topic_name="a" if version < 5 else ""),)
    if version < 4:
        partitions = (replace(partitions[0], offline_replicas=()),)
    request = UpdateMetadataRequest(
        NODE,
        live_brokers=(peer,),
        ungrouped_partition_states=partitions if version < 5 else (),
        topic_states=(of("a", *partitions),) if version >= 5 else (),
    )
    request = codec.decode(UpdateMetadataRequest, codec.encode(request, version), version)
    cache = updated(MetadataCache(), request)
    listener = "INSIDE" if version >= 3 else "PLAINTEXT"
    assert cache.brokers[1].endpoints[0].listener == listener
    assert list(cache.topics["a"].partitions) == [0]


def test_an_unknown_security_protocol_is_no_endpoint() -> None:
    strange = UpdateMetadataBroker(1, endpoints=(UpdateMetadataEndpoint(9, "h", "X", 77),))
    assert updated(MetadataCache(), update(brokers=(strange,))).brokers[1].endpoints == ()


def test_the_state_shows_brokers_nodes_and_offline_replicas() -> None:
    moving = partition((4, 3, 2, 1), adding=(4,), removing=(1,))
    cache = refreshed(MetadataCache("c"), None, cluster(topic("a", {0: moving}), brokers=(1, 2, 3)))
    assert sorted(cache.brokers) == [1, 2, 3, NODE]
    assert {item.epoch for item in cache.brokers.values()} == {-1}
    assert cache.topics["a"].partitions[0] == PartitionMetadata(1, 3, (1, 2, 3), (4, 3, 2, 1), (4,))
    assert cache.controller_id == NODE


def test_partitions_without_a_state_are_unknown_to_clients() -> None:
    never_led = Partition(Assignment((1, 2)))
    cache = refreshed(
        MetadataCache(),
        None,
        cluster(topic("a", {0: never_led}), topic("b", {0: never_led, 1: partition((1,))})),
    )
    assert {name: list(item.partitions) for name, item in cache.topics.items()} == {"b": [1]}


def test_a_lost_leader_shows_as_none() -> None:
    cache = refreshed(MetadataCache(), None, cluster(topic("a", {0: partition((1, 2), leader=-1)})))
    assert cache.topics["a"].partitions[0].leader == NO_LEADER


def test_untouched_topics_are_the_same_objects_after_a_refresh() -> None:
    before = cluster(topic("a", {0: partition((1, 2))}), topic("b", {0: partition((1, 2))}))
    cache = refreshed(MetadataCache(), None, before)
    after = replace(before, topics={**before.topics, "b": topic("b", {0: partition((2, 1))})})
    later = refreshed(cache, before, after)
    assert later.topics["a"] is cache.topics["a"]
    assert later.topics["b"].partitions[0].replicas == (2, 1)
    assert refreshed(later, after, after) is later


STATES = st.builds(
    lambda names, brokers: cluster(
        *(
            topic(name, {number: partition(replicas) for number, replicas in enumerate(lists)})
            for name, lists in names.items()
        ),
        brokers=tuple(sorted(brokers)),
    ),
    st.dictionaries(
        st.sampled_from("abc"),
        st.lists(st.permutations([1, 2, 3]).map(tuple), max_size=3),
        max_size=3,
    ),
    st.sets(st.sampled_from([1, 2, 3, 4])),
)


@given(STATES, STATES, st.sets(st.sampled_from("abc")))
def test_refreshing_equals_starting_anew(
    before: ClusterState, other: ClusterState, kept: set[str]
) -> None:
    carried = {name: before.topics[name] for name in kept if name in before.topics}
    after = replace(other, topics={**other.topics, **carried})
    cache = refreshed(MetadataCache("c"), None, before)
    later = refreshed(cache, before, after)
    assert later == refreshed(MetadataCache("c"), None, after)
    # What was read of the later one has changed nothing of the one before.
    assert cache == refreshed(MetadataCache("c"), None, before)
    assert len(later.topics) == len(list(later.topics))
    assert all(name in later.topics for name in later.topics)


def test_a_topic_whose_deletion_has_started_is_gone_even_if_it_was_asked_for() -> None:
    before = cluster(topic("a", {0: partition((1, 2))}))
    cache = refreshed(MetadataCache(), None, before)
    assert "a" in cache.topics
    assert cache.topics["a"].name == "a"
    later = refreshed(cache, before, replace(before, deleting={"a": Deletion(logs={})}))
    assert "a" not in later.topics
    with pytest.raises(KeyError):
        later.topics["a"]
    assert dict(later.topics) == {}


def test_a_broker_is_listed_by_its_own_endpoint_even_if_a_node_has_its_id() -> None:
    state = replace(cluster(brokers=(1,)), nodes={1: broker(1, "NODES")})
    assert refreshed(MetadataCache(), None, state).endpoint(1, "PLAINTEXT") == endpoint(9001)
