"""How a plan's moves are asked for: one kind of request for each dialect.

Kafka's own is key 45. KIP-179 has two of its own, 17902 by topics and 17900 with an id, which only
klamm's servers know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Set
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Protocol

from klamm.tools.admin import (
    Admin,
    AlteredTopic,
    AssignPartitionsResult,
    PartitionReassignment,
    Results,
    TopicPartition,
)
from klamm.tools.admin.errors import AdminError, ApiError, ReassignmentInProgressError
from klamm.tools.admin.names import by_topic
from klamm.tools.admin.partitions import read_partitions
from klamm.tools.reassign import texts
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.option import Dialect
from klamm.tools.reassign.output import CommandError, Output
from klamm.tools.reassign.plan_files import Plan
from klamm.tools.reassign.resume import goal
from klamm.tools.reassign.state import Target
from klamm.tools.reassign.waiting import DOUBT_SECONDS, Clock, Targets

_PAUSE_SECONDS: Final = 0.25

Moving = Mapping[TopicPartition, PartitionReassignment]
Refusals = Mapping[TopicPartition, AdminError]


class Starts(Protocol):
    """A kind of request that starts moves."""

    def check(self, plan: Plan, current: Assignment) -> None:
        """Refuse a plan that this kind cannot carry; `current` are the replicas now.

        Raises CommandError, and AdminError if no node serves the request; nothing has been
        changed by then.
        """

    def running(self, group: Targets) -> Set[TopicPartition]:
        """Return what is not asked for because it moves to its target already."""

    def send(self, group: Targets) -> Refusals:
        """Send one request, and return what was refused; raises AdminError."""


def starts_of(
    dialect: Dialect,
    admin: Admin,
    output: Output,
    moving: Moving,
    clock: Clock,
    *,
    allow_replication_factor_change: bool = True,
    in_portions: bool = False,
) -> Starts:
    """Return the kind of a dialect; `moving` is what moves before the first is sent."""
    match dialect:
        case Dialect.KIP_179_ALTER:
            return ByTopics(admin, moving, allow_replication_factor_change)
        case Dialect.KIP_179_ASSIGN:
            return ByRequestId(
                admin, moving, allow_replication_factor_change, output, clock, in_portions
            )
    return ByPartitions(admin, allow_replication_factor_change)


@dataclass(frozen=True, slots=True)
class ByPartitions:
    """AlterPartitionReassignments, which judges changes of the replication factor itself."""

    admin: Admin
    allow_change: bool

    def check(self, plan: Plan, current: Assignment) -> None:
        """Refuse nothing."""

    def running(self, group: Targets) -> Set[TopicPartition]:
        """Return nothing: what moves can be asked for again."""
        return frozenset()

    def send(self, group: Targets) -> Refusals:
        """Send key 45."""
        results = self.admin.alter_partition_reassignments(
            group, allow_replication_factor_change=self.allow_change
        )
        return _refusals(results)


@dataclass(frozen=True, slots=True)
class _OneAtATime(ABC):
    """What both requests of KIP-179 lack: they refuse all while anything moves.

    So what moves to its target already is not asked for again: with --additional a plan that runs
    is submitted anew to change its throttle.
    """

    admin: Admin
    moving: Moving
    allow_change: bool

    def check(self, plan: Plan, current: Assignment) -> None:
        """Refuse changes of the replication factor if they are not wanted.

        First the server is asked whether it offers the request, so that none learns it half way.
        """
        self._offered().result()
        if self.allow_change:
            return
        for name, target in plan.targets.items():
            if len(target) != len(current[name]):
                # In the words of Kafka 4.1, which refuses it itself (KIP-860).
                raise CommandError(
                    f"{name}: The replication factor is changed from {len(current[name])} to"
                    f" {len(target)}"
                )

    def send(self, group: Targets) -> Refusals:
        """Ask for what does not move to its target yet."""
        running = self.running(group)
        left = {name: target for name, target in group.items() if name not in running}
        return self._send(left) if left else {}

    def running(self, group: Targets) -> Set[TopicPartition]:
        """Return what moved to its target before the first request."""
        return {
            name
            for name, target in group.items()
            if name in self.moving and goal(self.moving[name]) == target
        }

    @abstractmethod
    def _offered(self) -> Future[None]:
        """Ask whether any node serves the request."""

    @abstractmethod
    def _send(self, group: Targets) -> Refusals:
        """Send one request for all of these."""


@dataclass(frozen=True, slots=True)
class ByTopics(_OneAtATime):
    """AlterTopics (KIP-179): a topic is accepted or refused as a whole."""

    def check(self, plan: Plan, current: Assignment) -> None:
        """Refuse lists of several lengths for a topic too, which has one replication factor."""
        for topic, targets in _by_topic(plan.targets).items():
            lengths = sorted({len(target) for target in targets.values()})
            if len(lengths) > 1:
                raise CommandError(
                    f"Topic {topic} is to have partitions with {texts.ids(lengths)} replicas;"
                    " AlterTopics gives all partitions of a topic the same number. Use another"
                    " dialect, or a file for each number."
                )
        _OneAtATime.check(self, plan, current)

    def _offered(self) -> Future[None]:
        return self.admin.alter_topics_offered()

    def _send(self, group: Targets) -> Refusals:
        topics = _by_topic(group)
        factors: dict[str, set[int]] = {topic: set() for topic in topics}
        for name, partition in read_partitions(self.admin, topics.keys()).items():
            factors[name.topic].add(len(partition.replicas))
        altered = [
            altered_topic(topic, targets, factors[topic]) for topic, targets in topics.items()
        ]
        try:
            outcomes = self.admin.alter_topics(altered).result().result()
        except ApiError as error:
            return dict.fromkeys(group, error)
        refused = {topic: outcome for topic, outcome in outcomes.items() if outcome is not None}
        return {name: refused[name.topic] for name in group if name.topic in refused}


def altered_topic(topic: str, targets: Mapping[int, Target], factors: set[int]) -> AlteredTopic:
    """Say in one what partitions are to move to, given how many replicas the topic's have now.

    The replication factor changes if the lists are longer or shorter than those of all partitions.
    """
    length = len(next(iter(targets.values())))
    return AlteredTopic(topic, -1, -1 if length in factors else length, targets)


@dataclass(frozen=True, slots=True)
class ByRequestId(_OneAtATime):
    """AssignPartitions (KIP-179, version 8): the last line that is printed is the request's id.

    Of a plan in portions it is the id of the last one; each is told on standard error when it is
    given.
    """

    output: Output
    clock: Clock
    in_portions: bool

    def _offered(self) -> Future[None]:
        return self.admin.assign_partitions_offered()

    def _send(self, group: Targets) -> Refusals:
        try:
            result = self._assigned(group)
        except ApiError as error:
            return dict.fromkeys(group, error)
        refused = _refusals(result)
        request_id = result.request_id.result()
        if request_id is not None:
            self.output.end_with(str(request_id))
            self.output.add("request_ids", request_id)
            if self.in_portions:
                accepted = texts.names(name for name in group if name not in refused)
                self.output.warn(f"request {request_id}: {accepted}")
        return refused

    def _assigned(self, group: Targets) -> AssignPartitionsResult:
        """Send key 17900, again while it is refused although nothing moves; raises AdminError.

        What has ended stays written down for up to a second, and is in the way for as long.
        """
        until = self.clock.monotonic() + DOUBT_SECONDS
        while True:
            result = self.admin.assign_partitions(group)
            try:
                result.request_id.result()
            except ReassignmentInProgressError:
                if self.clock.monotonic() > until or self._something_moves():
                    raise
                self.clock.sleep(_PAUSE_SECONDS)
            else:
                return result

    def _something_moves(self) -> bool:
        return bool(self.admin.list_partition_reassignments().result())


def _refusals(results: Results[TopicPartition, None]) -> Refusals:
    refused = {}
    for name, future in results.futures.items():
        try:
            future.result()
        except AdminError as error:
            refused[name] = error
    return refused


def _by_topic(targets: Targets) -> dict[str, dict[int, Target]]:
    return {
        topic: {number: targets[TopicPartition(topic, number)] for number in numbers}
        for topic, numbers in by_topic(targets).items()
    }
