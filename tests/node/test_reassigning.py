"""Moves from request to end, with what ZooKeeper holds and brokers hear on the way."""

import pytest
from node.moving import T, U, commits, create, leads, lists, stops, with_topic
from node.test_leaders_ask import wish
from node_world import ENDPOINT, in_office

from klamm.controller.core.events import AlterReassignment, CreateTopic
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import Done, Fault, Refusal, TopicCreated
from klamm.controller.core.rules import KIP_455
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Commit, Journal, ReadZnodes, Reply, Send, Severity
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrRequest,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest

# --- creating --------------------------------------------------------------------------------


def test_a_created_topic_has_configs_leaders_and_is_known_to_everybody() -> None:
    world = in_office()
    event = CreateTopic("t", -1, -1, {0: (1, 2)}, {"retention.ms": "1"}, 0, 0)
    world.sent.clear()
    assert world.ask(event) == (TopicCreated(1, 2),)
    assert world.data("/config/topics/t")["config"] == {"retention.ms": "1"}
    assert lists(world) == ({"0": [1, 2]}, {}, {})
    assert world.data(paths.state(*T))["isr"] == [1, 2]
    for broker in (1, 2):
        (lead,) = leads(world, broker)
        assert (lead.is_new, lead.leader, lead.leader_epoch) == (True, 1, 0)
    assert not leads(world, 3)
    for broker in range(1, 6):
        (notice,) = world.messages(UpdateMetadataRequest, broker)
        assert notice.topic_states[0].topic_name == "t"


def test_counts_left_open_take_the_node_s_defaults() -> None:
    config = NodeConfig(900, (ENDPOINT,), default_partitions=3, default_replication_factor=2)
    world = in_office(config=config)
    assert world.ask(CreateTopic("t", -1, -1, {}, {}, 0, 0)) == (TopicCreated(3, 2),)


def test_configs_left_behind_by_a_deletion_are_replaced() -> None:
    world = in_office()
    world.write(Create("/config/topics/t", b'{"version":1,"config":{"old":"1"}}'))
    assert world.ask(create()) == (TopicCreated(1, 3),)
    assert world.data("/config/topics/t")["config"] == {}


def test_a_topic_that_somebody_else_creates_in_the_same_moment() -> None:
    world = in_office()
    request = world.request(create((1, 2, 3)))
    world.feed()
    world.write(Create(paths.topic("t"), b'{"version":2,"partitions":{"0":[4,5]}}'))
    world.settle()
    (result,) = world.replies[request][0]
    assert isinstance(result, Refusal)
    assert result.fault is Fault.TOPIC_ALREADY_EXISTS
    assert world.data(paths.state(*T))["leader"] == 4
    assert not world.exists("/config/topics/t")


# --- the life of a move ----------------------------------------------------------------------


@pytest.mark.req("R455-85", "R455-90")
def test_the_znodes_and_requests_of_the_sample_run() -> None:
    world = with_topic()
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    assert lists(world) == ({"0": [4, 3, 2, 1]}, {"0": [4]}, {"0": [1]})
    (started,) = commits(world)
    assert {op.path for op in started.ops} == {paths.topic("t"), paths.state(*T)}
    assert started.fence is not None
    assert started.fence.path == paths.CONTROLLER_EPOCH
    for broker in (1, 2, 3, 4):
        (lead,) = leads(world, broker)
        assert (lead.replicas, lead.adding_replicas) == ((4, 3, 2, 1), (4,))
        assert (lead.removing_replicas, lead.is_new) == ((1,), broker == 4)
        assert (lead.leader, lead.leader_epoch) == (1, 1)
    assert not stops(world)
    world.sent.clear()
    world.effects.clear()
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})
    state = world.data(paths.state(*T))
    assert (state["leader"], state["leader_epoch"], state["isr"]) == (4, 2, [2, 3, 4])
    (ended,) = commits(world)
    debts = paths.replica_deletions("t")
    assert {op.path for op in ended.ops} == {paths.topic("t"), paths.state(*T), debts}
    assert not leads(world, 1)
    assert [lead.leader for broker in (2, 3, 4) for lead in leads(world, broker)] == [4, 4, 4]
    assert stops(world) == [(1, False), (1, True)]
    assert world.zookeeper.tree.nodes[paths.topic("t")].version == 2


