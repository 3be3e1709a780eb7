"""What is worked out before anything is sent: throttled replicas, proposals, log directories."""

import io
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
)
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    PartitionReassignment,
    Results,
    TopicPartition,
    TopicPartitionReplica,
)
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.generate import chosen, propose
from klamm.tools.reassign.log_dirs import LogDirState
from klamm.tools.reassign.output import CommandError, Output
from klamm.tools.reassign.throttles import (
    LONGEST_VALUE,
    Move,
    proposed_moves,
    set_inter_broker,
    throttled_brokers,
    throttled_lists,
)

FOO, FOO_1, BAR = TopicPartition("foo", 0), TopicPartition("foo", 1), TopicPartition("bar", 0)
IDS = st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True).map(tuple)


def test_lists_name_sources_and_destinations() -> None:
    moves = proposed_moves({}, {FOO: (3, 2), FOO_1: (1, 2)}, {FOO: (1, 2), FOO_1: (1, 2)})
    assert throttled_lists(moves) == {"foo": {LEADER_LIST: "0:1,0:2,1:1,1:2", FOLLOWER_LIST: "0:3"}}
    assert throttled_brokers(moves) == [1, 2, 3]


def test_lists_are_sorted_as_text() -> None:
    name = TopicPartition("foo", 10)
    moves = proposed_moves({}, {FOO_1: (9,), name: (10,)}, {FOO_1: (1,), name: (11,)})
    assert throttled_lists(moves)["foo"][LEADER_LIST] == "10:11,1:1"


def test_a_list_may_be_empty() -> None:
    moves = proposed_moves({}, {FOO: (1,)}, {FOO: (1, 2)})
    assert throttled_lists(moves)["foo"][FOLLOWER_LIST] == ""


def test_what_moves_already_stays_throttled_and_has_its_own_sources() -> None:
    """A half-copied replica is no source, though it is listed among the replicas (KAFKA-10779)."""
    moving = {
        FOO: PartitionReassignment((4, 1, 2), (4,), (1,)),
        BAR: PartitionReassignment((5, 6), (5,), (6,)),
    }
    moves = proposed_moves(moving, {FOO: (3, 2)}, {FOO: (4, 1, 2)})
    assert moves == {
        FOO: Move(frozenset({1, 2}), frozenset({3})),
        BAR: Move(frozenset({6}), frozenset({5})),
    }


def test_a_list_too_long_to_send_becomes_every_replica() -> None:
    """Kafka cannot take more than 32767 bytes (KAFKA-17993)."""

    def lists(partitions: int) -> dict[str, str]:
        names = [TopicPartition("foo", number) for number in range(10_000, 10_000 + partitions)]
        targets = dict.fromkeys(names, (2, 3))
        return throttled_lists(proposed_moves({}, targets, dict.fromkeys(names, (1,))))["foo"]

    most = (LONGEST_VALUE + 1) // len("10000:1,")
    assert len(lists(most)[LEADER_LIST]) == LONGEST_VALUE
    assert lists(most)[FOLLOWER_LIST] == "*", "it names two brokers for each"
    assert lists(most + 1) == {LEADER_LIST: "*", FOLLOWER_LIST: "*"}


@given(IDS, IDS)
def test_nothing_is_copied_to_where_it_is(
    current: tuple[int, ...], target: tuple[int, ...]
) -> None:
    [move] = proposed_moves({}, {FOO: target}, {FOO: current}).values()
    assert move.sources.isdisjoint(move.destinations)
    assert move.sources | move.destinations == {*current, *target}


class Configs:
    """Stands for a client: keeps what is set."""

    def __init__(self) -> None:
        self.set: dict[str, dict[str, str | None]] = {}

    def incremental_alter_configs(
        self, changes: Mapping[ConfigResource, Sequence[AlterConfigOp]]
    ) -> Results[ConfigResource, None]:
        futures = {}
        for resource, ops in changes.items():
            self.set[resource.name] = {op.name: op.value for op in ops}
            futures[resource] = future = Future[None]()
            future.set_result(None)
        return Results(futures)


def test_a_source_that_is_dead_is_passed_over() -> None:
    """The stock tool waits for it, and then starts nothing (KAFKA-13392)."""
    configs, out, err = Configs(), io.StringIO(), io.StringIO()
    moves = proposed_moves({}, {FOO: (3, 2)}, {FOO: (1, 2)})
    set_inter_broker(cast(Admin, configs), moves, 500, [2, 3, 4], Output(out, err))
    assert sorted(configs.set) == ["2", "3", "foo"]
    assert configs.set["3"] == {LEADER_RATE: "500", FOLLOWER_RATE: "500"}
    assert configs.set["foo"][LEADER_LIST] == "0:1,0:2"
    assert out.getvalue() == "The inter-broker throttle limit was set to 500 B/s\n"
    assert err.getvalue().startswith("Passing over the throttle rates of broker 1, ")


