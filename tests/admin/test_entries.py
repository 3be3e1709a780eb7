"""/admin/reassign_partitions: what it starts, what it does not, and how it is emptied."""

from collections.abc import Iterable

import pytest
from admin.world import (
    PATH,
    A,
    B,
    C,
    copy,
    create_order,
    entries,
    fail_over,
    kip,
    moving,
    order,
    overwrite,
    remove,
    replicas,
    target,
    tick,
    told,
    with_topics,
    writes,
)
from node_world import ENDPOINT, World

from klamm.controller.core.decide import decide
from klamm.controller.core.events import (
    AlterReassignment,
    BeginEntry,
    Cause,
    Event,
    RunElection,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.core.origins import FromTimer, FromWatch
from klamm.controller.core.plan import Plan
from klamm.controller.core.results import Done
from klamm.controller.core.settings import Settings
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Commit, Send, SetTimer
from klamm.controller.node.tidying import TIDY_TIMER
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import encode_partitions
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest

#: As kafka-reassign-partitions --generate prints it.
STOCK = (
    b'{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[4,2,3],'
    b'"log_dirs":["any","any","any"]}]}'
)


# --- the normal life ----------------------------------------------------------------------------


@pytest.mark.req("R455-96", "R455-99")
def test_entries_start_end_and_leave_without_any_request(world: World) -> None:
    create_order(world, {A: [4, 2, 3], B: [1, 2, 5]})
    assert moving(world) == [A, B]
    copy(world, A)
    assert replicas(world, A) == [4, 2, 3]
    tick(world)
    assert entries(world) == {B: [1, 2, 5]}
    copy(world, B)
    tick(world)
    assert entries(world) is None
    assert (replicas(world, B), moving(world)) == ([1, 2, 5], [])
    assert TIDY_TIMER not in world.timers, "nothing is left to wait for"
    # The path is free for the next tool.
    create_order(world, {C: [3, 2, 1]})
    tick(world)
    assert entries(world) is None
    assert replicas(world, C) == [3, 2, 1]


def test_what_kafkas_tool_prints_can_be_pasted(world: World) -> None:
    create_order(world, STOCK)
    assert moving(world) == [A]
    assert not told(world, "entry-refused")


@pytest.mark.parametrize("version", [b"", b'"version":7,', b'"version":"x",', b'"odd":[{}],'])
def test_what_else_the_json_holds_does_not_matter(version: bytes) -> None:
    world = with_topics()
    create_order(world, STOCK.replace(b'"version":1,', version))
    assert moving(world) == [A]


def test_the_journal_tells_where_a_move_comes_from(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    (read,), (accept,) = told(world, "admin-read"), told(world, "accept")
    assert read.cause is not None
    assert read.cause.origin == FromWatch(PATH)
    assert accept.name == A
    copy(world, A)
    tick(world)
    (tidied,) = told(world, "admin-tidied")
    assert tidied.cause is not None
    assert tidied.cause.origin == FromTimer(TIDY_TIMER)
    assert [op.path for op in tidied.ops] == [PATH]


@pytest.mark.req("R455-92")
def test_the_end_of_a_move_is_one_commit_and_its_entry_leaves_later(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    world.effects.clear()
    world.leader_writes_isr(A, [1, 2, 3, 4])
    world.settle()
    (end,) = (e for e in world.effects if isinstance(e, Commit) and e.fence)
    written = {op.path for op in end.ops}
    assert {paths.topic("a"), paths.state(*A)} <= written
    assert PATH not in written
    assert (replicas(world, A), moving(world)) == ([4, 2, 3], [])
    assert world.data(paths.state(*A))["isr"] == [2, 3, 4]
    # No replica is told to stop before that Commit; the entry goes by a write of its own.
    stopping = [
        place
        for place, effect in enumerate(world.effects)
        if isinstance(effect, Send) and isinstance(effect.message, StopReplicaRequest)
    ]
    assert stopping
    assert min(stopping) > world.effects.index(end)
    tick(world)
    (removal,) = writes(world)
    assert [op for op in removal.ops if op.path == PATH] == [Delete(PATH, 0)]
    assert removal.fence is not None


def test_at_most_one_write_a_second_takes_out_all_that_is_finished() -> None:
    names = [f"t{number}" for number in range(40)]
    world = with_topics(names)
    moves = {TopicPartition(name, 0): [4, 2, 3] for name in names}
    create_order(world, moves)
    assert world.timers[TIDY_TIMER] == 1.0
    world.effects.clear()
    for count, name in enumerate(moves, start=1):
        copy(world, name)
        if count == 25:
            tick(world)
            assert len(entries(world) or {}) == 15
    assert len(writes(world)) == 1, "as often as the timer ran out"
    tick(world)
    assert len(writes(world)) == 2
    assert entries(world) is None


def test_what_else_is_written_does_not_put_the_timer_off(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    world.effects.clear()
    world.ask(AlterReassignment(B, (1, 2, 5)))
    assert not [e for e in world.effects if isinstance(e, SetTimer) and e.name == TIDY_TIMER]
    tick(world)
    assert TIDY_TIMER in world.timers


def test_nothing_is_written_while_nothing_is_finished(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    world.effects.clear()
    tick(world)
    tick(world)
    assert not [effect for effect in world.effects if isinstance(effect, Commit)]
    assert TIDY_TIMER in world.timers


# --- what is written while a set is under way ---------------------------------------------------


@pytest.mark.req("R455-97")
def test_what_is_written_while_the_first_set_runs_starts_nothing(world: World) -> None:
    create_order(world, {A: [4, 2, 3], B: [1, 2, 5]})
    for later in ({A: [4, 2, 3], B: [1, 2, 5], C: [4, 5, 1]}, {C: [4, 5, 1]}, {A: [5], C: [4]}):
        overwrite(world, later)
        tick(world)
        assert moving(world) == [A, B]
        assert (target(world, A), target(world, B)) == ((4, 2, 3), (1, 2, 5))
        assert C in (entries(world) or {})


@pytest.mark.req("R455-97")
def test_the_znode_works_while_an_api_move_runs(world: World) -> None:
    assert world.ask(AlterReassignment(A, (4, 2, 3))) == (Done(),)
    create_order(world, {B: [1, 2, 5]})
    assert moving(world) == [A, B]


@pytest.mark.req("R455-98")
def test_leftovers_are_a_new_order_once_the_set_is_done() -> None:
    world = with_topics()
    create_order(world, {A: [4, 2, 3]})
    overwrite(world, {B: [1, 2, 5], A: [5, 2, 3]})
    copy(world, A)
    tick(world)
    assert entries(world) == {B: [1, 2, 5], A: [5, 2, 3]}
    assert (target(world, A), target(world, B)) == ((5, 2, 3), (1, 2, 5))
    copy(world, A)
    copy(world, B)
    tick(world)
    assert entries(world) is None


@pytest.mark.req("R455-98")
def test_leftovers_are_discarded_with_the_set_in_kip_455() -> None:
    world = with_topics(config=kip())
    create_order(world, {A: [4, 2, 3]})
    overwrite(world, {B: [1, 2, 5], A: [5, 2, 3]})
    copy(world, A)
    tick(world)
    assert entries(world) is None
    assert moving(world) == []
    assert [entry.name for entry in told(world, "entry-discarded")] == [B, A]


def test_the_tool_wins_a_race_for_the_znode() -> None:
    """What it writes between our reading and our removal is not lost (F08)."""
    world = with_topics()
    create_order(world, {A: [4, 2, 3]})
    copy(world, A)
    world.run_timer(TIDY_TIMER)
    for _ in range(20):
        if writes(world):
            break
        world.feed()
    assert writes(world), "the removal is on its way"
    overwrite(world, {A: [4, 2, 3], B: [1, 2, 5]})
    assert entries(world) is not None
    tick(world)
    assert moving(world) == [B]


# --- removing and emptying ----------------------------------------------------------------------


@pytest.mark.req("R455-100")
@pytest.mark.parametrize("how", ["removed", "emptied"])
def test_removing_or_emptying_the_znode_cancels_nothing(world: World, how: str) -> None:
    create_order(world, {A: [4, 2, 3], B: [1, 2, 5]})
    if how == "removed":
        remove(world)
    else:
        overwrite(world, {})
        tick(world)
    assert entries(world) is None
    assert moving(world) == [A, B]
    copy(world, A)
    fail_over(world)
    copy(world, B)
    assert (replicas(world, A), replicas(world, B)) == ([4, 2, 3], [1, 2, 5])


def test_after_removal_the_znode_may_be_made_anew(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    remove(world)
    create_order(world, {A: [5, 2, 3], B: [1, 2, 5]})
    assert (target(world, A), target(world, B)) == ((5, 2, 3), (1, 2, 5))


def test_a_znode_that_was_replaced_between_two_readings_is_a_new_one(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    world.write(Delete(PATH, ANY_VERSION))
    world.write(Create(PATH, order({B: [1, 2, 5]})))
    world.settle()
    assert moving(world) == [A, B]


def test_children_of_the_znode_do_not_keep_it(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    world.write(Create(f"{PATH}/odd", b"x"))
    copy(world, A)
    for _ in range(3):
        if TIDY_TIMER in world.timers:
            tick(world)
    assert not world.exists(PATH)


@pytest.mark.parametrize("what", ["moves", "elections"])
def test_below_ibp_2_7_what_is_ordered_is_decided_once(what: str) -> None:
    """Leaders write states themselves there: those are read first, not decided on twice."""
    world = with_topics(config=NodeConfig(900, (ENDPOINT,), protocol=by_name("2.4-IV0")))
    world.unregister(1)
    world.settle()
    world.register(1)
    world.settle()
    for name in (A, B, C):
        copy(world, name)
    decided: list[Event] = []

    def counted(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
        causes = tuple(causes)
        decided.extend(cause.event for cause in causes)
        return decide(state, causes, settings)

    assert world.node.turns is not None
    world.node.turns.decide_over = counted
    if what == "moves":
        create_order(world, {A: [4, 2, 3], B: [4, 2, 3], C: [4, 2, 3]})
        assert moving(world) == [A, B, C]
        orders: list[tuple[Event, int]] = [(BeginEntry(name), 1) for name in (A, B, C)]
    else:
        world.write(Create(paths.PREFERRED_REPLICA_ELECTION, encode_partitions([A, B, C])))
        world.settle()
        assert not world.exists(paths.PREFERRED_REPLICA_ELECTION)
        orders = [(RunElection(), 2)]  # the second removes the znode
    assert [(event, decided.count(event)) for event, _ in orders] == orders


def test_what_replaces_a_refused_entry_is_judged_for_itself() -> None:
    world = with_topics()
    create_order(world, {A: [1, 9], B: [1, 2, 5]})
    overwrite(world, {A: [4, 2, 3], B: [1, 2, 5]})
    assert moving(world) == [B]
    copy(world, B)
    tick(world)
    assert moving(world) == [A]
    copy(world, A)
    tick(world)
    assert (replicas(world, A), entries(world)) == ([4, 2, 3], None)