@pytest.mark.req("R455-92")
@pytest.mark.parametrize("ibp", ["2.4-IV0", "3.9"])
def test_an_end_is_written_then_noted_then_told_in_order(ibp: str) -> None:
    world = with_topic(NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp)))
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    world.effects.clear()
    world.sent.clear()
    if world.config.protocol.alter_partition:
        world.request(wish(world, 1, 2, 3, 4))
    else:
        world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    written = [
        place
        for place, effect in enumerate(world.effects)
        if isinstance(effect, Commit)
        and {op.path for op in effect.ops} >= {paths.topic("t"), paths.state(*T)}
    ]
    (noted,) = [
        place
        for place, effect in enumerate(world.effects)
        if isinstance(effect, Journal) and effect.kind == "end"
    ]
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})
    state = world.data(paths.state(*T))
    assert (state["leader"], state["isr"]) == (4, [2, 3, 4])
    assert written[-1] < noted
    # What was sent before is about the ISR that the leader asked for.
    assert not [effect for effect in world.effects[:noted] if is_stop(effect)]
    told: dict[int, list[type]] = {}
    for effect in world.effects[noted:]:
        if isinstance(effect, Send):
            told.setdefault(effect.broker.id, []).append(type(effect.message))
    assert told[4] == told[3] == told[2] == [LeaderAndIsrRequest, UpdateMetadataRequest]
    assert told[1] == [UpdateMetadataRequest, StopReplicaRequest, StopReplicaRequest]
    assert told[5] == [UpdateMetadataRequest]
    deletes = [
        message.delete_partitions
        or any(part.delete_partition for t in message.topic_states for part in t.partition_states)
        for message in world.messages(StopReplicaRequest)
    ]
    assert deletes == [False, True]


@pytest.mark.req("R455-92")
def test_nobody_deletes_before_the_new_leader_has_answered() -> None:
    world = with_topic()
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    world.silent = {4}
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})
    assert stops(world) == [(1, False)]
    world.silent = set()
    world.settle()
    assert stops(world) == [(1, False), (1, True)]


def is_stop(effect: object) -> bool:
    return isinstance(effect, Send) and isinstance(effect.message, StopReplicaRequest)


@pytest.mark.req("R455-85")
def test_memory_replies_and_requests_follow_the_write() -> None:
    world = with_topic()
    world.request(AlterReassignment(T, (4, 3, 2)))
    world.step()  # the state is read before it is written
    world.step()
    assert commits(world)
    assert not [e for e in world.effects if isinstance(e, Reply | Send)]
    assert world.node.state is not None
    assert not list(world.node.state.moving())
    world.step()
    assert [e for e in world.effects if isinstance(e, Reply)]
    assert world.messages(LeaderAndIsrRequest)
    assert list(world.node.state.moving())


@pytest.mark.req("R455-25")
@pytest.mark.parametrize("rules", [None, KIP_455])
def test_the_running_target_again_writes_and_sends_nothing(rules: object) -> None:
    config = NodeConfig(900, (ENDPOINT,), rules=KIP_455) if rules else None
    world = with_topic(config)
    world.ask(AlterReassignment(T, (4, 3, 2)))
    before = dict(world.zookeeper.tree.nodes)
    zxid = world.zookeeper.tree.zxid
    world.effects.clear()
    world.sent.clear()
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    assert world.ask(AlterReassignment(T, (4, 3, 2)), AlterReassignment(T, (4, 3, 2)))
    assert (world.zookeeper.tree.nodes, world.zookeeper.tree.zxid) == (before, zxid)
    assert not commits(world)
    assert not world.sent


@pytest.mark.req("R455-26")
@pytest.mark.parametrize("target", [(1, 2, 3), (3, 1, 2)])
def test_the_same_members_end_at_once_and_never_move(target: tuple[int, ...]) -> None:
    world = with_topic()
    assert world.ask(AlterReassignment(T, target)) == (Done(),)
    assert world.node.state is not None
    assert not list(world.node.state.moving())
    assert lists(world) == ({"0": list(target)}, {}, {})
    assert world.data(paths.state(*T))["leader"] == 1
    assert not stops(world)
    assert len(commits(world)) == (target != (1, 2, 3))


