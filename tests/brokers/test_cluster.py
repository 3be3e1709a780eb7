"""Brokers that freeze, die, return or lose a disk, and what none of them looks at."""

import copy

import pytest
from brokers.world import (
    SIZE,
    T,
    U,
    World,
    codes,
    leader_and_isr,
    moving,
    order,
    stop_replica,
)

from klamm.controller.core.ibp import by_name
from klamm.controller.znodes import paths


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


def test_a_directory_may_hold_logs_that_nobody_hosts() -> None:
    world = World(1, 2, log_dirs=("/a", "/b"))
    world.create((1, 2))
    world.kill(2)
    world.start(2)
    world.carry_out(world.cluster.fail_directory(world.now, 2, "/a"))
    assert world.cluster.logs(2) == {}
    old = order(1, 0, (1, 2), (1, 2))
    assert codes(world.ask(2, leader_and_isr(old))) == [("t", 0, 56)]


def test_a_cluster_can_be_copied_in_the_middle_and_both_go_on_alike() -> None:
    world = moving()
    world.advance(0.25)
    copied = copy.deepcopy(world.cluster)
    assert copied.advance(60.0) == world.cluster.advance(60.0) != ()
    assert copied.logs(3) == world.cluster.logs(3)
    assert copied.logs(3)[T] is not world.cluster.logs(3)[T]


@pytest.mark.req("R455-44")
@pytest.mark.parametrize("protocol", ["2.4-IV0", "3.9-IV0"])
def test_adding_and_removing_replicas_decide_nothing(protocol: str) -> None:
    def trace(shown: bool) -> tuple[object, ...]:
        world = World(1, 2, 3, 4, protocol=by_name(protocol), produce_rate=10.0)
        world.configure("topics/t", leader_replication_throttled_replicas="*")
        world.configure("brokers/1", leader_replication_throttled_rate="500")
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
        assert logs[4][T].end > SIZE
        return (world.answers, world.effects, world.state(), world.notices(), logs)

    assert trace(shown=True) == trace(shown=False)
