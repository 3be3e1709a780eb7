"""How followers catch up, join the ISR and fall out of it, and how a leader publishes that."""

import copy

import pytest
from brokers.world import SIZE, T, World, codes, leader_and_isr, order, stop_replica

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete, Op, SetData
from klamm.controller.node.effects import Update
from klamm.controller.znodes import StateZnode, encode_state, paths
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.settings import Times

U = TopicPartition("t", 1)
STATE = paths.state(*T)


def moving(bandwidth: float = SIZE, times: Times | None = None) -> World:
    """Brokers 1, 2, 3 with T on 1 and 2; 3 has just been added and copies for one second."""
    world = World(1, 2, 3, bandwidth=bandwidth, times=times or Times())
    world.create((1, 2))
    world.reorder((1, 2, 3), adding=(3,))
    return world


def leader(world: World) -> BrokerModel:
    return world.cluster.brokers[1]


# --- catching up ---------------------------------------------------------------------------------


def test_an_added_replica_copies_and_then_enters_the_isr() -> None:
    world = moving()
    assert world.cluster.logs(3)[T].end == 0
    world.advance(0.5)
    assert world.cluster.logs(3)[T].end == SIZE / 2
    assert world.state()[0].isr == (1, 2)
    world.advance(0.5)
    assert world.cluster.logs(3)[T].end == SIZE
    state, version = world.state()
    assert state.isr == (1, 2, 3)
    assert (state.leader, state.leader_epoch, state.controller_epoch) == (1, 1, 1)
    assert version == 2
    assert leader(world).replicas[T].partition_epoch == 2


def test_a_broker_shares_its_bandwidth_among_what_it_copies() -> None:
    world = World(1, 2, 3)
    for number in (0, 1):
        world.create((1,), number=number)
    world.reorder((1, 2, 3))
    world.ask(1, leader_and_isr(order(1, 1, (1,), (1, 2), partition=1)))
    world.ask(2, leader_and_isr(order(1, 1, (1,), (1, 2), partition=1)))
    world.advance(1.0)
    assert world.cluster.logs(3)[T].end == SIZE
    assert world.cluster.logs(2)[T].end == world.cluster.logs(2)[U].end == SIZE / 2
    world.advance(1.0)
    assert world.cluster.logs(2)[T].end == world.cluster.logs(2)[U].end == SIZE


def test_what_a_faster_copy_leaves_goes_to_the_others() -> None:
    world = World(1, 2)
    world.create((1,), number=0)
    world.create((1,), number=1)
    world.reorder((1, 2))
    world.advance(0.5)
    for broker in (1, 2):
        world.ask(broker, leader_and_isr(order(1, 1, (1,), (1, 2), partition=1)))
    world.advance(1.0)
    assert (world.cluster.logs(2)[T].end, world.cluster.logs(2)[U].end) == (SIZE, SIZE / 2)
    assert world.cluster.deadline == pytest.approx(2.0)
    world.advance(0.5)
    assert world.cluster.logs(2)[U].end == SIZE


def test_a_follower_gets_nothing_before_its_leader_has_the_epoch() -> None:
    world = World(1, 2, 3)
    world.create((1, 2))
    world.reorder((1, 2, 3), to=(3,))
    world.advance(5.0)
    assert world.cluster.logs(3)[T].end == 0
    state = order(1, 1, (1, 2), (1, 2, 3), partition_epoch=1)
    world.ask(1, leader_and_isr(state))
    world.advance(1.0)
    assert world.state()[0].isr == (1, 2, 3)


def test_a_follower_gets_nothing_if_the_leader_does_not_count_it_a_replica() -> None:
    world = World(1, 2, 3)
    world.create((1, 2))
    world.ask(3, leader_and_isr(order(1, 0, (1, 2), (1, 2, 3))))
    world.advance(5.0)
    assert world.cluster.logs(3)[T].end == 0


def test_a_longer_log_is_cut_to_the_leaders_end() -> None:
    world = World(1, 2)
    world.create((1,))
    world.ask(2, leader_and_isr(order(2, 0, (2,), (2,), is_new=True)))
    log = world.cluster.brokers[2].disks.logs[T]
    log.end, log.high_watermark = 3 * SIZE, 2 * SIZE
    world.reorder((1, 2))
    assert (log.end, log.high_watermark) == (SIZE, SIZE)
    assert world.state()[0].isr == (1, 2)