@pytest.mark.req("R455-93")
def test_a_replaced_target() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 5, 3)))
    world.sent.clear()
    world.ask(AlterReassignment(T, (5, 2, 3)))
    assert lists(world) == ({"0": [5, 2, 3, 1]}, {"0": [5]}, {"0": [1]})
    assert stops(world) == [(4, False), (4, True)]
    assert [lead.is_new for lead in leads(world, 5)] == [True]


def test_a_cancel_deletes_what_was_added() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.sent.clear()
    assert world.ask(AlterReassignment(T, None)) == (Done(),)
    assert lists(world) == ({"0": [2, 3, 1]}, {}, {})
    assert stops(world) == [(4, False), (4, True)]
    for broker in (1, 2, 3):
        (lead,) = leads(world, broker)
        assert (lead.leader_epoch, lead.adding_replicas, lead.is_new) == (2, (), False)
    again = world.ask(AlterReassignment(T, None))[0]
    assert isinstance(again, Refusal)
    assert again.fault is Fault.NO_REASSIGNMENT_IN_PROGRESS


def test_two_requests_on_one_partition_in_one_turn() -> None:
    world = with_topic()
    first = world.request(AlterReassignment(T, (4, 2, 3)))
    second = world.request(AlterReassignment(T, (5, 2, 3)), AlterReassignment(U, (1,)))
    world.settle()
    (commit,) = commits(world)
    assert len(commit.ops) == 2
    assert world.replies[first] == [(Done(),)]
    (results,) = world.replies[second]
    assert results[0] == Done()
    assert isinstance(results[1], Refusal)
    started = [note for note in world.journal if note.kind in ("accept", "supersede")]
    assert len(started) == 2
    assert lists(world)[1] == {"0": [5]}


@pytest.mark.req("R455-82")
def test_a_thousand_partitions_are_one_write_of_the_topic() -> None:
    world = with_topic(partitions=1_000)
    events = [AlterReassignment(TopicPartition("t", n), (4, 2, 3)) for n in range(1_000)]
    assert world.ask(*events) == (Done(),) * 1_000
    (commit,) = commits(world)
    assert [op.path for op in commit.ops].count(paths.topic("t")) == 1
    assert len(world.messages(LeaderAndIsrRequest, 4)) == 2  # 500 new replicas each
    assert len(world.messages(LeaderAndIsrRequest, 3)) == 1


def test_a_cluster_in_which_something_always_changes_still_decides() -> None:
    world = with_topic()
    request = world.request(AlterReassignment(T, (4, 3, 2)))
    for n in range(12):
        (world.unregister if n % 2 else world.register)(6)
        world.step()
    assert world.replies[request] == [(Done(),)]


def test_a_move_of_a_topic_that_nobody_ever_led_ends() -> None:
    world = in_office()
    world.ask(create((8, 9)))
    assert not world.exists(paths.state(*T))
    assert world.ask(AlterReassignment(T, (1, 2))) == (Done(),)
    assert lists(world) == ({"0": [1, 2]}, {}, {})
    assert world.data(paths.state(*T))["isr"] == [1, 2]


# --- deletes ---------------------------------------------------------------------------------


def test_a_dropped_replica_deletes_only_after_the_leader_answered() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.silent = {4}
    world.sent.clear()
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert lists(world)[0] == {"0": [4, 3, 2]}
    assert stops(world) == [(1, False)]
    world.silent = set()
    world.settle()
    assert stops(world) == [(1, False), (1, True)]


def test_a_replica_that_is_wanted_again_is_never_told_to_delete() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.silent = {4}
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    world.ask(AlterReassignment(T, (1, 3, 2)))
    world.silent = set()
    world.settle()
    assert (1, True) not in stops(world)
    assert [lead.is_new for lead in leads(world, 1)][-1] is True


