"""A world whose node keeps the status of requests, with a clock, and brokers that can come in sync.

IBP 3.9: leaders ask for another ISR by AlterPartition.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from node.moving import TOPIC_ID
from node_world import ENDPOINT, World

from klamm.controller.core.events import (
    AlterPartition,
    AssignPartitions,
    CreateTopic,
    ReplicaProgress,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import PartitionsAssigned, Result
from klamm.controller.node import NodeConfig, Now
from klamm.controller.node.effects import Effect, SetTimer
from klamm.controller.node.inputs import Input, ProgressHeard
from klamm.controller.node.tidying import TIDY_TIMER
from klamm.controller.znodes import paths

EPOCH_MS = 1_700_000_000_000
CONFIG = NodeConfig(900, (ENDPOINT,), protocol=by_name("3.9"), keeps_status=True)

Targets = Mapping[int, tuple[int, ...]]


class StatusWorld(World):
    """`now_ms` are milliseconds since the world began; `run_for` lets timers run out in time."""

    now_ms = 0

    def __post_init__(self) -> None:
        self.deadlines: dict[str, int] = {}
        super().__post_init__()

    def give(self, event: Input) -> tuple[Effect, ...]:
        now = Now(self.now_ms / 1000, EPOCH_MS + self.now_ms)
        effects = self.node.handle(now, event)
        self.effects.extend(effects)
        for effect in effects:
            if isinstance(effect, SetTimer):
                self.deadlines[effect.name] = self.now_ms + round(effect.seconds * 1000)
            self._carry_out(effect)
        return effects

    def run_for(self, ms: int) -> None:
        """Let so much time pass, and all that is due in it happen at its time."""
        end = self.now_ms + ms
        while True:
            due = {name: at for name, at in self.deadlines.items() if name in self.timers}
            name = min(due, key=due.__getitem__, default=None)
            if name is None or due[name] > end:
                break
            self.now_ms = max(self.now_ms, due[name])
            self.run_timer(name)
            self.settle()
        self.now_ms = end

    # --- requests ------------------------------------------------------------------------------

    def assign(self, targets: Targets, topic: str = "t") -> Result:
        """Ask for these lists, by partition, and let everything come to rest."""
        wanted = tuple((TopicPartition(topic, n), to) for n, to in targets.items())
        (result,) = self.ask(AssignPartitions(wanted))
        return result

    def assigned(self, targets: Targets, topic: str = "t") -> int:
        """As `assign`, and return the number that it has got."""
        result = self.assign(targets, topic)
        assert isinstance(result, PartitionsAssigned), result
        return result.request_id

    def tidy(self) -> None:
        """Let finished orders go."""
        if TIDY_TIMER in self.timers:
            self.run_timer(TIDY_TIMER)
            self.settle()

    # --- brokers -------------------------------------------------------------------------------

    def join(self, number: int, *isr: int, topic: str = "t") -> None:
        """Let the leader have these in sync."""
        state = self.node.state
        assert state is not None
        name = TopicPartition(topic, number)
        part = state.partition(name)
        assert part is not None and part.leadership is not None
        held = part.leadership
        epoch = state.brokers[held.leader].epoch
        self.ask(AlterPartition(name, held.leader, epoch, held.leader_epoch, held.version, isr))

    def finish(self) -> None:
        """Let whatever moves come in sync, until nothing does."""
        for _ in range(20):
            state = self.node.state
            assert state is not None
            moving = [(name, part) for name, part in state.moving() if part.additions_to_make]
            if not moving:
                break
            for name, part in moving:
                assert part.leadership is not None
                isr = (*part.leadership.isr, *part.additions_to_make)
                self.join(name.partition, *isr, topic=name.topic)
        self.tidy()

    def heard(self, number: int, broker: int, end: int, whole: int, start: int = 0) -> None:
        """Let the controller hear how far a follower has come."""
        name = TopicPartition("t", number)
        report = ReplicaProgress(name, broker, end, start, whole)
        self.post(ProgressHeard((report,), EPOCH_MS + self.now_ms))

    # --- what ZooKeeper holds ------------------------------------------------------------------

    def header(self, request: int) -> dict[str, Any]:
        return self.data(paths.status_header(request))

    def rows(self, request: int) -> dict[tuple[int, int], dict[str, Any]]:
        """The rows of a request by partition and broker."""
        found = {}
        for number in range(self.header(request)["chunks"]):
            path = paths.status_chunk(request, number)
            if self.exists(path):
                listed: Any = self.data(path)["replicas"]
                found.update({(row["partition"], row["broker"]): row for row in listed})
        return found

    def kept(self) -> list[int]:
        """The numbers of the requests that have a header."""
        node = self.zookeeper.tree.nodes.get(paths.REASSIGN_STATUS)
        return sorted(int(name) for name in node.children) if node else []

    def put(self, path: str, fields: object) -> None:
        """Change a znode as somebody else."""
        self.zookeeper.tree.nodes[path].data = json.dumps(fields).encode()


def with_topic(
    partitions: int = 2, replicas: tuple[int, ...] = (1, 2), config: NodeConfig = CONFIG
) -> StatusWorld:
    """A node in office, four brokers, and t."""
    world = StatusWorld(replace(config))
    world.settle()
    for broker in (1, 2, 3, 4):
        world.register(broker)
    world.settle()
    lists = dict.fromkeys(range(partitions), replicas)
    world.ask(CreateTopic("t", -1, -1, lists, {}, 0, 0, topic_id=TOPIC_ID))
    world.effects.clear()
    return world
