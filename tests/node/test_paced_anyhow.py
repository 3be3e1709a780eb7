"""Moves in steps under whatever happens: every move ends once faults do, and every step was lawful.

Each run is made from a number; so a failure names the run that shows it again.
"""

from random import Random

import pytest
from node.paced import Paced
from node.step_checks import StepChecks
from node.takeover import take_over
from slow import examples

from klamm.controller.core.events import (
    AlterReassignment,
    ElectPreferred,
    ElectUnclean,
    ShutDownBroker,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.core.rules import APACHE_3_9, KIP_455
from klamm.controller.node import NodeConfig
from klamm.controller.node.clearing import CLEAR_TIMER
from klamm.controller.znodes import paths

from node_world import ENDPOINT  # isort: skip

BROKERS = range(7)
NAMES = [TopicPartition(topic, number) for topic in "tu" for number in range(2)]


class Run:
    """One life of a cluster."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        rules = random.choice([APACHE_3_9, APACHE_3_9, KIP_455])
        handovers = random.choice([1, 9])
        release = by_name(random.choice(["2.4-IV0", "3.9"]))
        config = NodeConfig(
            900, (ENDPOINT,), rules=rules, leader_moves_in_flight=handovers, protocol=release
        )
        lists = {n: tuple(random.sample(BROKERS, 3)) for n in range(2)}
        self.paced = Paced({"t": lists, "u": lists}, BROKERS, config)
        self.world = self.paced.world
        self.down: set[int] = set()
        self.checks = StepChecks()
        self.seen = 0
        self.limits()

    def limits(self) -> None:
        random = self.random
        limits = {}
        if random.random() < 0.9:
            limits["replicas"] = random.choice([1, 1, 2, 3])
        if random.random() < 0.5:
            limits["partitions"] = random.choice([1, 2, 3])
        if random.random() < 0.5:
            limits["leaders"] = random.choice([1, 2])
        self.paced.limit(**limits)

    def move(self) -> None:
        name = self.random.choice(NAMES)
        target = tuple(self.random.sample(BROKERS, self.random.choice([1, 2, 3, 3, 4])))
        self.world.ask(AlterReassignment(name, target))

    def cancel(self) -> None:
        self.world.ask(AlterReassignment(self.random.choice(NAMES), None))

    def lose(self) -> None:
        alive = set(BROKERS) - self.down
        if len(alive) > 3:
            broker = self.random.choice(sorted(alive))
            self.down.add(broker)
            self.paced.lose(broker)

    def restore(self) -> None:
        if self.down:
            broker = self.random.choice(sorted(self.down))
            self.down.discard(broker)
            self.paced.restore(broker)

    def bounce(self) -> None:
        broker = self.random.choice(sorted(set(BROKERS) - self.down))
        self.paced.brokers.crash(broker)
        self.world.unregister(broker)
        self.world.register(broker)
        self.world.settle()

    def leave(self) -> None:
        alive = sorted(set(BROKERS) - self.down)
        if len(alive) <= 3:
            return
        broker = self.random.choice(alive)
        self.world.ask(ShutDownBroker(broker, -1))
        self.down.add(broker)
        self.paced.lose(broker)

    def hold(self) -> None:
        held = self.paced.brokers.held
        held ^= {self.random.choice(BROKERS)}

    def shrink(self) -> None:
        """A leader drops a follower from the ISR, which may come back."""
        name = self.random.choice(NAMES)
        held = self.paced.partition(name).leadership
        if held is not None and held.leader != NO_LEADER and len(held.isr) > 1:
            gone = self.random.choice([b for b in held.isr if b != held.leader])
            if held.leader not in self.down:
                self.paced.publish(name, tuple(b for b in held.isr if b != gone))
            self.world.settle()

    def elect(self) -> None:
        name = self.random.choice(NAMES)
        preferred = self.random.random() < 0.5
        self.world.ask(ElectPreferred(name) if preferred else ElectUnclean(name))

    def copy(self) -> None:
        self.paced.catch_up_once()

    def kill(self) -> None:
        take_over(self.world)

    def spoil(self) -> None:
        """Somebody changes or removes hints behind the controller's back."""
        path = paths.reassignment_steps(self.random.choice("tu"))
        if self.world.exists(path):
            if self.random.random() < 0.5:
                self.world.write(Delete(path, ANY_VERSION))
            else:
                self.paced.put(path, {"version": 1, "partitions": {"0": "none"}})

    def min_isr(self) -> None:
        self.paced.min_isr(self.random.choice("tu"), self.random.choice([1, 2, 3]))

    def step(self) -> None:
        often = [self.copy] * 8 + [self.move] * 3 + [self.hold] * 2
        seldom = [
            self.cancel, self.lose, self.restore, self.restore, self.bounce, self.leave,
            self.shrink, self.elect, self.kill, self.limits, self.min_isr, self.spoil,
        ]  # fmt: skip
        self.random.choice([*often, *seldom])()
        self.look()

    def look(self) -> None:
        """Memory is what ZooKeeper holds, and every line of the journal is lawful."""
        lines = self.world.replay.lines
        self.checks.take(lines[self.seen :])
        self.seen = len(lines)
        state = self.world.node.state
        assert state is not None
        for name, part in state.partitions():
            if part.pace is None:
                assert state.limits.none or not part.assignment.moving, name
                continue
            assert set(part.pace.hosted) >= set(part.assignment.origin), name
            running = {b for b in self.paced.brokers.running(name) if b not in self.down}
            assert running <= set(part.pace.hosted) | state.debts.get(name, frozenset()), name
        hinted = self.world.zookeeper.tree.nodes.get(paths.REASSIGNMENT_STEPS)
        assert (hinted is not None) == state.has_hints
        assert not (state.has_hints and state.limits.none)

    def heal(self) -> None:
        self.paced.brokers.held.clear()
        for broker in sorted(self.down):
            self.paced.restore(broker)
        self.down.clear()
        for name in NAMES:
            self.world.ask(ElectUnclean(name))
        self.paced.catch_up()
        self.look()
        if CLEAR_TIMER in self.world.timers:
            self.world.run_timer(CLEAR_TIMER)
            self.world.settle()
        for name in NAMES:
            assignment = self.paced.partition(name).assignment
            assert not assignment.moving, name
            assert self.paced.brokers.logs(name) == set(assignment.replicas), name
        node = self.world.zookeeper.tree.nodes.get(paths.REASSIGNMENT_STEPS)
        assert node is None or node.children == set()


def run(seed: int) -> int:
    life = Run(seed)
    for _ in range(60):
        life.step()
    life.heal()
    return life.checks.checked


RUNS = 8


@pytest.mark.req("R435-21", "R435-30", "R435-36", "R435-37")
@pytest.mark.parametrize("seed", range(RUNS))
def test_whatever_happens(seed: int) -> None:
    assert run(seed) > 0


@pytest.mark.slow
def test_whatever_happens_for_longer() -> None:
    for seed in range(RUNS, RUNS + examples(150)):
        run(seed)
