"""Moves in steps whose controller is killed: the next one goes on, with what ZooKeeper says."""

from collections.abc import Callable

import pytest
from node.paced import Paced, T
from node.takeover import kill, take_over

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.node.tidying import TIDY_TIMER
from klamm.controller.znodes import paths

FIVE, NEW_FIVE = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
HINTS = paths.reassignment_steps("t")


def x1() -> Paced:
    paced = Paced({"t": {0: FIVE}}, replicas=2)
    paced.move(NEW_FIVE)
    return paced


# --- at rest ------------------------------------------------------------------------------------


@pytest.mark.req("R435-47")
@pytest.mark.parametrize("steps", range(4))
def test_the_same_step_goes_on(steps: int) -> None:
    paced = x1()
    for _ in range(steps):
        paced.catch_up_once()
    before, hint = paced.running(), paced.hint()
    paced.brokers.stopped.clear()
    take_over(paced.world)
    assert paced.running() == before
    assert paced.hint() == hint
    stopped = {broker for broker, _, _ in paced.brokers.stopped}
    assert stopped.isdisjoint(before[T][1])
    assert stopped.isdisjoint(paced.brokers.running(T))
    paced.catch_up()
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert paced.brokers.logs(T) == {*NEW_FIVE}
    assert paced.hint() is None


@pytest.mark.req("R435-48")
@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda paced: paced.world.write(Delete(HINTS, ANY_VERSION)), id="gone"),
        pytest.param(lambda paced: paced.put(HINTS, {"version": 7}), id="unreadable"),
        pytest.param(
            lambda paced: paced.put(
                HINTS,
                {"version": 1, "partitions": {"0": {**paced.hint(), "target": [5, 6]}, "9": {}}},
            ),
            id="of no form",
        ),
        pytest.param(
            lambda paced: paced.put(
                HINTS, {"version": 1, "partitions": {"0": {**paced.hint(), "target": [5, 6]}}}
            ),
            id="of another target",
        ),
    ],
)
def test_without_a_usable_hint_the_next_step_is_a_first_one(
    spoil: Callable[[Paced], None],
) -> None:
    paced = x1()
    paced.catch_up_once()
    paced.catch_up_once()
    assert paced.running() == {T: ("swap", (7, 8))}
    kill(paced.world)
    spoil(paced)
    paced.world.settle()
    assert paced.running() == {T: ("swap", (7, 8))}
    hint = paced.hint()
    assert hint is not None
    assert (hint["step"], hint["origin"]) == (0, [5, 6, 2, 3, 4])
    paced.catch_up()
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert paced.brokers.logs(T) == {*NEW_FIVE}


@pytest.mark.req("R435-50", "R435-48")
def test_a_move_that_a_stock_controller_began_whole() -> None:
    paced = Paced({"t": {0: FIVE, 1: FIVE}})
    other = TopicPartition("t", 1)
    paced.brokers.held |= {*NEW_FIVE}
    paced.ask(AlterReassignment(T, NEW_FIVE), AlterReassignment(other, NEW_FIVE))
    assert paced.brokers.running(T) == {*FIVE, *NEW_FIVE}
    kill(paced.world)
    paced.put(
        paths.CLUSTER_CONFIG,
        {
            "version": 1,
            "config": {
                "reassignment.max.concurrent.replica.movements": "1",
                "reassignment.max.concurrent.partition.movements": "1",
            },
        },
    )
    paced.brokers.stopped.clear()
    paced.world.settle()
    assert paced.running() == {T: ("leader", (5,))}
    assert paced.brokers.running(T) == {*FIVE, 5}
    assert paced.brokers.running(other) == {*FIVE}
    assert paced.brokers.logs(other) == {*FIVE, *NEW_FIVE}
    assert not any(delete for _, _, delete in paced.brokers.stopped)
    assert (5, T, False) not in paced.brokers.stopped
    paced.brokers.held.clear()
    paced.catch_up()
    for name in (T, other):
        assert paced.lists(name) == ([*NEW_FIVE], [], [])
        assert paced.brokers.logs(name) == {*NEW_FIVE}


@pytest.mark.req("R435-51")
def test_a_cancel_after_a_takeover_deletes_whatever_may_be_there() -> None:
    paced = Paced({"t": {0: FIVE}})
    paced.brokers.held |= {*NEW_FIVE}
    paced.move(NEW_FIVE)
    kill(paced.world)
    paced.put(
        paths.CLUSTER_CONFIG,
        {"version": 1, "config": {"reassignment.max.concurrent.replica.movements": "1"}},
    )
    paced.world.settle()
    paced.move(None)
    assert paced.lists() == ([*FIVE], [], [])
    assert paced.brokers.logs(T) == {*FIVE}


@pytest.mark.req("R435-42")
def test_deferred_moves_are_durable_from_the_reply_on() -> None:
    names = [TopicPartition("t", number) for number in range(50)]
    paced = Paced({"t": dict.fromkeys(range(50), (0, 1))}, replicas=1, partitions=1)
    paced.ask(*(AlterReassignment(name, (0, 2)) for name in names))
    take_over(paced.world)
    assert len(paced.running()) == 1
    for _ in range(60):
        if not paced.catch_up_once():
            break
    assert all(paced.lists(name) == ([0, 2], [], []) for name in names)


