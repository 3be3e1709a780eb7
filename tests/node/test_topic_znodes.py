"""Topic znodes as others left them, and as they are written by inter.broker.protocol.version."""

import json
from dataclasses import replace
from uuid import UUID

import pytest
from core.clusters import broker, cluster, partition, topic
from node.moving import TOPIC_ID, T, create, leads, lists, with_topic
from node_world import ENDPOINT, World, in_office

from klamm.controller.brokers.outbox import Outbox
from klamm.controller.core.events import (
    AlterReassignment,
    CreatePartitions,
    CreateTopic,
    DeleteTopic,
)
from klamm.controller.core.facts import TOPIC_IDS
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.core.results import Done, Fault, Refusal, TopicCreated
from klamm.controller.core.rules import PROFILES
from klamm.controller.node import NodeConfig
from klamm.controller.node.turns import SERVER_ERROR
from klamm.controller.znodes import paths
from klamm.controller.znodes.text import encode_uuid
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.primitives import ZERO_UUID

#: Broker 9 never comes, so its move does not end.
MOVING = {"version": 2, "partitions": {"0": [9, 1, 2]}}


def at(protocol: str, profile: str = "apache-3.9") -> NodeConfig:
    return NodeConfig(900, (ENDPOINT,), rules=PROFILES[profile], protocol=by_name(protocol))


def with_foreign(config: NodeConfig, content: dict[str, object], topic: str = "t") -> World:
    """Five brokers and a topic that somebody else has just made."""
    world = in_office(config=config)
    world.sent.clear()
    world.write(Create(paths.topic(topic), json.dumps(content).encode()))
    world.settle()
    return world


def topic_ids_told(world: World) -> set[UUID]:
    """The ids of t in all LeaderAndIsr and UpdateMetadata requests."""
    return {
        topic.topic_id
        for send in world.sent
        if isinstance(send.message, LeaderAndIsrRequest | UpdateMetadataRequest)
        for topic in send.message.topic_states
        if topic.topic_name == "t"
    }


# --- forms -----------------------------------------------------------------------------------


@pytest.mark.req("R455-77")
@pytest.mark.parametrize(
    ("protocol", "start"),
    [
        ("2.3-IV1", b'{"partitions":{"0":[1,2,3]},'),
        ("2.4-IV0", b'{"partitions":{"0":[1,2,3]},'),
        (
            "2.8-IV0",
            b'{"partitions":{"0":[1,2,3]},"topic_id":"%s",' % encode_uuid(TOPIC_ID).encode(),
        ),
        (
            "3.9-IV0",
            b'{"partitions":{"0":[1,2,3]},"topic_id":"%s",' % encode_uuid(TOPIC_ID).encode(),
        ),
    ],
)
def test_a_new_topic_by_protocol(protocol: str, start: bytes) -> None:
    world = with_topic(at(protocol))
    version = b"3" if by_name(protocol).topic_ids else b"2"
    idle = b'"adding_replicas":{},"removing_replicas":{},"version":%s}' % version
    assert world.zookeeper.tree.nodes[paths.topic("t")].data == start + idle


@pytest.mark.req("R455-42")
@pytest.mark.parametrize(("protocol", "version"), [("2.3-IV1", 2), ("2.4-IV0", 3), ("3.9-IV0", 7)])
def test_leader_and_isr_goes_out_in_the_version_of_the_protocol(
    protocol: str, version: int
) -> None:
    world = with_topic(at(protocol))
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    sent = {s.version for s in world.sent if isinstance(s.message, LeaderAndIsrRequest)}
    assert sent == {version}


@pytest.mark.req("R455-76")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("maps", "ignored"),
    [
        ({"adding_replicas": {"0": [9]}, "removing_replicas": {"0": [2]}}, []),
        ({"addingReplicas": {"0": [9]}, "removingReplicas": {"0": [2]}}, []),
        (
            {
                "adding_replicas": {"0": [9]},
                "addingReplicas": {"0": [9]},
                "removing_replicas": {"0": [2]},
                "removingReplicas": {"0": [1]},
            },
            ["removingReplicas"],
        ),
        (
            {
                "adding_replicas": {"0": [9]},
                "addingReplicas": {"0": [1]},
                "removing_replicas": {"0": [2]},
                "removingReplicas": {},
            },
            ["addingReplicas", "removingReplicas"],
        ),
    ],
)
def test_both_spellings_are_read_and_a_contradiction_is_written_down(
    profile: str, maps: dict[str, object], ignored: list[str]
) -> None:
    world = with_foreign(at("2.4-IV0", profile), {**MOVING, **maps})
    assert world.node.state is not None
    [(name, found)] = world.node.state.moving()
    assert (name, found.assignment.adding, found.assignment.removing) == (T, (9,), (2,))
    noted = [note.text for note in world.journal if note.kind == "ignored"]
    assert len(noted) == len(ignored)
    for key, text in zip(ignored, noted, strict=True):
        assert text.startswith(f"{paths.topic('t')}: {key} ")


