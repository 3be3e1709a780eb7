"""Keys 34 and 35: what of a node's log directories is asked, and what is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from handlers.denials import denied
from handlers.transacting import on_the_wire
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers import k34_alter_replica_log_dirs as k34
from klamm.controller.handlers import k35_describe_log_dirs as k35
from klamm.controller.handlers.api import Answer, Context
from klamm.controller.handlers.log_dirs import LogDirectory, ReplicaLog
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from klamm.protocol.generated.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from klamm.protocol.generated.describe_log_dirs_request import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
)
from klamm.protocol.generated.describe_log_dirs_response import DescribeLogDirsResponse

STATE = cluster(topic("foo", {0: partition((1, 2))}))
FOO0, FOO1, BAR0 = TopicPartition("foo", 0), TopicPartition("foo", 1), TopicPartition("bar", 0)
DIRECTORIES = (
    LogDirectory("/a", {FOO1: ReplicaLog(10, 0), BAR0: ReplicaLog(7, 2)}, True, 100, 83),
    LogDirectory("/b", {FOO0: ReplicaLog(5, 0), BAR0: ReplicaLog(3, 4, future=True)}, True, 50, 42),
    LogDirectory("/gone", online=False),
)


@dataclass
class Dirs:
    """Log directories that are looked at; what moves is noted."""

    codes: Mapping[TopicPartition, ErrorCode] = field(default_factory=dict)
    moved: list[tuple[TopicPartition, str]] = field(default_factory=list)

    def describe(self) -> tuple[LogDirectory, ...]:
        return DIRECTORIES

    def move(self, name: TopicPartition, path: str) -> ErrorCode:
        self.moved.append((name, path))
        return self.codes.get(name, ErrorCode.NONE)


def described(
    on: Context, topics: Mapping[str, tuple[int, ...]] | None = None, version: int = 4
) -> DescribeLogDirsResponse:
    named = None
    if topics is not None:
        named = tuple(DescribableLogDirTopic(*item) for item in topics.items())
    outcome = k35.handle(on, DescribeLogDirsRequest(named), version)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, version)
    assert isinstance(response, DescribeLogDirsResponse)
    return response


def logs(response: DescribeLogDirsResponse) -> dict[str, list[tuple[str, int, int, int, bool]]]:
    return {
        result.log_dir: [
            (item.name, part.partition_index, part.partition_size, part.offset_lag,
             part.is_future_key)
            for item in result.topics
            for part in item.partitions
        ]
        for result in response.results
    }  # fmt: skip


def altered(
    on: Context, *wanted: tuple[str, str, tuple[int, ...]], version: int = 2
) -> dict[tuple[str, int], int]:
    request = AlterReplicaLogDirsRequest(
        tuple(
            AlterReplicaLogDir(path, (AlterReplicaLogDirTopic(name, numbers),))
            for path, name, numbers in wanted
        )
    )
    outcome = k34.handle(on, request, version)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, version)
    assert isinstance(response, AlterReplicaLogDirsResponse)
    found = [
        ((item.topic_name, part.partition_index), part.error_code)
        for item in response.results
        for part in item.partitions
    ]
    assert len(dict(found)) == len(found), "each partition is answered once"
    return dict(found)


# --- 35 ------------------------------------------------------------------------------------------


def test_null_shows_all_that_is_in_each_directory() -> None:
    response = described(replace(context(STATE), log_dirs=Dirs()))
    assert logs(response) == {
        "/a": [("bar", 0, 7, 2, False), ("foo", 1, 10, 0, False)],
        "/b": [("bar", 0, 3, 4, True), ("foo", 0, 5, 0, False)],
        "/gone": [],
    }
    disks = [(each.error_code, each.total_bytes, each.usable_bytes) for each in response.results]
    assert disks == [(0, 100, 83), (0, 50, 42), (56, -1, -1)]
    assert response.error_code == 0


@pytest.mark.parametrize("version", k35.VERSIONS)
def test_what_is_named_is_shown_alone(version: int) -> None:
    on = replace(context(STATE), log_dirs=Dirs())
    found = logs(described(on, {"foo": (0, 9), "nowhere": (0,)}, version))
    assert found == {"/a": [], "/b": [("foo", 0, 5, 0, False)], "/gone": []}
    assert logs(described(on, {}, version)) == {"/a": [], "/b": [], "/gone": []}


def test_a_node_without_data_shows_one_empty_directory() -> None:
    """Java's client takes no directory at all for a missing right."""
    [result] = described(context(STATE)).results
    assert (result.log_dir, result.error_code, result.topics) == ("(none)", 0, ())
    assert (result.total_bytes, result.usable_bytes) == (-1, -1)


@pytest.mark.parametrize("version", k35.VERSIONS)
def test_who_may_not_describe_the_cluster_sees_no_directory(version: int) -> None:
    response = described(denied(replace(context(STATE), log_dirs=Dirs())), None, version)
    assert response.results == ()
    assert response.error_code == (31 if version >= 3 else 0)


# --- 34 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", k34.VERSIONS)
def test_each_partition_goes_where_it_is_named_last(version: int) -> None:
    dirs = Dirs({FOO1: ErrorCode.REPLICA_NOT_AVAILABLE, BAR0: ErrorCode.KAFKA_STORAGE_ERROR})
    on = replace(context(STATE), log_dirs=dirs)
    asked = (("/a", "foo", (0, 1)), ("/b", "bar", (0,)), ("/b", "foo", (0,)))
    assert altered(on, *asked, version=version) == {("foo", 0): 0, ("foo", 1): 9, ("bar", 0): 56}
    assert dirs.moved == [(FOO0, "/b"), (FOO1, "/a"), (BAR0, "/b")]


def test_a_node_without_data_has_no_such_directory() -> None:
    assert altered(context(STATE), ("/a", "foo", (0,))) == {("foo", 0): 57}


def test_the_name_of_the_copy_must_be_one_for_files() -> None:
    dirs = Dirs()
    on = replace(context(STATE), log_dirs=dirs)
    fits = "t" * (255 - len("-10") - len(".") - 32 - len("-future"))
    assert altered(on, ("/a", fits, (10,))) == {(fits, 10): 0}
    assert altered(on, ("/a", fits, (100,))) == {(fits, 100): 17}
    assert dirs.moved == [(TopicPartition(fits, 10), "/a")]


def test_who_may_not_alter_the_cluster_moves_nothing() -> None:
    dirs = Dirs()
    on = denied(replace(context(STATE), log_dirs=dirs))
    assert altered(on, ("/a", "foo", (0, 1))) == {("foo", 0): 31, ("foo", 1): 31}
    assert dirs.moved == []
