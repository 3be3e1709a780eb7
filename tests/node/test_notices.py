"""Old notices of changed configs: who removes them, which, and what happens in between."""

import pytest
from node_world import World, in_office

from klamm.controller.configs.alter import AlterBroker, Change, Operation
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.node import Phase
from klamm.controller.node.notices import MOST_DELETES, NOTICES_SECONDS, NOTICES_TIMER, PARENTS
from klamm.controller.node.notices import PurgeNotices as Purge
from klamm.controller.store.port import Children, Missing, ReadChildren, Znode
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import ControllerZnode, encode_controller


def notices(world: World) -> list[str]:
    prefix = f"{paths.CONFIG_CHANGES}/"
    return sorted(
        path.removeprefix(prefix) for path in world.zookeeper.tree.nodes if path.startswith(prefix)
    )


def leave_notice(world: World) -> None:
    world.write(Create(paths.CONFIG_CHANGE_PREFIX, b"{}", sequential=True))


def pass_a_quarter(world: World) -> None:
    """Let the time come at which the node looks."""
    assert world.timers[NOTICES_TIMER] == NOTICES_SECONDS == 900
    world.run_timer(NOTICES_TIMER)
    world.settle()


def test_a_notice_stays_for_one_look_and_goes_at_the_next() -> None:
    world = in_office()
    leave_notice(world)
    pass_a_quarter(world)
    leave_notice(world)
    assert len(notices(world)) == 2
    pass_a_quarter(world)
    assert notices(world) == ["config_change_0000000001"]
    pass_a_quarter(world)
    assert notices(world) == []


@pytest.mark.parametrize("parent", PARENTS)
def test_notices_of_every_kind_go(parent: str) -> None:
    world = in_office()
    if not world.exists(parent):
        world.write(Create(parent, None))
    world.write(Create(f"{parent}/changes_", b"{}", sequential=True))
    pass_a_quarter(world)
    assert world.exists(f"{parent}/changes_0000000000")
    pass_a_quarter(world)
    assert not world.exists(f"{parent}/changes_0000000000")


def test_notices_that_brokers_have_removed_are_in_nobodys_way() -> None:
    world = in_office()
    leave_notice(world)
    leave_notice(world)
    pass_a_quarter(world)
    world.run_timer(NOTICES_TIMER)
    world.feed()  # the list is asked for
    world.zookeeper.run()
    world.write(Delete(f"{paths.CONFIG_CHANGES}/config_change_0000000000", ANY_VERSION))
    world.settle()
    assert notices(world) == []
    assert not [entry for entry in world.journal if entry.kind == "old notices stay"]


def test_who_is_not_controller_removes_nothing_and_forgets_what_it_saw() -> None:
    world = World()
    world.write(Create(paths.CONTROLLER, encode_controller(ControllerZnode(1, 0))))
    world.settle()
    assert world.node.phase is Phase.STANDBY
    leave_notice(world)
    for _ in range(3):
        pass_a_quarter(world)
    assert len(notices(world)) == 1


def test_a_lost_session_is_noted_and_the_next_look_begins_anew() -> None:
    world = in_office()
    leave_notice(world)
    pass_a_quarter(world)
    world.run_timer(NOTICES_TIMER)
    world.feed()
    world.zookeeper.disconnect(world.store)
    world.zookeeper.expire(world.store)
    world.settle()
    (entry,) = [entry for entry in world.journal if entry.kind == "old notices stay"]
    assert "nothing was written" in entry.text
    assert len(notices(world)) == 1
    pass_a_quarter(world)
    pass_a_quarter(world)
    assert notices(world) == []


def test_the_timer_is_set_once_for_all_sessions() -> None:
    world = in_office()
    del world.timers[NOTICES_TIMER]
    world.zookeeper.disconnect(world.store)
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.active
    assert NOTICES_TIMER not in world.timers


def test_a_multi_has_room_for_what_one_look_removes() -> None:
    names = tuple(f"acl_changes_{number:010}" for number in range(MOST_DELETES + 7))
    parent = paths.EXTENDED_ACL_CHANGES
    notices = [f"{parent}/{name}" for name in names]
    purge = Purge(frozenset(notices))
    listed, old = purge.reads[: len(PARENTS)], purge.reads[len(PARENTS) :]
    assert listed == tuple(map(ReadChildren, PARENTS))
    found = (Znode(read.path, b"{}", number % 3, 1, 1) for number, read in enumerate(old))
    decision = purge.decide((Children(parent, names, 1, 1), *found))
    assert len(decision.ops) == MOST_DELETES
    versions = [op.version for op in decision.ops if isinstance(op, Delete)]
    assert versions == [number % 3 for number in range(MOST_DELETES)], "as they were read"
    assert decision.result == set(notices[MOST_DELETES:])
    assert in_office().store.multi_size(decision.ops, None) < 900_000


def test_without_a_list_there_is_nothing_to_do() -> None:
    purge = Purge(frozenset({f"{paths.CONFIG_CHANGES}/x"}))
    decision = purge.decide(tuple(Missing(read.path) for read in purge.reads))
    assert decision.ops == ()
    assert decision.result == frozenset()


# --- the door in a node --------------------------------------------------------------------------

SET_RATE = AlterBroker(900, (Change("leader.replication.throttled.rate", Operation.SET, "5"),))


@pytest.mark.parametrize("active", [True, False])
def test_a_node_carries_transactions_out_in_office_and_elsewhere(active: bool) -> None:
    world = World()
    if not active:
        world.write(Create(paths.CONTROLLER, encode_controller(ControllerZnode(1, 0))))
    world.settle()
    assert world.node.active == active
    request = world.transact(SET_RATE)
    world.settle()
    assert len(world.transacted[request]) == 1
    assert world.data("/config/brokers/900")["config"] == {"leader.replication.throttled.rate": "5"}
    assert notices(world) == ["config_change_0000000000"]


def test_transactions_wait_for_the_connection_and_end_with_the_session() -> None:
    world = in_office()
    world.zookeeper.cut(world.store)
    world.zookeeper.disconnect(world.store)
    waiting = world.transact(SET_RATE)
    world.settle()
    assert waiting not in world.transacted
    world.zookeeper.heal(world.store)
    world.settle()
    assert len(world.transacted[waiting]) == 1
    world.zookeeper.cut(world.store)
    world.zookeeper.disconnect(world.store)
    ended = world.transact(SET_RATE)
    world.settle()
    world.run_timer("session")
    world.settle()
    (((result),),) = world.transacted[ended]
    assert "no connection to ZooKeeper for the session timeout" in result.message