@pytest.mark.req("R455-79")
@pytest.mark.parametrize("protocol", ["2.4-IV0", "3.9-IV0"])
def test_ids_and_keys_that_we_do_not_know_survive_all_that_is_written(protocol: str) -> None:
    """F54: also where topics have no ids yet, or no more."""
    content = {**MOVING, "topic_id": encode_uuid(UUID(int=5)), "later": {"a": [1, None]}}
    world = with_foreign(at(protocol), {**content, "partitions": {"0": [1, 2, 3]}})
    state = world.data(paths.state(*T))
    world.write(SetData(paths.state(*T), json.dumps({**state, "new": True}).encode(), ANY_VERSION))
    world.settle()
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    world.ask(AlterReassignment(T, None))
    assert world.ask(CreatePartitions("t", 2)) == (Done(),)
    held = world.data(paths.topic("t"))
    assert (held["topic_id"], held["later"]) == (content["topic_id"], content["later"])
    assert world.data(paths.state(*T))["new"] is True
    assert world.node.state is not None
    assert world.node.state.topics["t"].topic_id == UUID(int=5)


# --- ids -------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["2.8-IV0", "2.8-IV1", "3.9-IV0"])
def test_a_topic_without_an_id_gets_one_before_a_broker_hears_of_it(protocol: str) -> None:
    world = with_foreign(at(protocol), {"version": 1, "partitions": {"0": [1, 2]}})
    znode = world.zookeeper.tree.nodes[paths.topic("t")]
    assert world.node.state is not None
    topic_id = world.node.state.topics["t"].topic_id
    assert world.data(paths.topic("t"))["topic_id"] == encode_uuid(topic_id or ZERO_UUID)
    assert topic_id is not None
    assert (topic_id.version, znode.version) == (5, 1)
    assert [lead.leader for lead in leads(world, 1)] == [1]
    if by_name(protocol).leader_and_isr >= 5:
        assert topic_ids_told(world) == {topic_id}
    # Whoever takes over gives no other one.
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.state is not None
    assert world.node.state.topics["t"].topic_id == topic_id


def test_an_upgrade_gives_ids_to_all_topics_before_their_leaders_are_told() -> None:
    old = with_topic(at("2.7-IV2"), partitions=2)
    world = World(at("3.9-IV0"))
    world.zookeeper = old.zookeeper
    world.open()
    old.zookeeper.expire(old.store)
    world.settle()
    assert world.node.active
    assert leads(world, 1)
    assert ZERO_UUID not in topic_ids_told(world)
    assert world.data(paths.topic("t"))["version"] == 3
    assert world.zookeeper.tree.nodes[paths.topic("t")].version == 1


def test_a_topic_that_is_made_again_has_another_id() -> None:
    content = {"version": 1, "partitions": {"0": [1]}}
    world = with_foreign(at("3.9-IV0"), content)
    first = world.data(paths.topic("t"))["topic_id"]
    world.ask(DeleteTopic("t"))
    assert not world.exists(paths.topic("t"))
    world.write(Create(paths.topic("t"), json.dumps(content).encode()))
    world.settle()
    assert world.data(paths.topic("t"))["topic_id"] not in (first, encode_uuid(TOPIC_IDS))


@pytest.mark.parametrize("protocol", ["2.7-IV2", "2.8-IV0", "3.9-IV0"])
def test_replicas_are_led_when_their_topic_has_its_id(protocol: str) -> None:
    plain = topic("t", {0: partition((1, 2))})
    named = replace(plain, topic_id=UUID(int=5))
    outbox = Outbox(broker(1))
    outbox.lead(T, is_new=True)
    early = outbox.next_request(cluster((1, 2), plain), by_name(protocol), 1)
    assert (early is None) == by_name(protocol).topic_ids
    outbox.in_flight = None
    late = outbox.next_request(cluster((1, 2), named), by_name(protocol), 2)
    assert (late is None) == (not by_name(protocol).topic_ids)
    sent, _ = early or late or (None, 0)
    assert isinstance(sent, LeaderAndIsrRequest)
    [state] = sent.topic_states
    assert (state.topic_id != ZERO_UUID) == by_name(protocol).topic_ids
    assert state.partition_states[0].is_new


def test_below_2_8_no_topic_gets_an_id() -> None:
    world = with_foreign(at("2.7-IV2"), {"version": 1, "partitions": {"0": [1, 2]}})
    assert world.zookeeper.tree.nodes[paths.topic("t")].version == 0
    assert topic_ids_told(world) == {ZERO_UUID}
    assert world.ask(create(name="u")) == (TopicCreated(1, 3),)
    assert "topic_id" not in world.data(paths.topic("u"))


