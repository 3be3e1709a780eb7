"""Deletes that former replicas owe are in ZooKeeper, whoever dies: /klamm/replica_deletions."""

from collections.abc import Callable
from functools import partial

import pytest
from node.moving import T, clear, commits, create, with_topic
from node.takeover import kill, take_over
from node.test_deletion import traces
from node.test_owed_deletes import bounce, debts
from node.test_topics_anyhow import Disks, deleted
from node_world import ENDPOINT, World, in_office

from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    CreatePartitions,
    CreateTopic,
    DeleteTopic,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.node import NodeConfig
from klamm.controller.znodes import paths
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest

DEBTS = paths.replica_deletions("t")
OLD, NEW = "2.4-IV0", "3.9"


def config(ibp: str) -> NodeConfig:
    return NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp))


def join(world: World, *isr: int) -> None:
    """Let the leader of T take these into the ISR."""
    ask_to_join(world, *isr)
    world.settle()


def ask_to_join(world: World, *isr: int) -> None:
    """What the leader of T does for that, as brokers of this version do it."""
    if not world.config.protocol.alter_partition:
        world.leader_writes_isr(T, isr)
        return
    state = world.node.state
    assert state is not None
    part = state.partition(T)
    assert part is not None
    held = part.leadership
    assert held is not None
    broker = state.brokers[held.leader]
    wish = AlterPartition(T, broker.id, broker.epoch, held.leader_epoch, held.version, isr)
    world.request(wish)


def owing(ibp: str = OLD) -> World:
    """T is moved from 1, 2, 3 to 4, 3, 2 while broker 1 is offline: it owes a delete."""
    world = with_topic(config(ibp))
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.unregister(1)
    world.settle()
    join(world, 2, 3, 4)
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 3, 2]}
    assert debts(world) == {T: {1}}
    world.sent.clear()
    return world


def deletes(world: World) -> list[int]:
    """The brokers that were told to delete, in whatever version of the request."""
    return [
        send.broker.id
        for send in world.sent
        if isinstance(send.message, StopReplicaRequest) and deleted(send.message)
    ]


# --- what is written, and when ---------------------------------------------------------------


def starts(world: World) -> None:
    """A new target without the one before drops what that one had added."""
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.effects.clear()
    world.ask(AlterReassignment(T, (5, 2, 3)))


def cancels(world: World) -> None:
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.effects.clear()
    world.ask(AlterReassignment(T, None))


def ends(world: World) -> None:
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.effects.clear()
    join(world, 1, 2, 3, 4)


@pytest.mark.parametrize("ibp", [OLD, NEW])
@pytest.mark.parametrize(("drop", "debtor"), [(starts, 4), (cancels, 4), (ends, 1)])
def test_who_is_dropped_owes_with_the_very_write(
    drop: Callable[[World], None], debtor: int, ibp: str
) -> None:
    world = with_topic(config(ibp))
    drop(world)
    (commit,) = [c for c in commits(world) if paths.topic("t") in {op.path for op in c.ops}]
    (write,) = [op for op in commit.ops if op.path == DEBTS]
    assert isinstance(write, Create)
    assert write.data == b'{"version":1,"partitions":{"0":[%d]}}' % debtor
    assert commit.fence is not None
    assert debts(world) == {T: {debtor}}
    clear(world)
    assert debts(world) == {}
    assert not world.exists(DEBTS)


def test_debts_that_were_paid_are_crossed_off_together() -> None:
    world = in_office()
    world.ask(CreateTopic("t", -1, -1, dict.fromkeys(range(20), (1, 2, 3)), {}, 0, 0))
    names = [TopicPartition("t", number) for number in range(20)]
    world.ask(*(AlterReassignment(name, (4, 2, 3)) for name in names))
    world.ask(*(AlterReassignment(name, None) for name in names))
    assert debts(world) == {name: {4} for name in names}
    assert world.due == {"debts": 1.0}
    world.effects.clear()
    clear(world)
    (commit,) = commits(world)
    assert [type(op) for op in commit.ops if op.path == DEBTS] == [Delete]
    assert debts(world) == {}
    assert world.due == {}


