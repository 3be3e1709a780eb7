"""How a leader publishes a changed ISR below inter.broker.protocol.version 2.7-IV2.

The leader writes the partition's state znode itself, with its own leader epoch and the controller
epoch of its last order, on condition of the partition epoch it knows. Partitions whose ISR it has
changed are told to the controller later and together, by a sequential node. Sources: Kafka 3.9,
ZkAlterPartitionManager, ReplicationUtils.updateLeaderAndIsr.

From 2.7-IV2 on `alter_partition` takes the place of this: same changes in, same verdicts out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Create, SetData
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Conflict,
    OpError,
    ReadData,
    ReadDone,
    UpdateDone,
    WatchDone,
    Znode,
)
from klamm.controller.znodes import (
    StateZnode,
    ZnodeError,
    decode_state,
    encode_partitions,
    encode_state,
    paths,
)
from klamm.controller.znodes import TopicPartition as ZnodePartition
from klamm.tools.brokers.asks import Answered
from klamm.tools.brokers.calls import Calls, Done
from klamm.tools.brokers.replica import IsrChange
from klamm.tools.brokers.settings import Times


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change is in the state znode, at this version of it."""

    change: IsrChange
    partition_epoch: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """A change cannot be: the leader goes back to the ISR that was, and may try another one."""

    change: IsrChange


Verdict = Accepted | Rejected


class Publisher(Protocol):
    """One broker's changes of ISRs under way. A change may never get a verdict."""

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""

    def submit(self, change: IsrChange) -> None:
        """Publish a change."""

    def advance(self, now: float) -> None:
        """Do what time brings."""

    def stored(self, now: float, done: Done) -> Sequence[Verdict]:
        """Take a settled answer of ZooKeeper's."""

    def answered(self, now: float, answered: Answered) -> Sequence[Verdict]:
        """Take an answer of the controller's."""


class ZnodePublisher:
    """One broker's changes under way, and those still to be told.

    A change that lost against another writer gets no verdict: Kafka leaves it pending until the
    controller's next order for the partition.
    """

    def __init__(self, calls: Calls, times: Times, started_at: float) -> None:
        self._calls = calls
        self._times = times
        self._writes: dict[int, IsrChange] = {}
        self._reads: dict[int, IsrChange] = {}
        self._untold: dict[TopicPartition, None] = {}
        self._changed_at = started_at
        self._told_at = started_at
        self._check_at = started_at + times.notice_check

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        return self._check_at if self._untold else math.inf

    def submit(self, change: IsrChange) -> None:
        """Write a change into the partition's state znode."""
        write = SetData(_path(change), encode_state(_state(change)), change.partition_epoch)
        self._writes[self._calls.update(write)] = change

    def advance(self, now: float) -> None:
        """Tell what has changed, at the next check after the delays of `Times`."""
        if now < self._check_at:
            return
        interval = self._times.notice_check
        self._check_at += interval * (math.floor((now - self._check_at) / interval) + 1)
        settled = now - self._changed_at > self._times.notice_linger
        overdue = now - self._told_at > self._times.notice_longest
        if self._untold and (settled or overdue):
            told = encode_partitions(ZnodePartition(*name) for name in self._untold)
            self._calls.update(Create(paths.ISR_CHANGE_PREFIX, told, sequential=True))
            self._untold.clear()
            self._told_at = now

    def answered(self, now: float, answered: Answered) -> tuple[Verdict, ...]:
        """Take the controller's answers, none of which concern this way of publishing."""
        return ()

    def stored(self, now: float, done: Done) -> tuple[Verdict, ...]:
        """Take a settled answer; a verdict if it brings one."""
        match done:
            case UpdateDone(request=request, outcome=outcome) if request in self._writes:
                change = self._writes.pop(request)
                if isinstance(outcome, Committed):
                    version = outcome.results[0].version
                    assert version is not None, "a write leaves a version behind"
                    return (self._accepted(now, change, version),)
                # Somebody wrote before us, which may have been ourselves (a repeated write).
                if isinstance(outcome, Conflict) and outcome.error is OpError.BAD_VERSION:
                    self._reads[self._calls.read(ReadData(_path(change)))] = change
            case ReadDone(request=request, outcome=(Znode() as znode,)) if request in self._reads:
                change = self._reads.pop(request)
                if _holds(znode, change):
                    return (self._accepted(now, change, znode.version),)
            case ReadDone(request=request):
                self._reads.pop(request, None)
            case UpdateDone() | CommitDone() | WatchDone():
                pass
        return ()

    def _accepted(self, now: float, change: IsrChange, version: int) -> Accepted:
        self._untold[change.name] = None
        self._changed_at = now
        return Accepted(change, version)


def _path(change: IsrChange) -> str:
    return paths.state(change.name.topic, change.name.partition)


def _state(change: IsrChange) -> StateZnode:
    return StateZnode(change.leader, change.leader_epoch, change.isr, change.controller_epoch)


def _holds(znode: Znode, change: IsrChange) -> bool:
    try:
        return decode_state(znode.data, znode.path) == _state(change)
    except ZnodeError:
        return False
