"""Logs that move between the directories of one broker."""

import pytest
from brokers.world import SIZE, T, World, stop_replica

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.log_dirs import LogDirectory, ReplicaLog
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.brokers.settings import DISK_BYTES

A, B, C = "/a", "/b", "/c"
#: So a copy of a log takes ten seconds.
RATE = {"replica_alter_log_dirs_io_max_bytes_per_second": str(SIZE // 10)}


def with_topic(partitions: int = 1, *, produce_rate: float = 0.0) -> World:
    """Broker 1 with three directories and partitions of one replica each, of a thousand bytes."""
    world = World(1, log_dirs=(A, B, C), produce_rate=produce_rate)
    world.configure("brokers/1", **RATE)
    for number in range(partitions):
        world.create((1,), number=number)
    return world


def move(world: World, path: str, name: TopicPartition = T) -> ErrorCode:
    code, effects = world.cluster.move_log(world.now, 1, name, path)
    world.carry_out(effects)
    return code


def directories(world: World) -> dict[str, LogDirectory]:
    return {each.path: each for each in world.cluster.describe_log_dirs(1)}


def logs(world: World) -> dict[str, ReplicaLog]:
    """What there is of T, by directory."""
    found = {path: each.logs.get(T) for path, each in directories(world).items()}
    return {path: log for path, log in found.items() if log is not None}


def test_a_copy_grows_and_takes_the_logs_place() -> None:
    world = with_topic()
    assert logs(world) == {A: ReplicaLog(SIZE, 0)}
    assert move(world, B) is ErrorCode.NONE
    assert logs(world) == {A: ReplicaLog(SIZE, 0), B: ReplicaLog(0, SIZE, future=True)}
    world.advance(4)
    assert logs(world) == {A: ReplicaLog(SIZE, 0), B: ReplicaLog(400, 600, future=True)}
    world.advance(5.9)
    assert logs(world).keys() == {A, B}
    world.advance(0.2)
    assert logs(world) == {B: ReplicaLog(SIZE, 0)}
    world.advance(60)
    assert logs(world) == {B: ReplicaLog(SIZE, 0)}


def test_each_directory_is_a_disk_with_room() -> None:
    world = with_topic(partitions=4)
    sizes = {
        path: each.total_bytes - each.usable_bytes for path, each in directories(world).items()
    }
    assert sizes == {A: 2 * SIZE, B: SIZE, C: SIZE}
    assert {each.total_bytes for each in directories(world).values()} == {DISK_BYTES}
    move(world, C)
    world.advance(5)
    assert directories(world)[C].usable_bytes == DISK_BYTES - SIZE - 500


def test_copies_share_the_rate() -> None:
    world = with_topic(partitions=2)
    other = TopicPartition("t", 1)
    assert logs(world).keys() == {A}
    assert move(world, C) is ErrorCode.NONE
    world.advance(2)
    assert move(world, C, other) is ErrorCode.NONE
    world.advance(4)
    found = directories(world)[C].logs
    assert (found[T].size, found[other].size) == (400, 200)
    world.advance(12.1)
    assert not directories(world)[C].logs[T].future
    world.advance(2)
    assert not directories(world)[C].logs[other].future


def test_another_rate_holds_from_the_moment_it_is_read() -> None:
    world = with_topic()
    move(world, B)
    world.advance(2)
    world.configure("brokers/1", replica_alter_log_dirs_io_max_bytes_per_second="0")
    world.advance(100)
    assert logs(world)[B].size == 200
    world.configure("brokers/1")
    world.advance(0.1)
    assert logs(world) == {B: ReplicaLog(SIZE, 0)}, "at the disks' own rate"


def test_a_log_that_grows_is_caught_up_with() -> None:
    world = with_topic(produce_rate=50)
    move(world, B)
    world.advance(10)
    assert logs(world)[B].size == 1000
    assert logs(world)[B].offset_lag == 500
    world.advance(15)
    [(path, log)] = logs(world).items()
    assert (path, log.future) == (B, False)
    assert log.size >= 2000


def test_a_log_that_grows_as_fast_is_never_caught_up_with() -> None:
    world = with_topic(produce_rate=200)
    move(world, B)
    world.advance(30)
    assert logs(world)[B].future


def test_where_it_is_already_needs_no_copy() -> None:
    world = with_topic()
    assert move(world, A) is ErrorCode.NONE
    assert logs(world) == {A: ReplicaLog(SIZE, 0)}


def test_another_directory_takes_the_place_of_the_one_before() -> None:
    world = with_topic()
    move(world, B)
    world.advance(5)
    assert move(world, C) is ErrorCode.NONE
    assert logs(world) == {A: ReplicaLog(SIZE, 0), C: ReplicaLog(0, SIZE, future=True)}
    world.advance(5)
    assert move(world, C) is ErrorCode.NONE, "it goes on"
    assert logs(world)[C].size == 500
    assert move(world, A) is ErrorCode.NONE
    assert logs(world) == {A: ReplicaLog(SIZE, 0)}, "the present directory ends the copy"


def test_directories_that_there_are_not_or_that_have_failed() -> None:
    world = with_topic()
    assert move(world, "/nowhere") is ErrorCode.LOG_DIR_NOT_FOUND
    world.carry_out(world.cluster.fail_directory(world.now, 1, B))
    assert move(world, B) is ErrorCode.KAFKA_STORAGE_ERROR
    assert logs(world) == {A: ReplicaLog(SIZE, 0)}
    assert [path for path, each in directories(world).items() if not each.online] == [B]


@pytest.mark.parametrize("lost", [A, B])
def test_a_directory_fails_with_a_log_or_its_copy_in_it(lost: str) -> None:
    world = with_topic()
    move(world, B)
    world.advance(5)
    world.carry_out(world.cluster.fail_directory(world.now, 1, lost))
    if lost == A:
        assert logs(world) == {}
        assert move(world, C) is ErrorCode.KAFKA_STORAGE_ERROR, "the partition is offline"
    else:
        assert logs(world) == {A: ReplicaLog(SIZE, 0)}
        assert move(world, C) is ErrorCode.NONE
    world.advance(60)


def test_a_partition_that_is_not_there_is_made_where_it_was_wanted() -> None:
    world = with_topic()
    other = TopicPartition("t", 1)
    assert move(world, A, other) is ErrorCode.REPLICA_NOT_AVAILABLE
    world.create((1,), number=1)
    world.create((1,), number=2)
    found = {name: path for path, each in directories(world).items() for name in each.logs}
    assert found == {T: A, other: A, TopicPartition("t", 2): B}


def test_what_was_copied_is_on_disk_for_the_next_process() -> None:
    world = with_topic()
    move(world, B)
    world.advance(5)
    world.kill(1)
    world.advance(30)
    world.start(1)
    world.tell(1)
    assert logs(world)[B] == ReplicaLog(500, 500, future=True)
    world.reorder((1,))
    world.advance(5.2)
    assert logs(world) == {B: ReplicaLog(SIZE, 0)}


def test_a_partition_that_is_deleted_takes_its_copy_along() -> None:

    world = with_topic()
    move(world, B)
    world.advance(5)
    world.ask(1, stop_replica((0, 1, True)))
    assert logs(world) == {}
    world.advance(60)
    world.create((1,), number=1)
    assert directories(world)[A].logs.keys() == {TopicPartition("t", 1)}, "nothing is counted twice"


def test_a_log_that_is_cut_back_takes_its_copy_along() -> None:
    world = with_topic()
    move(world, B)
    world.advance(8)
    world.cluster.disks(1).logs[T].cut_to(300)
    assert logs(world) == {A: ReplicaLog(300, 0), B: ReplicaLog(300, 0, future=True)}
    world.advance(0.1)
    assert logs(world) == {B: ReplicaLog(300, 0)}
