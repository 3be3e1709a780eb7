"""Taking office over a cluster that exists: every form of its znodes, and what cannot be read."""

import json

import pytest
from node.moving import commits, with_topic
from node_world import World

from klamm.controller.core.events import AlterReassignment, CreateTopic
from klamm.controller.core.model import Assignment, ClusterState, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import Done, Fault, Refusal, TopicCreated
from klamm.controller.node import NodeConfig, Phase
from klamm.controller.node.effects import ArmWatch, Commit, ReadZnodes, Severity
from klamm.controller.store.port import READ_CHUNK, CommitDone, ReadData, Refused
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest

T = TopicPartition("t", 0)
MOVING = {"adding_replicas": {"0": [4]}, "removing_replicas": {"0": [1]}}


def a_cluster(*brokers: int, config: NodeConfig | None = None) -> World:
    """A cluster that has no controller yet."""
    world = World(config) if config else World()
    for path in paths.PERSISTENT_PATHS:
        world.write(Create(path, None))
    for broker in brokers:
        world.register(broker)
    return world


def put_topic(world: World, name: str, **fields: object) -> None:
    world.write(Create(paths.topic(name), json.dumps(fields).encode()))


def put_state(world: World, name: TopicPartition, leader: int, isr: list[int]) -> None:
    if not world.exists(paths.partitions(name.topic)):
        world.write(Create(paths.partitions(name.topic), None))
    fields = {"leader": leader, "isr": isr, "leader_epoch": 4, "controller_epoch": 2, "version": 1}
    world.write(
        Create(paths.partition(*name), None),
        Create(paths.state(*name), json.dumps(fields).encode()),
    )


def taken(world: World) -> ClusterState:
    world.settle()
    assert world.node.state is not None
    return world.node.state


def test_an_office_has_its_epoch_before_it_is_read() -> None:
    world = a_cluster(1)
    assert world.node.office_epoch == 0
    while world.node.phase is not Phase.LOADING:
        assert world.step()
    assert world.node.state is None
    assert world.node.office_epoch == 1
    assert taken(world).epoch == world.node.office_epoch == 1


def errors(world: World) -> list[tuple[str, str]]:
    return [(n.kind, n.text) for n in world.journal if n.severity is Severity.ERROR]


@pytest.mark.req("R455-78")
@pytest.mark.parametrize(
    ("fields", "moving"),
    [
        ({"version": 1}, False),
        ({"version": 2, "adding_replicas": {}, "removing_replicas": {}}, False),
        ({"version": 3, "topic_id": "XznsFBQYTf-jLeBtIN61JQ", **MOVING}, True),
        ({"version": 2, **MOVING}, True),
        ({"version": 2, "addingReplicas": {"0": [4]}, "removingReplicas": {"0": [1]}}, True),
        ({"version": 2, "adding_replicas": {"1": [4]}, "removing_replicas": {}}, False),
    ],
)
def test_every_form_of_a_topic_is_read(fields: dict[str, object], moving: bool) -> None:
    world = a_cluster(1, 2, 3, 4)
    replicas = [4, 3, 2, 1] if moving else [1, 2, 3]
    put_topic(world, "t", partitions={"0": replicas}, **fields)
    put_state(world, T, 1, [1, 2, 3])
    state = taken(world)
    assert [name for name, _ in state.moving()] == ([T] if moving else [])
    assert state.topics["t"].partitions[0].assignment.replicas == tuple(replicas)
    assert (state.topics["t"].topic_id is not None) == ("topic_id" in fields)
    assert not errors(world)


@pytest.mark.req("R455-79")
def test_unknown_keys_and_the_topic_id_survive_a_rewrite() -> None:
    world = a_cluster(1, 2, 3, 4)
    id_ = "XznsFBQYTf-jLeBtIN61JQ"
    put_topic(world, "t", version=3, partitions={"0": [1, 2]}, topic_id=id_, owner="me")
    put_state(world, T, 1, [1, 2])
    path = paths.state(*T)
    world.write(
        SetData(path, json.dumps({**world.data(path), "future": [1]}).encode(), ANY_VERSION)
    )
    taken(world)
    assert world.ask(AlterReassignment(T, (1, 3))) == (Done(),)
    assert world.data(paths.topic("t"))["owner"] == "me"
    assert world.data(paths.topic("t"))["topic_id"] == id_
    assert world.data(path)["future"] == [1]


