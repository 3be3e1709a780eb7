"""Moves between log directories: how far they are, and how they are started.

A broker accepts one only once it has the replica, so --execute asks again and again until
--timeout is over.
Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (findLogDirMoveStates,
replicaMoveStatesToString, executeMoves, alterReplicaLogDirs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from klamm.tools.admin import Admin, TopicPartition, TopicPartitionReplica, errors
from klamm.tools.reassign import texts
from klamm.tools.reassign.output import CommandError, Output, TerseError
from klamm.tools.reassign.pacing import Clock

Folders = Mapping[TopicPartitionReplica, str]

RETRY_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class LogDirState:
    """Where a replica is, and where it is being moved to; None for nowhere.

    `on_live_broker` is false where the broker is not there to be asked.
    """

    replica: TopicPartitionReplica
    target: str
    current: str | None = None
    future: str | None = None
    on_live_broker: bool = True

    @property
    def moving(self) -> bool:
        """Tell whether a copy is being made in another directory."""
        return self.current is not None and self.future is not None

    @property
    def text(self) -> str:
        """What --verify says of it."""
        broker = self.replica.broker
        partition = TopicPartition(self.replica.topic, self.replica.partition)
        if not self.on_live_broker:
            return (
                f"Partition {partition} cannot be found in any live log directory on broker"
                f" {broker}."
            )
        if self.current is None:
            return (
                f"Partition {partition} is not found in any live log dir on broker {broker}."
                " There is likely an offline log directory on the broker."
            )
        if self.future == self.target:
            return f"Reassignment of replica {self.replica} is still in progress."
        if self.future is not None:
            return (
                f"Partition {partition} on broker {broker} is being moved to log dir"
                f" {self.future} instead of {self.target}."
            )
        if self.current == self.target:
            return f"Reassignment of replica {self.replica} completed successfully."
        return (
            f"Partition {partition} on broker {broker} is not being moved from log dir"
            f" {self.current} to {self.target}."
        )


def read(admin: Admin, targets: Folders) -> list[LogDirState]:
    """Look at these replicas, in the order of printing; raises AdminError.

    Nothing is sent when there are none.
    """
    if not targets:
        return []
    live = admin.describe_cluster().result().brokers
    brokers = sorted({name.broker for name in targets} & set(live))
    current: dict[TopicPartitionReplica, str] = {}
    future: dict[TopicPartitionReplica, str] = {}
    for broker, log_dirs in admin.describe_log_dirs(brokers).result().items():
        for log_dir in log_dirs:
            for partition, replica in log_dir.replicas.items():
                found = future if replica.is_future else current
                found[TopicPartitionReplica(*partition, broker)] = log_dir.path
    return [
        LogDirState(name, targets[name], current.get(name), future.get(name), name.broker in live)
        for name in texts.by_broker(targets)
    ]


def start(admin: Admin, targets: Folders, timeout_ms: int, clock: Clock, output: Output) -> None:
    """Start these moves, or fail with TerseError after the timeout; the started ones go on.

    Raises CommandError when a broker refuses one for good.
    """
    deadline = clock.monotonic() + timeout_ms / 1000
    pending = dict(targets)
    while True:
        for name in _accepted(admin, pending):
            folder = pending.pop(name)
            output.say(texts.log_dir_move_started(name, folder))
            output.add("log_dir_moves_started", {"replica": str(name), "log_dir": folder})
        if not pending:
            return
        if clock.monotonic() >= deadline:
            raise TerseError(texts.log_dir_timeout([*pending]))
        clock.sleep(RETRY_SECONDS)


def _accepted(admin: Admin, pending: Folders) -> list[TopicPartitionReplica]:
    """Ask for the moves; return those that have begun. A replica may not be there yet."""
    accepted = []
    for name, future in admin.alter_replica_log_dirs(pending).futures.items():
        try:
            future.result()
        except errors.ReplicaNotAvailableError:
            continue
        except errors.AdminError as error:
            raise CommandError(f"Failed to alter dir for {name}: {error}") from error
        accepted.append(name)
    return texts.by_broker(accepted)
