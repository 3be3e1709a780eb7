"""Whatever a reader of znodes accepts, the three requests to brokers can carry."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from core.clusters import CONTROLLER, EPOCH
from hypothesis import example, given, settings
from hypothesis import strategies as st

from klamm.controller import znodes as z
from klamm.controller.brokers.messages import leader_and_isr, stop_replica, update_metadata
from klamm.controller.core.ibp import KNOWN
from klamm.controller.core.model import (
    Assignment,
    Broker,
    ClusterState,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.znodes import paths
from klamm.protocol.codec import encode

Z = TypeVar("Z")

LONGEST = 2**15 - 1
NEAR_THE_LIMIT = (0, 1, LONGEST // 3, LONGEST // 2, LONGEST - 1, LONGEST, LONGEST + 1, 40_000)
#: One of each kind of requests.
PROTOCOLS = {(p.leader_and_isr, p.update_metadata, p.stop_replica): p for p in KNOWN}.values()

LAST_OF_ALL = {
    "leader": 2**31 - 1,
    "leader_epoch": 2**31 - 1,
    "isr": [2**31 - 1],
    "controller_epoch": 2**31 - 1,
}

long_texts = st.builds(
    lambda character, count: character * count,
    st.sampled_from(["a", ".", "ü", "€", "\U0001f600"]),
    st.sampled_from(NEAR_THE_LIMIT),
)
texts = long_texts | st.text(max_size=8)
hosts = long_texts.filter(lambda text: text[:1] in ("", "a", ".")) | st.just("h")
integers = st.sampled_from([*range(8), 2**31 - 1, -1, 2**31])
ids = st.lists(integers, max_size=4)
numbers = integers.map(str)


@st.composite
def registrations(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(texts, max_size=2))
    return {
        "version": draw(st.integers(1, 5)),
        "host": draw(st.none() | hosts),
        "port": draw(integers),
        "endpoints": [f"{name}://{draw(hosts)}:{draw(st.integers(0, 70_000))}" for name in names],
        "listener_security_protocol_map": {name.upper(): "SSL" for name in names},
        "rack": draw(st.none() | texts),
    }


topics = st.builds(
    lambda partitions, adding, topic_id: {
        "version": 3,
        "partitions": partitions,
        "adding_replicas": adding,
        "topic_id": topic_id,
    },
    st.dictionaries(numbers, ids, max_size=2),
    st.dictionaries(numbers, ids, max_size=2),
    st.none() | st.just("XznsFBQYTf-jLeBtIN61JQ"),
)
states = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "leader": integers,
        "leader_epoch": integers,
        "isr": ids,
        "controller_epoch": integers,
        "leader_recovery_state": st.sampled_from([-1, 0, 1, 2]),
    }
)


def read(decode: Callable[[bytes, str], Z], fields: dict[str, Any], path: str) -> Z | None:
    try:
        return decode(json.dumps(fields).encode(), path)
    except z.ZnodeError:
        return None


def encode_all(state: ClusterState, names: list[TopicPartition]) -> None:
    for protocol in PROTOCOLS:
        for to in state.brokers.values():
            leads = leader_and_isr(state, to, dict.fromkeys(names, True), protocol)
            encode(leads, protocol.leader_and_isr)
            encode(update_metadata(state, to, names), protocol.update_metadata)
            stops = stop_replica(state, to, names, delete=True, protocol=protocol)
            encode(stops, protocol.stop_replica)


def cluster(*peers: Broker, topic: Topic | None = None) -> ClusterState:
    return ClusterState(
        CONTROLLER,
        EPOCH,
        fence_version=EPOCH,
        brokers={peer.id: peer for peer in peers},
        topics={topic.name: topic} if topic else {},
    )


@settings(deadline=None)
@given(registrations())
def test_every_registration_that_is_read(fields: dict[str, Any]) -> None:
    led = Partition(Assignment((7,)), Leadership(7, 0, (7,), 1, 0))
    topic = Topic("t", 0, {0: led})
    znode = read(z.decode_broker, fields, "/brokers/ids/7")
    if znode is not None:
        peer = Broker(7, 1, znode.endpoints, znode.rack)
        encode_all(cluster(peer, topic=topic), [TopicPartition("t", 0)])
    node = read(z.decode_klamm_node, {**fields, "version": 1}, "/klamm/nodes/7")
    if node is not None:
        encode_all(cluster(Broker(7, 1, node.endpoints, node.rack), topic=topic), [])


@settings(deadline=None)
@given(texts, topics, states)
@example("t" * 40_000, {"partitions": {"0": [7]}}, LAST_OF_ALL)
@example("t", {"partitions": {str(2**31 - 1): [2**31 - 1]}}, LAST_OF_ALL)
def test_every_topic_and_state_that_is_read(
    name: str, assignments: dict[str, Any], leadership: dict[str, Any]
) -> None:
    znode = read(z.decode_topic, assignments, f"/brokers/topics/{name}")
    state = read(z.decode_state, leadership, paths.state("t", 0))
    if znode is None or state is None:
        return
    led = Leadership(
        state.leader, state.leader_epoch, state.isr, state.controller_epoch, 0,
        state.leader_recovery_state,
    )  # fmt: skip
    partitions = {
        number: Partition(Assignment(replicas, znode.adding.get(number, ())), led)
        for number, replicas in znode.partitions.items()
    }
    topic = Topic(name, 0, partitions, topic_id=znode.topic_id)
    peer = Broker(7, 1, (z.Endpoint("PLAINTEXT", "PLAINTEXT", "h", 1),))
    encode_all(cluster(peer, topic=topic), [TopicPartition(name, each) for each in partitions])


@pytest.mark.parametrize("character", ["r", "ü", "€"])
def test_the_limit_counts_bytes(character: str) -> None:
    size = len(character.encode())
    fits, exceeds = character * (LONGEST // size), character * (LONGEST // size + 1)
    fields = {"version": 4, "endpoints": [], "rack": fits}
    path = "/brokers/ids/7"
    assert z.decode_broker(json.dumps(fields).encode(), path).rack == fits
    said = f"rack has {len(exceeds.encode())} bytes; requests carry at most 32767"
    with pytest.raises(z.ZnodeError, match=said):
        z.decode_broker(json.dumps({**fields, "rack": exceeds}).encode(), path)
    with pytest.raises(z.ZnodeError, match=said):
        z.encode_broker(z.BrokerZnode(7, (), exceeds))
    with pytest.raises(z.ZnodeError, match=said):
        z.encode_klamm_node(z.KlammNodeZnode(7, (), exceeds))


def test_a_host_and_a_listener_have_the_same_limit() -> None:
    too_long = "h" * (LONGEST + 1)
    for endpoint, said in (
        (z.Endpoint("SSL", "SSL", too_long, 1), "the host of listener SSL has 32768 bytes"),
        (z.Endpoint(too_long.upper(), "SSL", "h", 1), "a listener's name has 32768 bytes"),
    ):
        with pytest.raises(z.ZnodeError, match=said):
            z.encode_broker(z.BrokerZnode(7, (endpoint,)))


@pytest.mark.parametrize("epoch", [-1, 2**31])
def test_an_epoch_that_nobody_reads_is_not_written(epoch: int) -> None:
    for znode in (z.StateZnode(1, epoch, (1,), 1), z.StateZnode(1, 1, (1,), epoch)):
        with pytest.raises(ValueError, match=f"epoch {epoch} of .* is not from 0 to 2147483647"):
            z.encode_state(znode)
    with pytest.raises(z.ZnodeError, match=f"^/controller_epoch: {epoch} is not from 0 to"):
        z.encode_controller_epoch(epoch)
