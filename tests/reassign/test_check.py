"""What a plan would do, by table and by property."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.admin import (
    BrokerDescription,
    LogDir,
    LogDirReplica,
    PartitionDescription,
    PartitionReassignment,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)
from klamm.tools.reassign.check import Cluster, as_facts, lines, report
from klamm.tools.reassign.plan_files import Plan

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))
BROKERS = {
    number: BrokerDescription(number, "h", 9, rack)
    for number, rack in {1: "a", 2: "b", 3: "b", 4: None}.items()
}


def partition(*replicas: int, leader: int | None = None) -> PartitionDescription:
    return PartitionDescription(0, leader or replicas[0], 1, replicas, replicas, ())


def log_dir(
    path: str = "/d", free: int | None = None, logs: Mapping[TopicPartition, int] | None = None
) -> LogDir:
    found = {name: LogDirReplica(size, 0, False) for name, size in (logs or {}).items()}
    return LogDir(path, None, None, free, found)


CLUSTER = Cluster(
    BROKERS,
    {T0: partition(1, 2), T1: partition(2, 3, leader=3), T2: partition(1, 3)},
    {},
    {
        1: (log_dir(free=1000, logs={T0: 100, T2: 70}),),
        2: (log_dir(free=50, logs={T0: 90, T1: 40}),),
        3: (log_dir(free=500, logs={T1: 45, T2: 70}),),
        4: (log_dir("/d", 60), log_dir("/e", 500)),
    },
)


def plan(targets: Mapping[TopicPartition, tuple[int, ...]]) -> Plan:
    return Plan(tuple(targets.items()))


def test_everything_that_a_plan_does_is_told() -> None:
    wanted = plan({T0: (2, 4), T1: (3, 2), T2: (1, 3), TopicPartition("t", 9): (1,)})
    found = report(wanted, CLUSTER)
    assert [*lines(found)] == [
        "4 partitions: 1 replica to add, 1 to remove, 100 bytes to copy",
        "  to broker 4: 100 bytes",
        "On these replicas already: t-2",
        "Get another leader: t-0",
        "Get another preferred leader: t-0,t-1",
        "t-0 has 2 racks, and will have 1",
        "Problem: there is no partition t-9",
    ]
    assert as_facts(found)["incoming"] == {"4": 100}


def test_a_replication_factor_that_changes() -> None:
    found = report(plan({T0: (1,), T1: (2, 3, 1)}), CLUSTER)
    assert found.factors == {T0: (2, 1), T1: (2, 3)}
    assert (found.added, found.removed, found.bytes) == (1, 1, 45)
    assert [*lines(found)][-1] == "No problem found."


def test_a_running_move_counts_from_where_it_came() -> None:
    moving = {T0: PartitionReassignment((3, 1, 2), (3,), (2,))}
    cluster = replace(
        CLUSTER, moving=moving, partitions={**CLUSTER.partitions, T0: partition(3, 1, 2, leader=1)}
    )
    found = report(plan({T0: (1, 3)}), cluster)
    assert (found.moving, found.settled, found.incoming) == ((T0,), (), {3: 100})
    assert found.factors == {}
    back = report(plan({T0: (1, 2)}), cluster)
    assert (back.moving, back.settled, back.added) == ((T0,), (), 0)


@pytest.mark.parametrize(
    ("targets", "log_dirs", "problem"),
    [
        ({T0: (1, 7)}, {}, "broker 7 is not in the cluster"),
        ({T0: (1, 2), T1: (2, 3), T2: (2, 3)}, {}, "broker 2 gets 70 bytes, and has 50 free"),
        ({T0: (1, 4)}, {4: "/d"}, "log directory /d of broker 4 gets 100 bytes, and has 60 free"),
        ({T0: (1, 4)}, {4: "/x"}, "broker 4 has no log directory /x"),
        ({T0: (1, 4)}, {4: "/broken"}, "log directory /broken of broker 4 has failed"),
    ],
)
def test_what_speaks_against_a_plan(
    targets: Mapping[TopicPartition, tuple[int, ...]], log_dirs: Mapping[int, str], problem: str
) -> None:
    broken = LogDir("/broken", errors.KafkaStorageError(), None, None, {})
    cluster = replace(CLUSTER, dirs={**CLUSTER.dirs, 4: (*CLUSTER.dirs[4], broken)})
    folders = {TopicPartitionReplica(*T0, broker): path for broker, path in log_dirs.items()}
    assert report(Plan(tuple(targets.items()), folders), cluster).problems == (problem,)


def test_a_replica_that_is_in_its_directory_takes_no_room() -> None:
    cluster = replace(CLUSTER, dirs={1: (log_dir(free=5, logs={T0: 100}),)})
    folders = {TopicPartitionReplica(*T0, 1): "/d"}
    assert report(Plan(((T0, (1, 2)),), folders), cluster).problems == ()


def test_who_tells_no_capacity_has_no_problem_with_it() -> None:
    dirs = {**CLUSTER.dirs, 2: (log_dir(free=None),)}
    found = report(plan({T2: (2, 3)}), replace(CLUSTER, dirs=dirs))
    assert found.problems == ()


def test_unknown_sizes_are_told() -> None:
    found = report(plan({T0: (1, 3)}), replace(CLUSTER, dirs={}))
    assert (found.unsized, found.bytes) == ((T0,), 0)
    assert "Of unknown size: t-0" in [*lines(found)]


REPLICAS = st.lists(st.integers(1, 4), unique=True, min_size=1, max_size=4).map(tuple)


@given(st.fixed_dictionaries({T0: REPLICAS, T1: REPLICAS}), st.fixed_dictionaries({T0: REPLICAS}))
def test_counts_agree(
    before: Mapping[TopicPartition, tuple[int, ...]],
    after: Mapping[TopicPartition, tuple[int, ...]],
) -> None:
    partitions = {name: partition(*replicas) for name, replicas in before.items()}
    found = report(plan(after), replace(CLUSTER, partitions=partitions))
    [(old, new)] = [(before[T0], after[T0])]
    assert found.added - found.removed == len(new) - len(old)
    assert found.bytes == 100 * found.added
    assert (found.settled == (T0,)) == (old == new)
    assert found.problems == () or found.bytes > 0