def test_a_stopped_replica_copies_no_more() -> None:
    world = moving()
    world.advance(0.5)
    world.ask(3, stop_replica((0, 1, False)))
    world.advance(5.0)
    assert world.cluster.logs(3)[T].end == SIZE / 2
    assert world.state()[0].isr == (1, 2)


def test_a_deleted_replica_leaves_no_log_and_starts_anew() -> None:
    world = moving()
    world.advance(0.5)
    world.ask(3, stop_replica((0, 1, True)))
    assert T not in world.cluster.logs(3)
    world.advance(0.5)
    world.reorder((1, 2, 3), adding=(3,))
    world.advance(0.9)
    assert world.state()[0].isr == (1, 2)
    world.advance(0.1)
    assert world.state()[0].isr == (1, 2, 3)


# --- expansion -----------------------------------------------------------------------------------


def test_an_unknown_broker_waits_for_the_leaders_metadata() -> None:
    world = moving()
    world.tell(1, 2)
    world.advance(5.0)
    assert world.cluster.logs(3)[T].end == SIZE
    assert world.state()[0].isr == (1, 2)
    world.tell(1, 2, 3)
    assert world.state()[0].isr == (1, 2, 3)


@pytest.mark.parametrize(
    ("end", "high_watermark", "epoch_start", "joins"),
    [
        pytest.param(9, 10, 5, False, id="below the high watermark"),
        pytest.param(9, 5, 10, False, id="below the epoch's start"),
        pytest.param(10, 10, 10, True, id="at both"),
    ],
)
def test_the_bar_is_the_high_watermark_and_the_epochs_start(
    end: int, high_watermark: int, epoch_start: int, joins: bool
) -> None:
    world = World(1, 2, 3)
    world.create((1, 2))
    world.reorder((1, 2, 3), to=(1,))
    replica = leader(world).replicas[T]
    replica.log.high_watermark, replica.epoch_start = high_watermark, epoch_start
    replica.followers[2].end = 0
    leader(world).fetched(world.now, T, 3, end, stays=False)
    assert (replica.pending is not None) is joins


def test_one_change_is_under_way_at_a_time() -> None:
    world = World(1, 2, 3, 4)
    world.create((1,))
    world.zookeeper.cut(world.stores[1])
    world.reorder((1, 2, 3, 4))
    world.advance(9.0)
    pending = leader(world).replicas[T].pending
    assert pending is not None
    assert pending.isr == (1, 2)
    world.zookeeper.heal(world.stores[1])
    world.settle()
    assert world.state()[0].isr == (1, 2, 3, 4)
    assert world.state()[1] == 4


def test_the_high_watermark_is_the_least_end_of_the_members_and_never_falls() -> None:
    world = moving()
    log = world.cluster.logs(1)[T]
    assert log.high_watermark == SIZE
    world.reorder((1, 2, 3), adding=(3,))
    assert log.high_watermark == SIZE
    world.advance(2.0)
    assert world.cluster.logs(3)[T].high_watermark == SIZE


def test_a_pending_member_holds_the_high_watermark_back_already() -> None:
    world = World(1, 2)
    world.create((1,))
    world.zookeeper.cut(world.stores[1])
    world.reorder((1, 2))
    world.advance(5.0)
    replica = leader(world).replicas[T]
    assert replica.pending is not None
    assert replica.log.high_watermark == SIZE
    replica.log.end = 2 * SIZE
    replica.followers[2].fetching = False
    replica.raise_high_watermark(1000.0, (1, 2), 30.0)
    assert replica.log.high_watermark == SIZE


# --- shrinking -----------------------------------------------------------------------------------


def test_a_member_that_lacks_data_leaves_after_one_to_one_and_a_half_limits() -> None:
    world = moving(bandwidth=1.0)
    world.reorder((1, 2, 3), isr=(1, 2, 3))
    world.advance(29.9)
    assert world.state()[0].isr == (1, 2, 3)
    world.advance(15.2)
    assert world.state()[0].isr == (1, 2)