def test_an_id_that_cannot_be_written_at_once_is_written_after_the_conflict() -> None:
    world = in_office(config=at("3.9-IV0"))
    content = {"version": 1, "partitions": {"0": [1, 2]}}
    world.write(Create(paths.topic("t"), json.dumps(content).encode()))
    while not any("topic_id" in str(effect) for effect in world.effects):
        world.step()
    grown = {"version": 1, "partitions": {"0": [1, 2], "1": [3]}}
    world.write(SetData(paths.topic("t"), json.dumps(grown).encode(), ANY_VERSION))
    world.settle()
    held = world.data(paths.topic("t"))
    assert set(held["partitions"]) == {"0", "1"} if isinstance(held["partitions"], dict) else False
    assert "topic_id" in held
    assert world.data(paths.state("t", 1))["leader"] == 3


def test_a_topic_cannot_be_made_without_an_id_where_topics_have_them() -> None:
    world = in_office(config=at("3.9-IV0"))
    world.provoked = "'t' is to be created without an id"
    assert world.ask(CreateTopic("t", 1, 1, {}, {}, 0, 0)) == (SERVER_ERROR,)
    assert [note.kind for note in world.journal].count("fault") == 1


# --- what others leave behind -----------------------------------------------------------------


def test_partitions_that_somebody_else_adds_are_led() -> None:
    """H3."""
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 2, 3)))
    content = world.data(paths.topic("t"))
    content["partitions"] = {"0": [4, 2, 3, 1], "1": [5, 1]}
    world.write(SetData(paths.topic("t"), json.dumps(content).encode(), ANY_VERSION))
    world.settle()
    assert world.data(paths.state("t", 1))["isr"] == [5, 1]
    assert lists(world) == ({"0": [4, 2, 3, 1], "1": [5, 1]}, {"0": [4]}, {"0": [1]})
    assert [lead.partition_index for lead in leads(world, 5)] == [1]


def test_a_growth_that_meets_another_writer_keeps_what_that_one_wrote() -> None:
    """H3."""
    world = with_topic()
    request = world.request(CreatePartitions("t", 3))
    world.feed()
    content = world.data(paths.topic("t"))
    content["partitions"] = {"0": [1, 2, 3], "1": [5, 1]}
    world.write(SetData(paths.topic("t"), json.dumps(content).encode(), ANY_VERSION))
    world.settle()
    assert world.replies[request] == [(Done(),)]
    partitions = world.data(paths.topic("t"))["partitions"]
    assert isinstance(partitions, dict)
    assert partitions["1"] == [5, 1]
    assert sorted(partitions) == ["0", "1", "2"]


@pytest.mark.parametrize(("target", "led"), [((3, 2), True), ((8, 7), False)])
def test_a_partition_without_a_state_znode_can_be_moved_and_waits_for_a_leader(
    target: tuple[int, ...], led: bool
) -> None:
    """N3: Kafka answers -1 although the target is stored, and no later failover succeeds."""
    world = with_foreign(at("2.4-IV0"), {"version": 2, "partitions": {"0": [7, 8]}})
    assert not world.exists(paths.state(*T))
    assert world.ask(AlterReassignment(T, target)) == (Done(),)
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.active
    assert world.exists(paths.state(*T)) == led
    assert lists(world) == ({"0": list(target)}, {}, {})


@pytest.mark.parametrize(
    "content",
    [
        b'{"version":2,"partitions":{"0":["1","2"]}}',
        b'{"version":2,"partitions":{"0":[1,2]},"adding_replicas":{"0":["2"]}}',
        b'{"version":2,"partitions":{"0":[]}}',
        b'{"version":2,"partitions":{"0":[1,1]}}',
        b'{"version":2,"partitions":{"0":[1]},"topic_id":"short"}',
        b'{"version":2}',
        b"[]",
        b"",
        None,
    ],
)
def test_a_poisoned_topic_is_quarantined_in_every_way_and_hurts_nobody_else(
    content: bytes | None,
) -> None:
    """N2."""
    world = with_topic()
    world.write(Create(paths.topic("bad.one"), content))
    world.settle()
    bad = TopicPartition("bad.one", 0)
    for event in (AlterReassignment(bad, (1, 2)), AlterReassignment(bad, None)):
        ((refused,),) = (world.ask(event),)
        assert isinstance(refused, Refusal)
        assert refused.fault is Fault.UNKNOWN_SERVER_ERROR
        assert paths.topic("bad.one") in refused.message
    exists, collides, grown = (
        world.ask(create(name="bad.one"))[0],
        world.ask(create(name="bad_one"))[0],
        world.ask(CreatePartitions("bad.one", 4))[0],
    )
    assert isinstance(exists, Refusal)
    assert exists.fault is Fault.TOPIC_ALREADY_EXISTS
    assert isinstance(collides, Refusal)
    assert collides.fault is Fault.INVALID_TOPIC_EXCEPTION
    assert "bad.one" in collides.message
    assert isinstance(grown, Refusal)
    assert grown.fault is Fault.UNKNOWN_SERVER_ERROR
    # Nothing is written to it, and everybody else goes on, here and in the next office.
    assert world.zookeeper.tree.nodes[paths.topic("bad.one")].data == content
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.active
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    assert world.zookeeper.tree.nodes[paths.topic("bad.one")].data == content