def test_a_broker_that_becomes_a_replica_again_owes_nothing_from_that_write_on() -> None:
    world = owing()
    world.register(1)
    world.silent = {1}
    world.settle()
    world.effects.clear()
    assert world.ask(AlterReassignment(T, (1, 4, 3, 2))) == (Done(),)
    (commit,) = commits(world)
    assert {op.path for op in commit.ops} == {paths.topic("t"), paths.state(*T), DEBTS}
    assert debts(world) == {}


# --- who dies ----------------------------------------------------------------------------------


@pytest.mark.req("R455-111")
@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_a_broker_deletes_once_however_many_controllers_die_before_it_returns(ibp: str) -> None:
    """E13: dropped, broker dead, controller dead, broker returns."""
    world = owing(ibp)
    take_over(world)
    take_over(world)
    assert debts(world) == {T: {1}}
    assert deletes(world) == []
    world.sent.clear()
    world.register(1)
    world.settle()
    assert deletes(world) == [1]
    kinds = [type(send.message).__name__ for send in world.sent if send.broker.id == 1]
    assert kinds[-1] == "StopReplicaRequest"
    clear(world)
    assert debts(world) == {}
    take_over(world)
    bounce(world)
    assert deletes(world) == [1]


def play(world: World, script: tuple[Callable[[World], object], ...], steps: int) -> bool:
    """Take the steps that the script needs, but so many at most; tell whether it has ended."""
    for post in script:
        post(world)
        while world.step():
            steps -= 1
            if not steps:
                return False
    return True


SCRIPTS = {
    "start": (
        lambda world: world.request(AlterReassignment(T, (4, 2, 3))),
        lambda world: world.request(AlterReassignment(T, (5, 2, 3))),
    ),
    "cancel": (
        lambda world: world.request(AlterReassignment(T, (4, 2, 3))),
        lambda world: world.request(AlterReassignment(T, None)),
    ),
    "end": (
        lambda world: world.request(AlterReassignment(T, (4, 2, 3))),
        lambda world: ask_to_join(world, 1, 2, 3, 4),
    ),
}


@pytest.mark.parametrize("ibp", [OLD, NEW])
@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_controller_that_is_killed_at_any_moment_leaves_no_log_behind(
    script: str, applied: bool, ibp: str
) -> None:
    """Between each write and what it has sent; what was on its way to ZooKeeper may get there."""
    for steps in range(1, 60):
        world = with_topic(config(ibp))
        disks = Disks()
        disks.logs = {(broker, T) for broker in (1, 2, 3)}
        world.on_send = partial(disks.take, ids=False)
        ended = play(world, SCRIPTS[script], steps)
        if applied:
            world.zookeeper.run()
        take_over(world)
        for timer in world.due:
            world.run_timer(timer)
            world.settle()
        assert world.node.state is not None
        part = world.node.state.partition(T)
        assert part is not None
        logs = {broker for broker, _ in disks.logs}
        assert logs == set(part.assignment.replicas), f"killed after {steps} steps"
        assert debts(world) == {}
        if ended:
            return
    raise AssertionError("the script never ends")


@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_the_next_controller_asks_the_leader_before_anybody_deletes(ibp: str) -> None:
    world = owing(ibp)
    world.register(1)
    world.zookeeper.run()
    kill(world)
    world.silent = {3}
    world.settle()
    assert deletes(world) == []
    world.silent = set()
    world.settle()
    assert deletes(world) == [1]


@pytest.mark.parametrize("failover", [False, True])
@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_a_debt_waits_for_whoever_leads_when_its_broker_returns(ibp: str, failover: bool) -> None:
    world = owing(ibp)
    world.silent = {4}
    world.unregister(3)
    world.settle()
    assert world.data(paths.state(*T))["leader"] == 4
    if failover:
        take_over(world)
    world.register(1)
    world.settle()
    assert deletes(world) == []
    world.silent = set()
    world.settle()
    assert deletes(world) == [1]