def test_a_silent_member_stays_while_the_log_does_not_grow() -> None:
    world = World(1, 2)
    world.create((1, 2))
    world.kill(2)
    world.advance(100.0)
    assert world.state()[0].isr == (1, 2)
    world.cluster.brokers[1].disks.logs[T].end += 1
    world.advance(15.0)
    assert world.state()[0].isr == (1,)


def test_a_member_that_fetched_until_lately_stays_for_the_limit() -> None:
    world = World(1, 2)
    world.create((1, 2))
    world.advance(50.0)
    world.kill(2)
    world.cluster.brokers[1].disks.logs[T].end += 1
    world.advance(29.0)
    assert world.state()[0].isr == (1, 2)
    world.advance(16.0)
    assert world.state()[0].isr == (1,)


def test_being_caught_up_shows_at_the_fetch_after() -> None:
    world = World(1, 2)
    world.create((1, 2), isr=(1, 2))
    follower = leader(world).replicas[T].followers[2]
    leader(world).disks.logs[T].end = 100
    follower.fetching = False
    follower.fetched(10.0, 50, 100)
    assert follower.caught_up_at == 0.0
    follower.fetched(20.0, 100, 150)
    assert follower.caught_up_at == 10.0
    follower.fetched(30.0, 150, 150)
    assert follower.caught_up_at == 30.0


def test_a_member_that_is_no_replica_any_more_leaves() -> None:
    world = World(1, 2, 3)
    world.create((1, 2, 3))
    world.reorder((1, 2))
    assert world.state()[0].isr == (1, 2, 3)
    world.advance(15.0)
    assert world.state()[0].isr == (1, 2)


# --- publishing ----------------------------------------------------------------------------------


def test_the_state_is_written_with_the_epochs_of_the_last_order() -> None:
    world = World(1, 2)
    world.create((1,))
    world.reorder((1, 2), to=())
    state = order(1, 1, (1,), (1, 2), partition_epoch=1, controller_epoch=4)
    for broker in (1, 2):
        world.ask(broker, leader_and_isr(state, controller_epoch=6))
    world.advance(1.0)
    written, _ = world.state()
    assert (written.leader_epoch, written.controller_epoch, written.isr) == (1, 4, (1, 2))
    assert world.znode(STATE).data == (
        b'{"controller_epoch":4,"leader":1,"version":1,"leader_epoch":1,"isr":[1,2]}'
    )


@pytest.mark.parametrize(
    "rival",
    [
        pytest.param(
            (SetData(STATE, encode_state(StateZnode(1, 1, (1, 2), 1)), ANY_VERSION),), id="a writer"
        ),
        pytest.param((SetData(STATE, b"no JSON", ANY_VERSION),), id="a vandal"),
        pytest.param((Delete(STATE, ANY_VERSION),), id="a deletion"),
    ],
)
def test_a_lost_race_leaves_the_change_pending_and_is_not_tried_again(
    rival: tuple[Op, ...],
) -> None:
    world = moving()
    world.zookeeper.write(rival)
    world.advance(60.0)
    assert leader(world).replicas[T].pending is not None
    assert leader(world).replicas[T].isr == (1, 2)
    assert world.notices() == []
    tries = [call for _, call in world.effects if isinstance(call, Update)]
    assert sum(call.op.path == STATE for call in tries) == 1


def test_the_next_order_ends_what_a_lost_race_left() -> None:
    world = moving()
    world.interfere()
    world.advance(60.0)
    assert world.state()[0].isr == (1, 2)
    world.reorder((1, 2, 3), adding=(3,))
    world.advance(1.0)
    assert world.state()[0].isr == (1, 2, 3)


def test_a_write_that_was_applied_although_its_answer_was_lost_counts() -> None:
    world = moving()
    world.carry_out(world.cluster.advance(1.0))
    world.now = 1.0
    store = world.stores[1]
    world.zookeeper.serve(store)
    world.zookeeper.disconnect(store)
    world.settle()
    assert world.state()[0].isr == (1, 2, 3)
    assert leader(world).replicas[T].isr == (1, 2, 3)
    assert leader(world).replicas[T].partition_epoch == world.state()[1] == 2