class Draws:
    """Always the same number, as far as it is in range."""

    def __init__(self, number: int) -> None:
        self._number = number

    def randrange(self, stop: int, /) -> int:
        return self._number % stop


def test_proposals_follow_kafkas_algorithm() -> None:
    current: Assignment = {TopicPartition("foo", number): (9, 8) for number in range(4)}
    proposed = propose(current, {1: None, 2: None, 3: None}, Draws(0), rack_aware=True)
    assert proposed == {
        TopicPartition("foo", 0): (1, 2),
        TopicPartition("foo", 1): (2, 3),
        TopicPartition("foo", 2): (3, 1),
        TopicPartition("foo", 3): (1, 3),
    }


def test_a_topic_keeps_the_factor_of_its_first_partition() -> None:
    proposed = propose({FOO_1: (1, 2, 3), FOO: (1,)}, {1: None, 2: None}, Draws(1), rack_aware=True)
    assert {name: len(ids) for name, ids in proposed.items()} == {FOO: 1, FOO_1: 1}


def test_too_few_brokers() -> None:
    with pytest.raises(CommandError) as caught:
        propose({FOO: (1, 2, 3)}, {1: None, 2: None}, Draws(0), rack_aware=True)
    assert str(caught.value) == "Replication factor: 3 larger than available brokers: 2."


def test_racks_of_some_brokers_only() -> None:
    with pytest.raises(CommandError) as caught:
        propose({FOO: (1,)}, {1: "a", 2: None}, Draws(0), rack_aware=True)
    assert str(caught.value) == (
        "Not all brokers have rack information. Add --disable-rack-aware in command line to make"
        " replica assignment without rack information."
    )


def test_brokers_that_do_not_exist_are_left_out() -> None:
    known = {1: "a", 2: None, 3: "b"}
    assert chosen(known, [3, 2, 9], True) == {3: "b", 2: None}
    assert chosen(known, [3, 2, 9], False) == {3: None, 2: None}


@given(st.integers(0, 9), st.integers(1, 8))
def test_racks_are_spread(number: int, partitions: int) -> None:
    racks = {broker: "ab"[broker % 2] for broker in range(4)}
    current: Assignment = {TopicPartition("foo", index): (1, 2) for index in range(partitions)}
    proposed = propose(current, racks, Draws(number), rack_aware=True)
    assert all({racks[broker] for broker in ids} == {"a", "b"} for ids in proposed.values())


REPLICA = TopicPartitionReplica("foo", 0, 4)


@pytest.mark.parametrize(
    ("state", "text", "moving"),
    [
        (
            LogDirState(REPLICA, "/d", "/d"),
            "Reassignment of replica foo-0-4 completed successfully.",
            False,
        ),
        (
            LogDirState(REPLICA, "/d", "/c", "/d"),
            "Reassignment of replica foo-0-4 is still in progress.",
            True,
        ),
        (
            LogDirState(REPLICA, "/d", "/c", "/e"),
            "Partition foo-0 on broker 4 is being moved to log dir /e instead of /d.",
            True,
        ),
        (
            LogDirState(REPLICA, "/d", "/c"),
            "Partition foo-0 on broker 4 is not being moved from log dir /c to /d.",
            False,
        ),
        (
            LogDirState(REPLICA, "/d"),
            (
                "Partition foo-0 is not found in any live log dir on broker 4. There is likely an"
                " offline log directory on the broker."
            ),
            False,
        ),
        (
            LogDirState(REPLICA, "/d", on_live_broker=False),
            "Partition foo-0 cannot be found in any live log directory on broker 4.",
            False,
        ),
    ],
)
def test_log_directories(state: LogDirState, text: str, moving: bool) -> None:
    assert (state.text, state.moving) == (text, moving)


def test_json_takes_the_place_of_the_texts() -> None:
    out, err = io.StringIO(), io.StringIO()
    output = Output(out, err, as_json=True)
    output.say("text")
    output.warn("warning")
    output.put(action="list", n=1)
    output.close(3)
    assert (out.getvalue(), err.getvalue()) == (
        '{"action": "list", "n": 1, "exit": 3}\n',
        "warning\n",
    )
