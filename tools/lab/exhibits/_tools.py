"""A reassignment tool in portions, as a client of a world's nodes (KIP-1335, incremental)."""

from __future__ import annotations

from collections.abc import Mapping

from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.tools.lab.clients import list_moves, moves
from klamm.tools.lab.exhibit import Stage
from klamm.tools.lab.exhibits._steps import codes
from klamm.tools.lab.variants._scripts import in_office


def listed(stage: Stage) -> set[tuple[str, int]]:
    """Return what the controller lists as moving; raises LookupError if it does not answer."""
    world = stage.world
    asked = world.ask(in_office(world)[0], list_moves())
    world.settle()
    for response in asked.responses:
        if isinstance(response, ListPartitionReassignmentsResponse):
            return {
                (topic.name, each.partition_index)
                for topic in response.topics
                for each in topic.partitions
            }
    raise LookupError("nobody answers who lists moves")


class Tool:
    """One run of the tool, over one topic: `batch` of its partitions in flight at most.

    `klamm.tools.reassign.pacing` is the real one, which stands above the lab; tests compare both.
    """

    def __init__(
        self, stage: Stage, topic: str, plan: Mapping[int, tuple[int, ...]], batch: int
    ) -> None:
        self._stage, self._topic, self._batch = stage, topic, batch
        self._plan = plan
        self.pending = sorted(plan)
        self.in_flight: list[int] = []
        #: What was submitted together, in order.
        self.submits: list[list[int]] = []

    def look(self) -> None:
        """Take out of the flight what is complete, and submit as many more as there is room for."""
        if self.in_flight:
            moving = listed(self._stage)
            self.in_flight = [each for each in self.in_flight if not self._done(each, moving)]
        group = self.pending[: self._batch - len(self.in_flight)]
        if group:
            self._submit(group)

    def _done(self, number: int, moving: set[tuple[str, int]]) -> bool:
        stage, topic, target = self._stage, self._topic, self._plan[number]
        if (topic, number) in moving or tuple(stage.replicas(topic, number)) != target:
            return False
        return set(stage.leadership(topic, number)[1]) == set(target)

    def _submit(self, group: list[int]) -> None:
        world, topic = self._stage.world, self._topic
        name = f"move {topic}-{', '.join(map(str, group))}"
        wanted = {number: self._plan[number] for number in group}
        asked = world.ask(in_office(world)[0], moves(name, topic, wanted))
        world.settle()
        if codes(asked) != [0] * len(group):
            raise LookupError(f"{name} was answered {codes(asked)}")
        self.pending = self.pending[len(group) :]
        self.in_flight += group
        self.submits.append(group)