def test_a_write_that_was_lost_is_made_again() -> None:
    world = moving()
    world.carry_out(world.cluster.advance(1.0))
    world.now = 1.0
    world.zookeeper.disconnect(world.stores[1])
    world.settle()
    assert world.state()[0].isr == (1, 2, 3)
    assert leader(world).replicas[T].partition_epoch == 2


def test_an_order_overtakes_a_change_that_is_on_its_way() -> None:
    world = moving()
    world.carry_out(world.cluster.advance(1.0))
    world.now = 1.0
    answered = codes(
        world.cluster.request(
            1.0, 1, leader_and_isr(order(1, 2, (1, 2), (1, 2, 3), partition_epoch=3)), 3
        )[0]
    )
    assert answered == [("t", 0, 0)]
    world.settle()
    replica = leader(world).replicas[T]
    assert (replica.isr, replica.partition_epoch, replica.pending) == ((1, 2), 3, None)


def test_changes_are_told_together_after_a_quiet_while() -> None:
    world = World(1, 2)
    for number in (0, 1):
        world.create((1,), number=number)
    world.reorder((1, 2))
    for broker in (1, 2):
        world.ask(broker, leader_and_isr(order(1, 1, (1,), (1, 2), partition=1)))
    world.advance(1.9)
    assert world.notices() == []
    world.advance(0.1)
    changed_at = world.now
    assert {T, U} == {name for name in (T, U) if leader(world).replicas[name].isr == (1, 2)}
    world.advance(7.4 - changed_at)
    assert world.notices() == []
    world.advance(0.2)
    assert world.notices() == [(T, U)]
    assert world.children(paths.ISR_CHANGES) == ("isr_change_0000000000",)
    world.advance(100.0)
    assert len(world.notices()) == 1


def test_changes_without_a_pause_are_told_after_the_longest_delay() -> None:
    world = World(1, 2, times=Times(notice_check=1.0, notice_linger=5.0, notice_longest=20.0))
    world.create((1,))
    while world.now < 19.5:
        world.reorder((1, 2), isr=(1,))
        world.advance(1.5)
    assert world.notices() == []
    world.advance(2.0)
    assert world.notices() == [(T,)]


def test_a_notice_held_back_by_a_lost_connection_is_made_later() -> None:
    world = moving()
    world.advance(2.0)
    world.zookeeper.cut(world.stores[1])
    world.advance(20.0)
    assert world.notices() == []
    world.zookeeper.heal(world.stores[1])
    world.settle()
    assert world.notices() == [(T,)]


# --- controls ------------------------------------------------------------------------------------


def test_a_frozen_broker_stops_where_it_is_and_goes_on_when_thawed() -> None:
    world = moving()
    world.advance(0.5)
    world.carry_out(world.cluster.freeze(world.now, 3))
    world.advance(100.0)
    assert world.cluster.logs(3)[T].end == SIZE / 2
    assert world.state()[0].isr == (1, 2)
    assert codes(world.ask(3, stop_replica((7, -1, False)))) == [("t", 7, 0)]
    world.carry_out(world.cluster.thaw(world.now, 3))
    world.advance(0.5)
    assert world.state()[0].isr == (1, 2, 3)


def test_a_broken_directory_ends_its_replicas_and_is_told() -> None:
    world = World(1, 2, log_dirs=("/a", "/b"))
    world.create((1, 2), number=0)
    world.create((1, 2), number=1)
    world.carry_out(world.cluster.fail_directory(world.now, 2, "/a"))
    world.settle()
    assert sorted(world.cluster.brokers[2].replicas) == [U]
    assert sorted(world.cluster.logs(2)) == [U]
    name = "log_dir_event_0000000000"
    assert world.children(paths.LOG_DIR_EVENTS) == (name,)
    data = world.znode(f"{paths.LOG_DIR_EVENTS}/{name}").data
    assert data == b'{"version":1,"broker":2,"event":1}'
    world.cluster.brokers[1].disks.logs[T].end += 1
    world.advance(60.0)
    assert (world.state(0)[0].isr, world.state(1)[0].isr) == ((1,), (1, 2))


def test_an_unknown_directory_is_refused_by_name() -> None:
    world = World(1)
    with pytest.raises(ValueError, match="no log directory '/x'; this broker has: /data"):
        world.cluster.fail_directory(world.now, 1, "/x")


