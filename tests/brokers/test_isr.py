"""How followers catch up, join the ISR and fall out of it."""

import pytest
from brokers.world import (
    SIZE,
    T,
    U,
    World,
    leader,
    leader_and_isr,
    moving,
    order,
    stop_replica,
)

# --- catching up ----------------------------------------------------------------------------------


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
    world = World(1, 2, 3, 4)
    world.create((1,), number=0)
    world.create((3,), number=1)
    world.ask(1, leader_and_isr(order(1, 1, (1,), (1, 2))))
    world.ask(3, leader_and_isr(order(3, 1, (3,), (3, 2, 4), partition=1)))
    world.ask(2, leader_and_isr(order(1, 1, (1,), (1, 2)), order(3, 1, (3,), (3, 2), partition=1)))
    world.advance(1.0)
    assert world.cluster.logs(2)[T].end == world.cluster.logs(2)[U].end == SIZE / 2
    world.advance(1.0)
    assert world.cluster.logs(2)[T].end == world.cluster.logs(2)[U].end == SIZE


def test_followers_share_what_their_leader_can_serve() -> None:
    world = World(1, 2, 3)
    for number in (0, 1):
        world.create((1,), number=number)
    for broker in (1, 2, 3):
        orders = [order(1, 1, (1,), (1, 2, 3))]
        if broker < 3:
            orders.append(order(1, 1, (1,), (1, 2), partition=1))
        world.ask(broker, leader_and_isr(*orders))
    world.advance(1.5)
    ends = [world.cluster.logs(2)[T], world.cluster.logs(2)[U], world.cluster.logs(3)[T]]
    assert [log.end for log in ends] == [SIZE / 2] * 3
    world.advance(1.5)
    assert [log.end for log in ends] == [SIZE] * 3


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


# --- expansion ------------------------------------------------------------------------------------


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


# --- shrinking ------------------------------------------------------------------------------------


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
