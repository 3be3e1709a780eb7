"""The lab's tool in portions submits what the real one does, at the same times (KIP-1335)."""

import pytest

from klamm.controller.core.model import TopicPartition
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.exhibit import Stage
from klamm.tools.lab.exhibits._tools import Tool
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.world import World
from klamm.tools.reassign.pacing import Pacing, Targets, submit_paced
from klamm.tools.reassign.state import PartitionState
from klamm.tools.reassign.waiting import Patience

PLAN = dict.fromkeys(range(7), (1, 3))
#: One broker gets everything at 100 bytes/s, 300 bytes a partition.
SCOPE = Scope(
    "pacing",
    "One node, three brokers, one topic.",
    nodes=1,
    topics={"a": dict.fromkeys(PLAN, (1, 2))},
    partition_bytes=300,
    bandwidth=100.0,
)
Submits = list[tuple[float, list[int]]]


class RealTool:
    """The real pacing over a world: it sends as the lab's tool does, and looks at its znodes."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.submits: Submits = []
        self._began = stage.world.now

    def monotonic(self) -> float:
        return self.stage.world.now

    def sleep(self, seconds: float) -> None:
        self.stage.world.advance(seconds)

    def submit(self, targets: Targets) -> None:
        group = [name.partition for name in targets]
        plan = {name.partition: replicas for name, replicas in targets.items()}
        Tool(self.stage, "a", plan, len(group)).look()
        self.submits.append((round(self.monotonic() - self._began, 3), group))

    def read(self, targets: Targets) -> dict[TopicPartition, PartitionState]:
        found = {}
        for name, target in targets.items():
            replicas = tuple(self.stage.replicas(*name))
            isr = tuple(self.stage.leadership(*name)[1])
            found[name] = PartitionState(name, target, replicas, isr, moving=len(replicas) > 2)
        return found


def real(batch: int) -> Submits:
    tool = RealTool(Stage(World(SCOPE, Enumerator())))
    pacing = Pacing(batch, incremental=True)
    targets = {TopicPartition("a", number): to for number, to in PLAN.items()}
    patience = Patience(tool, pacing.poll_interval_ms)
    submit_paced(targets, pacing, submit=tool.submit, read=tool.read, patience=patience)
    return tool.submits


def told(batch: int) -> Submits:
    stage = Stage(World(SCOPE, Enumerator()))
    tool, began = Tool(stage, "a", PLAN, batch), stage.world.now
    found: Submits = []
    while tool.pending:
        if found:
            stage.world.advance(1.0)
        tool.look()
        for group in tool.submits:
            found.append((round(stage.world.now - began, 3), group))
        tool.submits.clear()
        if not found:
            raise AssertionError("the first look submits")
    return found


@pytest.mark.parametrize("batch", [1, 2, 3, 7, 8])
def test_both_tools_submit_the_same(batch: int) -> None:
    submits = real(batch)
    assert told(batch) == submits
    assert [number for _, group in submits for number in group] == [*PLAN]
    assert max(len(group) for _, group in submits) == min(batch, len(PLAN))