def test_a_restarted_broker_has_its_logs_and_nothing_else() -> None:
    world = moving()
    world.advance(0.5)
    world.kill(3)
    assert 3 not in world.cluster.brokers
    world.advance(5.0)
    assert world.cluster.logs(3)[T].end == SIZE / 2
    world.start(3)
    model = world.cluster.brokers[3]
    assert (model.replicas, model.metadata.brokers, model.controller_epoch) == ({}, {}, 0)
    world.tell(1, 2, 3)
    again = order(1, 1, (1, 2), (1, 2, 3), partition_epoch=1)
    assert codes(world.ask(3, leader_and_isr(again))) == [("t", 0, 0)]
    world.advance(0.5)
    assert world.state()[0].isr == (1, 2, 3)


def test_a_killed_leader_serves_nobody_until_it_leads_again() -> None:
    world = moving()
    world.advance(0.5)
    world.kill(1)
    world.advance(5.0)
    assert world.cluster.logs(3)[T].end == SIZE / 2
    world.start(1)
    world.tell(1, 2, 3)
    world.ask(1, leader_and_isr(order(1, 1, (1, 2), (1, 2, 3), partition_epoch=1)))
    world.advance(0.5)
    assert world.state()[0].isr == (1, 2, 3)


def test_a_new_leader_lets_the_former_one_follow_from_where_it_is() -> None:
    world = World(1, 2)
    world.create((1, 2))
    world.reorder((1, 2), leader=2)
    world.advance(1.0)
    assert world.cluster.brokers[1].replicas[T].leader == 2
    assert world.cluster.brokers[2].replicas[T].followers[1].fetching
    assert world.state()[0].isr == (1, 2)


# --- what a broker must not look at --------------------------------------------------------------


@pytest.mark.req("R455-44")
def test_adding_and_removing_replicas_decide_nothing() -> None:
    def trace(shown: bool) -> tuple[object, ...]:
        world = World(1, 2, 3, 4)
        world.create((1, 2, 3))
        adding, removing = ((4,), (1,)) if shown else ((), ())
        state, version = world.state()
        moved = {
            broker: order(
                1,
                1,
                state.isr,
                (4, 3, 2, 1),
                partition_epoch=version + 1,
                adding=adding,
                removing=removing,
                is_new=broker == 4,
            )
            for broker in (1, 2, 3, 4)
        }
        world.interfere()
        for broker, sent in moved.items():
            world.ask(broker, leader_and_isr(sent))
        world.advance(30.0)
        world.reorder((4, 3, 2), leader=4, isr=(4, 3, 2))
        world.ask(1, stop_replica((0, 2, False)))
        world.ask(1, stop_replica((0, 2, True)))
        world.advance(60.0)
        logs = {id_: dict(world.cluster.logs(id_)) for id_ in (1, 2, 3, 4)}
        assert logs[1] == {}
        assert logs[4][T].end == SIZE
        return (world.answers, world.effects, world.state(), world.notices(), logs)

    assert trace(shown=True) == trace(shown=False)


def test_a_cluster_can_be_copied_in_the_middle_and_both_go_on_alike() -> None:
    world = moving()
    world.advance(0.25)
    copied = copy.deepcopy(world.cluster)
    assert copied.advance(60.0) == world.cluster.advance(60.0) != ()
    assert copied.logs(3) == world.cluster.logs(3)
    assert copied.logs(3)[T] is not world.cluster.logs(3)[T]


def test_a_directory_may_hold_logs_that_nobody_hosts() -> None:
    world = World(1, 2, log_dirs=("/a", "/b"))
    world.create((1, 2))
    world.kill(2)
    world.start(2)
    world.carry_out(world.cluster.fail_directory(world.now, 2, "/a"))
    assert world.cluster.logs(2) == {}
    old = order(1, 0, (1, 2), (1, 2))
    assert codes(world.ask(2, leader_and_isr(old))) == [("t", 0, 56)]


def test_effects_are_conditional_on_the_partition_epoch() -> None:
    world = moving()
    world.advance(1.0)
    writes = [call for broker, call in world.effects if broker == 1 and isinstance(call, Update)]
    assert writes[-1].op.path == STATE
    assert getattr(writes[-1].op, "version", None) == 1