@pytest.mark.req("R455-112")
@pytest.mark.parametrize("failover", [False, True])
@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_a_replica_that_is_wanted_again_keeps_its_data(ibp: str, failover: bool) -> None:
    """Drop, broker dead, re-add, broker returns: StopReplica of version 1 has no epoch."""
    world = owing(ibp)
    if failover:
        take_over(world)
    # A target must be alive, so it comes for a moment, and hears nothing of its debt.
    world.silent = {1, 2, 3, 4}
    world.register(1)
    world.settle()
    request = world.request(AlterReassignment(T, (1, 4, 3, 2)))
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert debts(world) == {}
    world.unregister(1)
    world.settle()
    world.silent = set()
    world.sent.clear()
    if failover:
        take_over(world)
    world.register(1)
    world.settle()
    assert deletes(world) == []


# --- what is read -------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"{", b'{"version":1,"partitions":{"x":[1]}}', None])
def test_debts_that_cannot_be_read_end_no_failover(data: bytes | None) -> None:
    world = owing()
    kill(world)
    world.write(SetData(DEBTS, data, ANY_VERSION))
    world.settle()
    assert world.node.active
    assert [DEBTS in note.text for note in world.journal if note.kind == "unreadable"] == [True]
    # The next one that owes is written in its place.
    world.ask(AlterReassignment(T, (5, 3, 2)))
    assert world.ask(AlterReassignment(T, None)) == (Done(),)
    assert debts(world) == {T: {5}}


def test_while_nobody_can_say_who_is_a_replica_nobody_is_told_to_delete() -> None:
    world = owing()
    kill(world)
    good = world.zookeeper.tree.nodes[paths.topic("t")].data
    world.write(SetData(paths.topic("t"), b"{", ANY_VERSION))
    world.register(1)
    world.settle()
    bounce(world)
    assert world.node.active
    assert deletes(world) == []
    world.write(SetData(paths.topic("t"), good, ANY_VERSION))
    world.settle()
    assert deletes(world) == [1]


def test_a_partition_whose_state_cannot_be_read_waits_for_its_leader() -> None:
    world = owing()
    kill(world)
    good = world.zookeeper.tree.nodes[paths.state(*T)].data
    world.write(SetData(paths.state(*T), b"{", ANY_VERSION))
    world.register(1)
    world.settle()
    assert deletes(world) == []
    world.write(SetData(paths.state(*T), good, ANY_VERSION))
    world.settle()
    assert deletes(world) == [1]


def test_a_topic_that_others_removed_leaves_logs_that_are_deleted() -> None:
    """No controller finishes that deletion, and no leader is left to ask."""
    world = owing()
    gone = (paths.state(*T), paths.partition(*T), paths.partitions("t"), paths.topic("t"))
    world.write(*(Delete(path, ANY_VERSION) for path in gone))
    world.settle()
    take_over(world)
    world.register(1)
    world.settle()
    assert deletes(world) == [1]
    clear(world)
    assert debts(world) == {}


@pytest.mark.parametrize("failover", [False, True])
def test_a_debt_that_an_operator_remits_is_not_asked_for(failover: bool) -> None:
    world = owing()
    world.write(Delete(DEBTS, ANY_VERSION))
    world.settle()
    assert debts(world) == {}
    if failover:
        take_over(world)
    world.register(1)
    world.settle()
    assert deletes(world) == []


def test_a_debt_that_is_remitted_before_the_leader_answers_is_not_asked_for() -> None:
    world = with_topic()
    world.silent = {1}
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.ask(AlterReassignment(T, None))
    assert debts(world) == {T: {4}}
    world.write(Delete(DEBTS, ANY_VERSION))
    world.settle()
    world.silent = set()
    world.settle()
    assert deletes(world) == []


def test_a_debt_that_was_remitted_while_the_connection_was_lost_is_none() -> None:
    world = owing()
    world.zookeeper.cut(world.store)
    world.settle()
    world.write(Delete(DEBTS, ANY_VERSION))
    world.zookeeper.heal(world.store)
    world.settle()
    assert debts(world) == {}
    world.register(1)
    world.settle()
    assert deletes(world) == []


