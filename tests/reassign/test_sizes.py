"""Bytes of partitions and replicas, from what brokers tell of their disks."""

from collections.abc import Collection
from concurrent.futures import Future
from typing import cast

from reassign.scripted import names

from klamm.tools.admin import (
    Admin,
    BrokerDescription,
    ClusterDescription,
    LogDir,
    LogDirReplica,
    Results,
    TopicPartitionReplica,
    errors,
)
from klamm.tools.reassign.sizes import partition_bytes, replica_bytes

P0, P1, P2 = names(3)


def log_dir(path: str, *replicas: tuple[int, int, bool]) -> LogDir:
    """Return a directory with replicas: partition number, size, and whether it is a copy."""
    found = {names(3)[number]: LogDirReplica(size, 0, copy) for number, size, copy in replicas}
    return LogDir(path, None, None, None, found)


LOG_DIRS = {
    1: (log_dir("/a", (0, 100, False), (1, 7, False)), log_dir("/b", (0, 999, True))),
    2: (log_dir("/a", (0, 60, False), (1, 8, False)),),
}


class Brokers:
    """Stands for a client; broker 3 cannot be asked."""

    def describe_cluster(self) -> Future[ClusterDescription]:
        future: Future[ClusterDescription] = Future()
        brokers = {id_: BrokerDescription(id_, "h", 1, None) for id_ in (1, 2, 3)}
        future.set_result(ClusterDescription(None, None, brokers))
        return future

    def describe_log_dirs(
        self, brokers: Collection[int], timeout_ms: int
    ) -> Results[int, tuple[LogDir, ...]]:
        assert timeout_ms < 10_000, "who watches does not wait for a dead broker"
        futures: dict[int, Future[tuple[LogDir, ...]]] = {}
        for broker in brokers:
            future: Future[tuple[LogDir, ...]] = Future()
            futures[broker] = future
            if broker == 3:
                future.set_exception(errors.TimeoutError_("no answer"))
            else:
                future.set_result(LOG_DIRS[broker])
        return Results(futures)


def test_the_largest_replica_counts_and_no_copy_between_directories() -> None:
    said: list[str] = []
    found = partition_bytes(cast(Admin, Brokers()), [P0, P1, P2], said.append)
    assert found == {P0: 100, P1: 8}
    assert said == ["Passing over the sizes on broker 3: no answer"]


def test_only_what_is_asked_for() -> None:
    found = replica_bytes(cast(Admin, Brokers()), [1, 2], [P1], print)
    assert found == {TopicPartitionReplica(*P1, 1): 7, TopicPartitionReplica(*P1, 2): 8}