def test_moving_partitions_are_told_and_finished() -> None:
    world = a_cluster(1, 2, 3, 4)
    put_topic(world, "t", version=2, partitions={"0": [4, 3, 2, 1]}, **MOVING)
    put_state(world, T, 1, [1, 2, 3])
    taken(world)
    (told,) = world.messages(LeaderAndIsrRequest, broker=4)
    (state,) = told.topic_states[0].partition_states
    assert (state.is_new, state.adding_replicas, state.leader_epoch) == (True, (4,), 4)
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 3, 2]}


def test_a_move_that_can_end_ends_as_soon_as_office_is_taken() -> None:
    world = a_cluster(1, 2, 3, 4)
    put_topic(world, "t", version=2, partitions={"0": [4, 3, 2, 1]}, **MOVING)
    put_state(world, T, 1, [1, 2, 3, 4])
    state = taken(world)
    assert state.topics["t"].partitions[0].assignment == Assignment((4, 3, 2))
    assert not list(state.moving())


def test_dead_leaders_are_replaced_and_new_partitions_led() -> None:
    world = a_cluster(2, 3)
    put_topic(world, "t", version=2, partitions={"0": [1, 2], "1": [3, 2], "2": [9]})
    put_state(world, T, 1, [1, 2])
    leaders = {n: part.leader for n, part in taken(world).topics["t"].partitions.items()}
    assert leaders == {0: 2, 1: 3, 2: -1}
    assert not world.exists(paths.state("t", 2))


@pytest.mark.req("R455-84")
def test_moves_cost_no_read_that_a_start_without_them_does_not_cost() -> None:
    counts = []
    for moving in (False, True):
        world = a_cluster(1, 2, 3, 4)
        lists = MOVING if moving else {}
        put_topic(world, "t", version=2, partitions={"0": [4, 3, 2, 1]}, **lists)
        put_state(world, T, 4, [4, 2])
        taken(world)
        counts.append([e.reads for e in world.effects if isinstance(e, ReadZnodes)])
    assert counts[0] == counts[1]


# --- what cannot be read ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"partitions":{"0":["1"]}}', b'{"partitions":{"0":[]}}', b"\xff"],
)
def test_an_unreadable_topic_is_set_aside_and_never_fatal(content: bytes) -> None:
    """N2: in Kafka one such znode is an endless loop of elections."""
    world = a_cluster(1, 2, 3)
    world.write(Create(paths.topic("bad"), content))
    put_topic(world, "t", version=2, partitions={"0": [1, 2]})
    state = taken(world)
    assert set(state.topics) == {"t"}
    assert state.topics["t"].partitions[0].leader == 1
    assert [kind for kind, _ in errors(world)] == ["unreadable"]
    assert paths.topic("bad") in errors(world)[0][1]
    refused = world.ask(AlterReassignment(TopicPartition("bad", 0), (1, 2)))[0]
    assert isinstance(refused, Refusal)
    assert world.zookeeper.tree.nodes[paths.topic("bad")].data == content
    assert not world.resigned


def test_an_unreadable_state_hurts_nobody_else_and_is_led_when_it_is_mended() -> None:
    world = a_cluster(1, 2, 3)
    put_topic(world, "t", version=2, partitions={"0": [1, 2], "1": [2, 3]})
    put_state(world, T, 1, [1, 2])
    world.write(SetData(paths.state(*T), b"{", ANY_VERSION))
    state = taken(world)
    assert state.topics["t"].partitions[0].leadership is None
    assert state.topics["t"].partitions[1].leader == 2
    assert [kind for kind, _ in errors(world)] == ["unreadable"]
    assert world.zookeeper.tree.nodes[paths.state(*T)].data == b"{"
    assert world.due == {}
    mended = {"leader": 9, "isr": [1], "leader_epoch": 4, "controller_epoch": 2, "version": 1}
    world.write(SetData(paths.state(*T), json.dumps(mended).encode(), ANY_VERSION))
    world.settle()
    assert world.node.state is not None
    assert world.node.state.topics["t"].partitions[0].leader == 1


