import json
from typing import Any

import pytest

from klamm.controller.znodes import (
    PartitionsZnode,
    Reassignment,
    ReassignPartitionsZnode,
    Rejection,
    TopicPartition,
    ZnodeError,
    decode_log_dir_event,
    decode_partitions,
    decode_reassign_partitions,
    encode_reassign_partitions,
    paths,
)

GOOD = {"topic": "foo", "partition": 1, "replicas": [1, 2]}


def decode(*entries: object, **more: object) -> ReassignPartitionsZnode:
    return decode_reassign_partitions(json.dumps({"partitions": entries, **more}).encode())


@pytest.mark.parametrize("more", [{}, {"version": 1}, {"version": 9}, {"version": "x", "by": []}])
def test_version_and_unknown_keys_do_not_matter(more: dict[str, Any]) -> None:
    assert decode(GOOD, **more) == ReassignPartitionsZnode((Reassignment("foo", 1, (1, 2)),))


def test_the_stock_tools_plan_with_log_dirs_is_accepted() -> None:
    znode = decode({**GOOD, "log_dirs": ["any", "/d"]}, version=1)
    assert znode == ReassignPartitionsZnode((Reassignment("foo", 1, (1, 2)),))
    assert b"log_dirs" not in encode_reassign_partitions(znode.entries)


def test_a_partition_prints_as_kafka_prints_it() -> None:
    assert str(TopicPartition("foo", 0)) == "foo-0"


def test_an_empty_list_is_no_error() -> None:
    assert decode() == ReassignPartitionsZnode(())
    assert encode_reassign_partitions(()) == b'{"version":1,"partitions":[]}'


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"replicas": []}, "it has no replicas"),
        ({"replicas": [1, 1, 2]}, "it has broker 1 twice"),
        ({"replicas": [1, -2]}, "Expected `int` >= 0 - at `$.replicas[1]`"),
        ({"replicas": ["1"]}, "Expected `int`, got `str` - at `$.replicas[0]`"),
        ({"replicas": [1.0]}, "Expected `int`, got `float` - at `$.replicas[0]`"),
        ({"replicas": [True]}, "Expected `int`, got `bool` - at `$.replicas[0]`"),
        ({"replicas": [2**31]}, "Expected `int` <= 2147483647 - at `$.replicas[0]`"),
        ({"replicas": None}, "Expected `array`, got `null` - at `$.replicas`"),
        ({"partition": -1}, "Expected `int` >= 0 - at `$.partition`"),
        ({"partition": "1"}, "Expected `int`, got `str` - at `$.partition`"),
        ({"topic": None}, "Expected `str`, got `null` - at `$.topic`"),
    ],
)
def test_a_bad_entry_is_a_value_and_leaves_the_others_alone(
    change: dict[str, Any], reason: str
) -> None:
    bad = {**GOOD, "topic": "bar", **change}
    assert decode(bad, GOOD) == ReassignPartitionsZnode(
        (Reassignment("foo", 1, (1, 2)),), (Rejection(json.dumps(bad), reason),)
    )


@pytest.mark.parametrize("key", ["topic", "partition", "replicas"])
def test_an_entry_without_one_of_its_keys_is_rejected(key: str) -> None:
    bad = {name: value for name, value in GOOD.items() if name != key}
    znode = decode(bad)
    assert znode.entries == ()
    assert znode.rejected[0].reason == f"Object missing required field `{key}`"


@pytest.mark.parametrize("bad", [None, 1, "x", [], [GOOD]])
def test_an_entry_that_is_no_object_is_rejected(bad: object) -> None:
    znode = decode(bad, GOOD)
    assert [entry.topic for entry in znode.entries] == ["foo"]
    assert znode.rejected[0].reason.startswith("Expected `object`")


def test_of_two_entries_for_a_partition_the_later_one_counts() -> None:
    other, later = {**GOOD, "partition": 2}, {**GOOD, "replicas": [3]}
    znode = decode(GOOD, other, later)
    assert znode.entries == (Reassignment("foo", 2, (1, 2)), Reassignment("foo", 1, (3,)))
    assert znode.rejected == (
        Rejection(json.dumps(GOOD), "a later entry names the partition again"),
    )


def test_a_bad_later_entry_does_not_displace_a_good_one() -> None:
    znode = decode(GOOD, {**GOOD, "replicas": []})
    assert znode.entries == (Reassignment("foo", 1, (1, 2)),)
    assert [each.reason for each in znode.rejected] == ["it has no replicas"]


def test_an_entry_that_is_no_utf_8_is_rejected() -> None:
    data = b'{"partitions":[{"topic":"\xff","partition":0,"replicas":[1]},%b]}'
    znode = decode_reassign_partitions(data % json.dumps(GOOD).encode())
    assert [entry.topic for entry in znode.entries] == ["foo"]
    assert znode.rejected[0].entry == '{"topic":"\\xff","partition":0,"replicas":[1]}'
    assert "codec can't decode byte 0xff" in znode.rejected[0].reason


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"no json",
        b"[]",
        b"null",
        b'{"version":1}',
        b'{"version":1,"partitions":null}',
        b'{"version":1,"partitions":{}}',
        b'{"version":1,"partitions":[',
    ],
)
def test_without_a_list_there_is_nothing_to_judge(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=f"^{paths.REASSIGN_PARTITIONS}: "):
        decode_reassign_partitions(data)
    with pytest.raises(ZnodeError, match=f"^{paths.PREFERRED_REPLICA_ELECTION}: "):
        decode_partitions(data, paths.PREFERRED_REPLICA_ELECTION)


def test_partitions_are_listed_once_and_bad_ones_set_aside() -> None:
    data = b"""{"version":1,"partitions":[{"topic":"t","partition":1},{"topic":"t","partition":"0"},
        {"topic":"t","partition":0,"more":1},{"topic":"t","partition":1}]}"""
    assert decode_partitions(data, "/x") == PartitionsZnode(
        (TopicPartition("t", 1), TopicPartition("t", 0)),
        (
            Rejection(
                '{"topic":"t","partition":"0"}', "Expected `int`, got `str` - at `$.partition`"
            ),
        ),
    )


@pytest.mark.parametrize("data", [None, b"{}", b'{"broker":-1,"event":1}', b'{"broker":1}'])
def test_a_notice_without_a_broker_or_event_is_an_error(data: bytes | None) -> None:
    with pytest.raises(ZnodeError):
        decode_log_dir_event(data, "/log_dir_event_notification/log_dir_event_0000000000")