@pytest.mark.parametrize("rogue", [Delete(DEBTS, ANY_VERSION), SetData(DEBTS, b"{}", ANY_VERSION)])
def test_whoever_meddles_with_debts_holds_up_no_move(rogue: Delete | SetData) -> None:
    world = owing()
    world.request(AlterReassignment(T, (5, 3, 2)))
    world.settle()
    request = world.request(AlterReassignment(T, None))
    for _ in range(20):
        world.step()
        if any(DEBTS in {op.path for op in commit.ops} for commit in commits(world)[-1:]):
            break
    else:
        raise AssertionError("the drop is never written")
    world.write(rogue)
    world.settle()
    assert world.replies[request] == [(Done(),)]
    # What was removed is remitted; what was made unreadable is not.
    assert debts(world) == {T: {5} if isinstance(rogue, Delete) else {1, 5}}
    assert deletes(world) == [5]


def test_a_znode_below_the_debts_keeps_neither_them_nor_the_topic() -> None:
    world = owing()
    world.write(Create(f"{DEBTS}/x", None))
    world.register(1)
    world.settle()
    clear(world)
    for _ in range(3):
        if "retry" in world.due:
            world.run_timer("retry")
            world.settle()
    assert debts(world) == {}
    assert world.ask(DeleteTopic("t")) == (Done(),)
    assert not world.exists(DEBTS)


# --- topics that are deleted, or made anew ---------------------------------------------------


@pytest.mark.req("R455-111")
@pytest.mark.parametrize("failover", [False, True])
@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_a_topic_is_deleted_when_its_debtors_have_deleted_too(ibp: str, failover: bool) -> None:
    world = owing(ibp)
    assert world.ask(DeleteTopic("t")) == (Done(),)
    assert {*deletes(world)} == {2, 3, 4}
    if failover:
        take_over(world)
    assert world.exists(paths.topic("t"))
    again = world.ask(create())[0]
    assert isinstance(again, Refusal)
    assert again.fault is Fault.TOPIC_ALREADY_EXISTS
    world.sent.clear()
    world.register(1)
    world.settle()
    assert deletes(world) == [1]
    assert not world.exists(paths.topic("t"))
    assert not world.exists(DEBTS)
    assert debts(world) == {}


@pytest.mark.req("R455-95")
@pytest.mark.parametrize("failover", [False, True])
@pytest.mark.parametrize("ibp", [OLD, NEW])
def test_a_topic_grows_and_goes_after_its_move_whoever_is_controller(
    ibp: str, failover: bool
) -> None:
    """E11: neither the move nor the new partitions are lost."""
    world = with_topic(config(ibp))
    world.ask(AlterReassignment(T, (4, 3, 2)))
    if failover:
        take_over(world)
    refused = world.ask(CreatePartitions("t", 2, ((5, 3, 2),)))[0]
    assert refused == Refusal(
        Fault.REASSIGNMENT_IN_PROGRESS,
        "A partition reassignment is in progress for the topic 't'.",
    )
    assert world.data(paths.topic("t"))["adding_replicas"] == {"0": [4]}
    deletion = world.request(DeleteTopic("t"))
    world.settle()
    assert deletion not in world.replies
    world.write(Delete(paths.delete_topic("t"), ANY_VERSION))
    world.settle()
    if failover:
        take_over(world)
    join(world, 1, 2, 3, 4)
    grown = world.ask(CreatePartitions("t", 2, ((5, 3, 2),)))[0]
    assert not isinstance(grown, Refusal)
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 3, 2], "1": [5, 3, 2]}
    world.request(AlterReassignment(T, (1, 3, 2)))
    world.request(DeleteTopic("t"))
    world.settle()
    assert world.exists(paths.topic("t"))
    if failover:
        take_over(world)
    join(world, 4, 3, 2, 1)
    assert not world.exists(paths.topic("t"))


