"""The file form of snapshots."""

from pathlib import Path

import pytest
from hypothesis import given
from planner.clusters import snapshots

from klamm.tools.planner.snapshot import (
    Broker,
    Partition,
    Snapshot,
    SnapshotError,
    decode,
    encode,
    read,
)

TEXT = """\
{"format":"klamm-snapshot","version":1,"cluster_id":"abc","taken_ms":5,
"brokers":[
{"id":1,"rack":"a"},
{"id":2,"alive":false}],
"partitions":[
{"topic":"foo","partition":0,"replicas":[2,1],"adding":[1],"isr":[2],"size_bytes":9}]}
"""


@given(snapshots())
def test_what_is_written_is_read_again(snapshot: Snapshot) -> None:
    assert decode(encode(snapshot)) == snapshot


def test_one_line_a_broker_and_a_partition_sorted() -> None:
    partition = Partition("foo", 0, (2, 1), adding=(1,), isr=(2,), size_bytes=9)
    found = Snapshot("abc", 5, (Broker(2, alive=False), Broker(1, "a")), (partition,))
    assert encode(found) == TEXT
    assert [broker.id for broker in found.brokers] == [1, 2]


def test_a_move_has_a_target() -> None:
    partition = Partition("foo", 0, (3, 1, 2), adding=(3,), removing=(1,))
    assert partition.moving
    assert partition.target == (3, 2)


def test_keys_of_later_versions_are_passed_over() -> None:
    assert decode(TEXT.replace('"rack"', '"colour":"red","rack"')) == decode(TEXT)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("klamm-snapshot", "other", "its format is 'other'"),
        ('"version":1', '"version":2', "it has version 2"),
        ('"id":2', '"id":1', "broker 1 stands there twice"),
        ('"id":2', '"id":-2', "broker -2: an id is from 0 to 2147483647"),
        ('"id":2', '"id":2147483648', "broker 2147483648: an id is from 0 to 2147483647"),
        ("foo", "f o", "no topic can be called 'f o'"),
        ('"size_bytes":9', '"min_isr":0', "foo-0 has a min_isr of 0: 1 at least"),
        ('"partition":0', '"partition":2147483648', "is not from 0 to 2147483647"),
        ("[2,1]", "[2,2]", "foo-0 names broker 2 twice"),
        ("[2,1]", "[]", "foo-0 has no replicas"),
        ('"adding":[1]', '"adding":[7]', "foo-0 moves broker 7, no replica of it"),
        ('"size_bytes":9', '"size_bytes":-9', "below 0"),
        ("{", "[", "it is no snapshot"),
    ],
)
def test_what_cannot_be_is_refused_by_name(old: str, new: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "now.json"
    file.write_text(TEXT.replace(old, new))
    with pytest.raises(SnapshotError) as caught:
        read(file)
    assert said in str(caught.value)
    assert str(file) in str(caught.value)
