"""How a leader publishes a changed ISR, and what becomes of lost races and connections."""

import pytest
from brokers.world import (
    STATE,
    T,
    U,
    World,
    codes,
    leader,
    leader_and_isr,
    moving,
    order,
)

from klamm.controller.core.ops import ANY_VERSION, Delete, Op, SetData
from klamm.controller.node.effects import Update
from klamm.controller.znodes import StateZnode, encode_state, paths
from klamm.tools.brokers.settings import Times


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


def test_effects_are_conditional_on_the_partition_epoch() -> None:
    world = moving()
    world.advance(1.0)
    writes = [call for broker, call in world.effects if broker == 1 and isinstance(call, Update)]
    assert writes[-1].op.path == STATE
    assert getattr(writes[-1].op, "version", None) == 1