@pytest.mark.req("R435-45", "R435-60")
def test_hints_that_are_left_over_go_when_nothing_limits_moves() -> None:
    paced = x1()
    kill(paced.world)
    paced.put(paths.CLUSTER_CONFIG, {"version": 1, "config": {}})
    paced.put(f"{HINTS}/stray", {})
    paced.put(f"{paths.REASSIGNMENT_STEPS}/other", {})
    paced.world.settle()
    assert not paced.world.exists(paths.REASSIGNMENT_STEPS)
    assert paced.brokers.running(T) == {*FIVE, *NEW_FIVE}
    paced.catch_up()
    assert paced.lists() == ([*NEW_FIVE], [], [])


@pytest.mark.req("R435-46")
def test_hints_of_what_does_not_move_go() -> None:
    paced = x1()
    kill(paced.world)
    paced.put(f"{paths.REASSIGNMENT_STEPS}/other", {"version": 1, "partitions": {}})
    paced.world.settle()
    assert paced.world.zookeeper.tree.nodes[paths.REASSIGNMENT_STEPS].children == {"t"}


# --- at any moment ------------------------------------------------------------------------------


def nothing(paced: Paced) -> None:
    """Only the move itself."""


def cancel(paced: Paced) -> None:
    if paced.partition().assignment.moving:
        paced.world.request(AlterReassignment(T, None))


def replace_target(paced: Paced) -> None:
    if paced.partition().assignment.moving:
        paced.world.request(AlterReassignment(T, (2, 0, 1, 3, 5)))


class Ended(Exception):
    """The controller has been killed."""


class Killer:
    """Lets a world live for so many rounds; then ends its controller, in one of two ways."""

    def __init__(self, paced: Paced, rounds: int, *, applied: bool) -> None:
        self.paced, self.left, self.applied = paced, rounds, applied

    def settle(self) -> None:
        world = self.paced.world
        while True:
            if self.left == 0:
                if self.applied:
                    world.zookeeper.run()  # what was asked of ZooKeeper is done, unheard
                kill(world)
                raise Ended
            self.left -= 1
            if not world.step():
                return


def live(paced: Paced, killer: Killer, order: Callable[[Paced], None]) -> bool:
    """Carry out X1, with another order after its second step; tell whether nobody was killed."""
    try:
        paced.world.request(AlterReassignment(T, NEW_FIVE))
        killer.settle()
        for number in range(12):
            found = paced.brokers.caught_up(paced.world)
            if not found and number > 3:
                return True
            for name, isr in found.items():
                paced.world.leader_writes_isr(name, isr)
            killer.settle()
            if number == 1:
                order(paced)
                killer.settle()
    except Ended:
        return False
    return True


ENDS = [
    pytest.param(nothing, {NEW_FIVE}, id="to the end"),
    pytest.param(cancel, {NEW_FIVE, FIVE, (5, 6, 2, 3, 4)}, id="cancelled"),
    pytest.param(replace_target, {NEW_FIVE, (2, 0, 1, 3, 5)}, id="replaced"),
]


@pytest.mark.req("R435-31", "R435-47", "R435-50")
@pytest.mark.parametrize("applied", [False, True])
@pytest.mark.parametrize(("order", "ends"), ENDS)
def test_killed_at_any_moment(
    order: Callable[[Paced], None], ends: set[tuple[int, ...]], applied: bool
) -> None:
    """Between some two rounds, with what is on its way to ZooKeeper lost, or done and unheard."""
    survives(order, ends, applied=applied, stride=11)


@pytest.mark.slow
@pytest.mark.parametrize("applied", [False, True])
@pytest.mark.parametrize(("order", "ends"), ENDS)
def test_killed_at_every_moment(
    order: Callable[[Paced], None], ends: set[tuple[int, ...]], applied: bool
) -> None:
    """The same between any two rounds."""
    survives(order, ends, applied=applied, stride=1)


def survives(
    order: Callable[[Paced], None], ends: set[tuple[int, ...]], *, applied: bool, stride: int
) -> None:
    """Kill the controller after any number of rounds of this stride: the move ends all the same."""
    alive, rounds = False, 0
    while not alive:
        paced = Paced({"t": {0: FIVE}}, replicas=2)
        alive = live(paced, Killer(paced, rounds, applied=applied), order)
        paced.world.settle()
        if not paced.partition().assignment.moving and paced.lists()[0] == [*FIVE]:
            ends = ends | {FIVE}  # the order was never made
        paced.catch_up()
        if TIDY_TIMER in paced.world.timers:
            paced.world.run_timer(TIDY_TIMER)
            paced.world.settle()
        replicas, adding, removing = paced.lists()
        assert tuple(replicas) in ends, rounds
        assert (adding, removing) == ([], []), rounds
        assert paced.brokers.logs(T) == {*replicas}, rounds
        assert paced.hint() is None, rounds
        assert paced.partition().leader == replicas[0] or order is cancel, rounds
        rounds += stride
    assert rounds > 30