@pytest.mark.parametrize("ibp", [OLD, NEW])
@pytest.mark.parametrize("broker", [1, 4])
def test_a_broker_that_bounces_with_the_controller_has_restarted(ibp: str, broker: int) -> None:
    """F05, F34, F40: the same id in a new epoch; nobody knows what it held, and no move is lost."""
    world = with_topic(config(ibp))
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.unregister(broker)
    kill(world)
    world.register(broker)
    world.settle()
    assert world.node.active
    assert world.data(paths.topic("t"))["adding_replicas"] == {"0": [4]}
    state = world.node.state
    assert state is not None
    told = [send for send in world.sent if send.broker.id == broker]
    assert told[-1].broker.epoch == state.brokers[broker].epoch
    join(world, 1, 2, 3, 4)
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 3, 2]}
    assert deletes(world) == [1]


@pytest.mark.parametrize("ibp", [OLD, NEW])
@pytest.mark.parametrize("applied", [True, False])
def test_a_controller_that_is_killed_while_it_deletes_a_topic_leaves_nothing(
    applied: bool, ibp: str
) -> None:
    """E10, F51: its moves, its debts and what is left of its znodes go with it."""
    for steps in range(1, 60):
        world = owing(ibp)
        world.ask(AlterReassignment(T, (5, 3, 2)))
        world.register(1)
        disks = Disks()
        disks.logs = {(broker, T) for broker in (1, 2, 3, 4, 5)}
        world.on_send = partial(disks.take, ids=False)
        script = (
            lambda world: world.request(DeleteTopic("t")),
            lambda world: world.request(AlterReassignment(T, None)),
        )
        ended = play(world, script, steps)
        if applied:
            world.zookeeper.run()
        take_over(world)
        if not world.exists(paths.delete_topic("t")) and world.exists(paths.topic("t")):
            world.request(DeleteTopic("t"))  # the wish never got through
        world.settle()
        state = world.node.state
        assert state is not None
        if list(state.moving()):
            world.ask(AlterReassignment(T, None))
        assert traces(world) == [], f"killed after {steps} steps"
        assert debts(world) == {}
        assert disks.logs == set()
        if ended:
            return
    raise AssertionError("the script never ends")


def test_a_topic_that_is_removed_by_others_ends_its_moves() -> None:
    """F50."""
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    gone = (paths.state(*T), paths.partition(*T), paths.partitions("t"), paths.topic("t"))
    world.write(*(Delete(path, ANY_VERSION) for path in gone))
    world.settle()
    for _ in range(2):
        state = world.node.state
        assert state is not None
        assert not list(state.moving())
        bounce(world, 4)
        take_over(world)


@pytest.mark.parametrize("failover", [False, True])
def test_a_topic_that_is_being_deleted_does_not_grow(failover: bool) -> None:
    """F52: nor is it moved, whoever is controller."""
    world = owing()
    assert world.ask(DeleteTopic("t")) == (Done(),)
    if failover:
        take_over(world)
    before = world.data(paths.topic("t"))
    wishes = (CreatePartitions("t", 2, ((5, 3, 2),)), AlterReassignment(T, (5, 3, 2)))
    faults = [each.fault for each in world.ask(*wishes) if isinstance(each, Refusal)]
    assert faults == [Fault.INVALID_TOPIC_EXCEPTION, Fault.UNKNOWN_TOPIC_OR_PARTITION]
    assert world.data(paths.topic("t")) == before


@pytest.mark.parametrize("failover", [False, True])
def test_a_debtor_that_returns_does_not_let_a_deletion_overtake_a_move(failover: bool) -> None:
    """N14."""
    world = owing()
    world.ask(AlterReassignment(T, (5, 3, 2)))
    world.request(DeleteTopic("t"))
    world.settle()
    if failover:
        take_over(world)
    world.register(1)
    world.settle()
    assert deletes(world) == [1]
    assert world.data(paths.topic("t"))["adding_replicas"] == {"0": [5]}
    join(world, 2, 3, 5)
    assert not world.exists(paths.topic("t"))