@pytest.mark.parametrize("path", [paths.state(*T), paths.topic("t")])
def test_what_cannot_be_read_is_neither_moved_nor_cancelled_until_it_is_mended(path: str) -> None:
    world = with_topic()
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    sound = world.zookeeper.tree.nodes[path].data
    before = world.data(paths.topic("t"))
    world.write(SetData(path, b"{", ANY_VERSION))
    world.settle()
    world.effects.clear()
    world.unregister(1)
    for target in ((5, 2, 3), None):
        (refusal,) = world.ask(AlterReassignment(T, target))
        assert isinstance(refusal, Refusal)
        assert refusal.fault is Fault.UNKNOWN_SERVER_ERROR
        assert path in refusal.message
    assert not commits(world)
    assert world.due == {}
    world.write(SetData(path, sound, ANY_VERSION))
    world.settle()
    assert world.data(paths.topic("t")) == before
    assert world.node.state is not None
    assert world.node.state.unreadable == {}
    held = world.node.state.partition(T)
    assert held is not None
    assert held.leader == 2
    assert world.ask(AlterReassignment(T, None)) == (Done(),)


def test_an_unreadable_topic_is_there_until_it_is_deleted() -> None:
    world = with_topic()
    world.write(Create(paths.topic("bad"), b"{"))
    world.settle()
    event = CreateTopic("bad", 1, 1, {}, {}, 0, 0)
    (refusal,) = world.ask(event)
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.TOPIC_ALREADY_EXISTS
    assert world.zookeeper.tree.nodes[paths.topic("bad")].data == b"{"
    world.write(Delete(paths.topic("bad"), ANY_VERSION))
    world.settle()
    assert world.ask(event) == (TopicCreated(1, 1),)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("7", b"{"),
        ("seven", b"{}"),
        ("7", b'{"version":4,"endpoints":[],"listener_security_protocol_map":{}}'),
        ("7", b'{"version":4,"endpoints":["ODD://h:1"],"listener_security_protocol_map":{}}'),
    ],
)
def test_a_broken_registration_is_no_broker(name: str, content: bytes) -> None:
    world = a_cluster(1, 2)
    world.write(Create(f"{paths.BROKER_IDS}/{name}", content))
    assert set(taken(world).brokers) == {1, 2}
    assert [kind for kind, _ in errors(world)] == ["unreadable"]


def test_what_a_refused_commit_was_to_write_is_read_again_with_the_retry() -> None:
    world = with_topic()
    name = f"{paths.ISR_CHANGE_PREFIX}0000000000"
    world.write(Create(name, b'{"version":1,"partitions":[{"topic":"t","partition":0}]}'))
    while not commits(world):
        world.step()
    (call,) = world.store.outgoing
    world.store.outgoing.remove(call)
    world.post(CommitDone(world.store.session, call.request, Refused("NOAUTH")))
    world.settle()
    assert world.exists(name)
    assert len(commits(world)) == 1
    world.run_timer("retry")
    world.settle()
    assert not world.exists(name)


def test_a_broken_notification_is_deleted_with_the_others() -> None:
    world = a_cluster(1, 2, 3)
    put_topic(world, "t", version=2, partitions={"0": [1, 2]})
    put_state(world, T, 1, [1, 2])
    for n, content in enumerate(
        (b"{", b'{"version":1,"partitions":[{"topic":"t","partition":0}]}')
    ):
        world.write(Create(f"{paths.ISR_CHANGE_PREFIX}{n:010}", content))
    taken(world)
    assert not world.zookeeper.tree.nodes[paths.ISR_CHANGES].children
    assert [kind for kind, _ in errors(world)] == ["unreadable"]


def test_a_broken_commit_counter_is_written_over() -> None:
    world = a_cluster(1)
    world.write(Create("/klamm", None), Create(paths.KLAMM_COMMIT, b"{"))
    world.write(Create(f"{paths.ISR_CHANGE_PREFIX}0000000000", b'{"version":1,"partitions":[]}'))
    taken(world)
    assert world.data(paths.KLAMM_COMMIT)["counter"] == 1
    assert not world.zookeeper.tree.nodes[paths.ISR_CHANGES].children


def test_strange_children_of_a_topic_do_no_harm() -> None:
    world = a_cluster(1, 2)
    put_topic(world, "t", version=2, partitions={"0": [1, 2]})
    for name in ("", "/x", "/0", "/7"):
        world.write(Create(paths.partitions("t") + name, None))
    state = taken(world)
    assert state.topics["t"].partitions[0].leader == 1
    assert state.topics["t"].bare == frozenset({7})