def test_a_topic_that_comes_back_is_never_told_to_delete_what_it_was() -> None:
    """The delete waits behind a request that broker 4 does not answer."""
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.silent = {4}
    world.ask(AlterReassignment(T, None))
    for path in (paths.state(*T), paths.partition(*T), paths.partitions("t"), paths.topic("t")):
        world.write(Delete(path, ANY_VERSION))
    world.settle()
    state = b'{"controller_epoch":1,"leader":4,"version":1,"leader_epoch":0,"isr":[4,2]}'
    world.write(
        Create(paths.topic("t"), b'{"version":2,"partitions":{"0":[4,2]}}'),
        Create(paths.partitions("t"), None),
        Create(paths.partition(*T), None),
        Create(paths.state(*T), state),
    )
    world.settle()
    world.sent.clear()
    world.silent = set()
    world.settle()
    assert not stops(world)
    (lead,) = leads(world, 4)
    assert (lead.leader, lead.leader_epoch, lead.replicas) == (4, 1, (4, 2))


def test_a_leader_that_dies_before_it_answers_hands_the_wait_on() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.silent = {4}
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert (1, True) not in stops(world)
    world.unregister(4)
    world.settle()
    assert world.data(paths.state(*T))["leader"] == 3
    assert stops(world)[-1] == (1, True)


# --- brokers that tell by AlterPartition -----------------------------------------------------


@pytest.mark.parametrize("protocol", ["2.8", "3.9"])
def test_from_ibp_2_8_on_nobody_writes_behind_our_back(protocol: str) -> None:
    world = with_topic(NodeConfig(900, (ENDPOINT,), protocol=by_name(protocol)))
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    assert world.data(paths.topic("t"))["version"] == 3
    assert not [e for e in world.effects if isinstance(e, ReadZnodes)]
    versions = {type(send.message): send.version for send in world.sent}
    ibp = by_name(protocol)
    assert versions == {
        LeaderAndIsrRequest: ibp.leader_and_isr,
        UpdateMetadataRequest: ibp.update_metadata,
    }


def test_below_it_every_state_is_read_before_it_is_written() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    state = paths.state(*T)
    order = [
        type(effect)
        for effect in world.effects
        if (isinstance(effect, ReadZnodes) and state in [r.path for r in effect.reads])
        or isinstance(effect, Commit)
    ]
    assert order == [ReadZnodes, Commit]


def test_an_isr_that_changed_unseen_is_found_before_the_write() -> None:
    world = with_topic()
    world.leader_writes_isr(T, [1, 2])
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    assert len(commits(world)) == 1
    assert world.data(paths.state(*T))["isr"] == [1, 2]


def test_notifications_are_read_and_deleted() -> None:
    world = with_topic()
    world.leader_writes_isr(T, [1, 2])
    name = f"{paths.ISR_CHANGE_PREFIX}0000000000"
    world.write(Create(name, b'{"version":1,"partitions":[{"topic":"t","partition":0}]}'))
    world.settle()
    assert not world.exists(name)
    assert world.node.state is not None
    part = world.node.state.partition(T)
    assert part is not None
    assert part.leadership is not None
    assert part.leadership.isr == (1, 2)
    (notice,) = world.messages(UpdateMetadataRequest, 5)
    assert notice.topic_states[0].partition_states[0].isr == (1, 2)


def test_notifications_that_somebody_else_deletes_are_no_endless_trouble() -> None:
    world = with_topic()
    name = f"{paths.ISR_CHANGE_PREFIX}0000000000"
    world.write(Create(name, b'{"version":1,"partitions":[]}'))
    while not commits(world):
        world.step()
    world.write(Delete(name, ANY_VERSION))
    world.settle()
    assert world.due == {"retry": 1.0}
    world.effects.clear()
    world.run_timer("retry")
    world.settle()
    assert not commits(world)
    assert world.due == {}
    assert not [note for note in world.journal if note.severity is Severity.ERROR]


def test_an_alteration_by_somebody_else_is_taken_over_and_ended() -> None:
    world = with_topic(partitions=2)
    moved = (
        b'{"version":2,"partitions":{"0":[4,1,2,3],"1":[1,2,3]},'
        b'"adding_replicas":{"0":[4]},"removing_replicas":{"0":[1]}}'
    )
    world.write(SetData(paths.topic("t"), moved, ANY_VERSION))
    # Seen at the next write of that topic.
    assert world.ask(AlterReassignment(U, (5, 2, 3))) == (Done(),)
    assert lists(world)[1] == {"0": [4], "1": [5]}
    assert [lead.is_new for lead in leads(world, 4)] == [True]
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert lists(world)[0] == {"0": [4, 2, 3], "1": [5, 2, 3, 1]}
