"""What a tool has of the cluster: it submits moves, looks at partitions, and sleeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from klamm.controller.core.model import TopicPartition
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.lab.clients import AskFor, limit_moves, list_moves, need_in_sync
from klamm.tools.lab.evidence.metered import MeteredWorld
from klamm.tools.lab.evidence.policies import Policy
from klamm.tools.lab.evidence.site import Targets

_TIMEOUT_MS = 60_000


class RefusedError(Exception):
    """The cluster has refused something; the text says what, and with which code."""


@dataclass(frozen=True, slots=True)
class Look:
    """A partition at one look, as key 46 and Metadata have it; `isr` is empty while it moves."""

    replicas: tuple[int, ...]
    isr: tuple[int, ...] = ()
    moving: bool = False


class Port:
    """A tool's connection to the controller of one world, and its clock, which is the world's.

    `awake` is called whenever time has passed, and may end the tool by an error of its own.
    """

    def __init__(self, world: MeteredWorld, awake: Callable[[], None] = lambda: None) -> None:
        self._world = world
        self._awake = awake
        #: What was submitted, in order: when, and how many partitions in one request.
        self.submits: list[tuple[float, int]] = []

    def monotonic(self) -> float:
        """Return the world's time, in seconds."""
        return self._world.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        end = self._world.now + seconds
        while self._world.now < end:
            self._world.hop(end)
            self._awake()

    def submit(self, targets: Mapping[TopicPartition, tuple[int, ...] | None]) -> None:
        """Ask for moves, or with None for cancels, in one request; raises RefusedError."""
        topics: dict[str, list[ReassignablePartition]] = {}
        for name, replicas in targets.items():
            topics.setdefault(name.topic, []).append(
                ReassignablePartition(name.partition, replicas)
            )
        body = AlterPartitionReassignmentsRequest(
            timeout_ms=_TIMEOUT_MS,
            topics=tuple(ReassignableTopic(topic, tuple(each)) for topic, each in topics.items()),
        )
        self.submits.append((self._world.now, len(targets)))
        answer = self._world.told(AskFor(f"alter {len(targets)} moves", 0, body))
        assert isinstance(answer, AlterPartitionReassignmentsResponse)
        refused = [
            f"{topic.name}-{each.partition_index}: {each.error_code} {each.error_message or ''}"
            for topic in answer.responses
            for each in topic.partitions
            if each.error_code
        ]
        if answer.error_code or refused:
            raise RefusedError(f"{answer.error_code}; {', '.join(refused)}")

    def moving(self) -> dict[TopicPartition, Look]:
        """Return all moves that the controller lists."""
        answer = self._world.told(list_moves())
        assert isinstance(answer, ListPartitionReassignmentsResponse)
        return {
            TopicPartition(topic.name, each.partition_index): Look(each.replicas, moving=True)
            for topic in answer.topics
            for each in topic.partitions
        }

    def look(self, names: Iterable[TopicPartition]) -> dict[TopicPartition, Look]:
        """Look at partitions as Kafka's tool does: key 46, then Metadata for what is not listed."""
        moving = self.moving()
        wanted = [*names]
        resting = self._describe(sorted({name.topic for name in wanted if name not in moving}))
        return {name: moving.get(name) or resting[name] for name in wanted}

    def _describe(self, topics: Iterable[str]) -> dict[TopicPartition, Look]:
        asked = tuple(MetadataRequestTopic(name=topic) for topic in topics)
        if not asked:
            return {}
        answer = self._world.told(
            AskFor("describe topics", 9, MetadataRequest(asked, allow_auto_topic_creation=False))
        )
        assert isinstance(answer, MetadataResponse)
        return {
            TopicPartition(topic.name or "", each.partition_index): Look(
                each.replica_nodes, each.isr_nodes
            )
            for topic in answer.topics
            for each in topic.partitions
        }

    def configure(self, policy: Policy, min_in_sync: int) -> None:
        """Set min.insync.replicas, and the policy's limits if it has any, for all brokers."""
        limits = policy.limits
        wanted = [need_in_sync(min_in_sync)]
        if not limits.none:
            wanted.append(limit_moves(limits.replicas, limits.partitions, limits.leaders))
        for what in wanted:
            answer = self._world.told(what)
            assert isinstance(answer, IncrementalAlterConfigsResponse)
            for each in answer.responses:
                if each.error_code != ErrorCode.NONE:
                    raise RefusedError(f"{what.name}: {each.error_code} {each.error_message or ''}")


@dataclass(frozen=True, slots=True)
class Begun:
    """What an earlier run of the tool has submitted of a plan: what is done, and what moves."""

    complete: frozenset[TopicPartition] = frozenset()
    in_flight: frozenset[TopicPartition] = frozenset()


def begun(port: Port, plan: Targets) -> Begun:
    """Look how far a plan is."""
    looks = port.look(plan)
    return Begun(
        frozenset(name for name, to in plan.items() if looks[name].replicas == to),
        frozenset(name for name, look in looks.items() if look.moving),
    )


#: Carries a plan out by a policy, and returns when there is nothing left to submit.
Tool = Callable[[Targets, Policy, Port, Begun], None]