# --- sizes and races -------------------------------------------------------------------------


def test_a_large_cluster_is_read_in_parts() -> None:
    world = a_cluster(1, 2)
    count = 2 * READ_CHUNK + 1
    put_topic(world, "t", version=2, partitions={str(n): [1, 2] for n in range(count)})
    for n in range(count):
        put_state(world, TopicPartition("t", n), 1, [1, 2])
    state = taken(world)
    assert [part.leader for part in state.topics["t"].partitions.values()] == [1] * count
    commits = [effect for effect in world.effects if isinstance(effect, Commit)]
    assert [commit.fence for commit in commits] == [None]


def test_a_connection_lost_between_the_parts_of_a_load() -> None:
    world = a_cluster(1, 2)
    count = READ_CHUNK + 1
    put_topic(world, "t", version=2, partitions={str(n): [1, 2] for n in range(count)})
    for n in range(count):
        put_state(world, TopicPartition("t", n), 1, [1, 2])
    while not any(isinstance(e, ReadZnodes) and len(e.reads) > READ_CHUNK for e in world.effects):
        world.step()
    world.zookeeper.serve(world.store)
    world.zookeeper.deliver(world.store)
    world.zookeeper.disconnect(world.store)
    assert len(taken(world).topics["t"].partitions) == count


def test_watches_are_armed_before_what_they_watch_is_read() -> None:
    world = a_cluster(1, 2, 3, 4)
    put_topic(world, "t", version=2, partitions={"0": [4, 3, 2, 1]}, **MOVING)
    put_state(world, T, 1, [1, 2, 3])
    taken(world)
    armed: dict[str, int] = {}
    read: dict[str, int] = {}
    for place, effect in enumerate(world.effects):
        if isinstance(effect, ArmWatch):
            armed.update((watch.path, place) for watch in effect.watches)
        if isinstance(effect, ReadZnodes):
            read.update((each.path, place) for each in effect.reads)
    assert {paths.TOPICS, paths.BROKER_IDS, paths.ISR_CHANGES} <= set(armed)
    for path in (paths.TOPICS, paths.BROKER_IDS, paths.ISR_CHANGES):
        assert armed[path] < read[path]


def test_a_move_that_somebody_else_wrote_into_a_topic_is_seen_and_finished() -> None:
    world = a_cluster(1, 2, 3, 4)
    put_topic(world, "t", version=2, partitions={"0": [1, 2, 3]})
    put_state(world, T, 1, [1, 2, 3])
    taken(world)
    moved = {"version": 2, "partitions": {"0": [4, 3, 2, 1]}, **MOVING}
    world.write(SetData(paths.topic("t"), json.dumps(moved).encode(), ANY_VERSION))
    world.settle()
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 3, 2]}


def test_a_topic_made_by_somebody_else_is_found_and_led() -> None:
    world = a_cluster(1, 2)
    taken(world)
    put_topic(world, "t", version=2, partitions={"0": [2, 1]})
    assert taken(world).topics["t"].partitions[0].leader == 2
    put_topic(world, "u", version=1, partitions={"0": [1]})
    assert taken(world).topics["u"].partitions[0].leader == 1


def test_a_topic_deleted_by_somebody_else_is_gone() -> None:
    world = a_cluster(1, 2)
    put_topic(world, "t", version=2, partitions={"0": [2, 1]})
    taken(world)
    for path in (
        paths.state(*T),
        paths.partition(*T),
        paths.partitions("t"),
        paths.topic("t"),
    ):
        world.write(Delete(path, ANY_VERSION))
    assert taken(world).topics == {}
    assert world.ask(CreateTopic("t", 1, 1, {}, {}, 0, 0)) == (TopicCreated(1, 1),)


def test_only_new_topics_are_read_when_the_list_changes() -> None:
    world = a_cluster(1)
    put_topic(world, "t", version=2, partitions={"0": [1]})
    taken(world)
    world.effects.clear()
    put_topic(world, "u", version=2, partitions={"0": [1]})
    taken(world)
    reads = {each.path for e in world.effects if isinstance(e, ReadZnodes) for each in e.reads}
    assert ReadData(paths.topic("t")).path not in reads
    assert paths.topic("u") in reads
