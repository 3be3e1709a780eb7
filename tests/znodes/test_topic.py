import json
from typing import Any
from uuid import UUID

import pytest

from klamm.controller.znodes import (
    VERSION,
    VERSION_WITH_TOPIC_ID,
    TopicZnode,
    ZnodeError,
    decode_topic,
    encode_topic,
)

PATH = "/brokers/topics/foo"
TOPIC_ID = UUID("5f39ec14-1418-4dff-a32d-e06d20deb525")
MOVING = TopicZnode(VERSION, {0: (4, 3, 2, 1), 1: (2, 3)}, {0: (4,)}, {0: (1,)})


def decode(**fields: object) -> TopicZnode:
    return decode_topic(json.dumps(fields).encode(), PATH)


def reason(data: bytes | None) -> str:
    with pytest.raises(ZnodeError) as caught:
        decode_topic(data, PATH)
    assert caught.value.path == PATH
    assert str(caught.value) == f"{PATH}: {caught.value.reason}"
    return caught.value.reason


@pytest.mark.req("R455-75")
def test_apache_and_kip_455_spell_the_maps_of_moves_differently() -> None:
    assert encode_topic(MOVING) == (
        b'{"partitions":{"0":[4,3,2,1],"1":[2,3]},"adding_replicas":{"0":[4]},'
        b'"removing_replicas":{"0":[1]},"version":2}'
    )
    assert encode_topic(MOVING, camel_case=True) == (
        b'{"partitions":{"0":[4,3,2,1],"1":[2,3]},"addingReplicas":{"0":[4]},'
        b'"removingReplicas":{"0":[1]},"version":2}'
    )


@pytest.mark.req("R455-76")
@pytest.mark.parametrize(
    ("moves", "ignored"),
    [
        ({"adding_replicas": {"0": [4]}, "removing_replicas": {"0": [1]}}, {}),
        ({"addingReplicas": {"0": [4]}, "removingReplicas": {"0": [1]}}, {}),
        (
            {
                "adding_replicas": {"0": [4]},
                "removing_replicas": {"0": [1]},
                "addingReplicas": {"0": [4]},
                "removingReplicas": {"0": [1]},
            },
            {},
        ),
        (
            {
                "adding_replicas": {"0": [4]},
                "addingReplicas": {"0": [3]},
                "removing_replicas": {"0": [1]},
                "removingReplicas": {},
            },
            {"addingReplicas": {"0": [3]}, "removingReplicas": {}},
        ),
        ({"adding_replicas": {"0": [4]}, "removingReplicas": {"0": [1]}}, {}),
        (
            {
                "adding_replicas": {"0": [4]},
                "addingReplicas": "not even a map",
                "removing_replicas": {"0": [1]},
            },
            {"addingReplicas": "not even a map"},
        ),
    ],
    ids=["snake", "camel", "both alike", "both, different", "one of each", "loser unreadable"],
)
def test_both_spellings_are_read_and_snake_case_wins(
    moves: dict[str, Any], ignored: dict[str, Any]
) -> None:
    znode = decode(partitions={"0": [4, 3, 2, 1], "1": [2, 3]}, version=2, **moves)
    assert (znode.adding, znode.removing) == ({0: (4,)}, {0: (1,)})
    assert znode.ignored == ignored
    # What lost is not written again, in whatever spelling.
    for camel_case in (False, True):
        again = decode_topic(encode_topic(znode, camel_case=camel_case), PATH)
        assert again == TopicZnode(2, MOVING.partitions, MOVING.adding, MOVING.removing)


@pytest.mark.req("R455-77")
def test_version_2_has_no_topic_id_and_version_3_has_one() -> None:
    assert encode_topic(TopicZnode(VERSION, {0: (1,)})) == (
        b'{"partitions":{"0":[1]},"adding_replicas":{},"removing_replicas":{},"version":2}'
    )
    assert encode_topic(TopicZnode(VERSION_WITH_TOPIC_ID, {0: (1,)}, topic_id=TOPIC_ID)) == (
        b'{"partitions":{"0":[1]},"topic_id":"XznsFBQYTf-jLeBtIN61JQ",'
        b'"adding_replicas":{},"removing_replicas":{},"version":3}'
    )


@pytest.mark.req("R455-78")
@pytest.mark.parametrize(
    "fields",
    [
        {"version": 1},
        {},
        {"version": 2, "adding_replicas": {}, "removing_replicas": {}},
        {"version": 2, "adding_replicas": None, "removing_replicas": None, "topic_id": None},
        {"version": 2, "adding_replicas": {"0": []}, "removing_replicas": {"0": []}},
        {"version": 2, "addingReplicas": {"0": []}},
        {"version": 7},
    ],
)
def test_without_entries_in_the_maps_nothing_moves(fields: dict[str, Any]) -> None:
    znode = decode(partitions={"0": [1, 2], "1": [2, 3]}, **fields)
    assert znode == TopicZnode(fields.get("version", 1), {0: (1, 2), 1: (2, 3)})


@pytest.mark.req("R455-78")
def test_only_partitions_in_the_maps_move() -> None:
    znode = decode(
        partitions={"0": [1, 2], "1": [2, 3], "2": [1, 2, 3]},
        adding_replicas={"1": [3], "2": []},
        removing_replicas={"2": [1, 2]},
    )
    assert (znode.adding, znode.removing) == ({1: (3,)}, {2: (1, 2)})
    assert (znode.partitions, znode.ignored) == ({0: (1, 2), 1: (2, 3), 2: (1, 2, 3)}, {})


@pytest.mark.req("R455-79")
def test_unknown_keys_and_the_topic_id_survive_a_rewrite_whole() -> None:
    unknown = {"owner": "me", "limits": {"0": {"rate": 1.5, "to": [None, True, 10**30]}, "": "ü"}}
    fields = {"partitions": {"0": [1]}, "topic_id": "XznsFBQYTf-jLeBtIN61JQ", **unknown}
    znode = decode(version=2, **fields)
    assert znode.extra == unknown
    assert znode.topic_id == TOPIC_ID
    written = json.loads(encode_topic(znode))
    assert {key: written[key] for key in fields} == fields
    assert decode_topic(encode_topic(znode), PATH) == znode


@pytest.mark.req("R455-80")
def test_a_reader_of_version_1_finds_every_replica_of_a_move() -> None:
    for camel_case in (False, True):
        old = json.loads(encode_topic(MOVING, camel_case=camel_case))
        replicas = {int(number): ids for number, ids in old["partitions"].items()}
        assert replicas == {0: [4, 3, 2, 1], 1: [2, 3]}


def test_moves_of_partitions_that_do_not_exist_are_reported_and_dropped() -> None:
    znode = decode(partitions={"0": [1]}, adding_replicas={"0": [1], "7": [4]})
    assert znode.adding == {0: (1,)}
    assert znode.ignored == {"adding_replicas": {7: (4,)}}
    assert "7" not in json.loads(encode_topic(znode))["adding_replicas"]


def test_empty_lists_of_moves_are_not_written() -> None:
    znode = TopicZnode(VERSION, {0: (1,)}, adding={0: ()}, removing={0: ()})
    assert encode_topic(znode) == encode_topic(TopicZnode(VERSION, {0: (1,)}))


@pytest.mark.parametrize("text", ["XznsFBQYTf-jLeBtIN61JQ", "XznsFBQYTf-jLeBtIN61JQ=="])
def test_a_topic_id_may_be_padded(text: str) -> None:
    assert decode(partitions={}, topic_id=text).topic_id == TOPIC_ID


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "it holds no data"),
        (b"", "Input data was truncated, in "),
        (b"\xff\xfe", "JSON is malformed"),
        (b'{"partitions":{"\xff":[1]}}', 'in {"partitions":{"\\xff":[1]}}'),
        (b'{"partitions":{},"x":' + b"[" * 100_000, "recursion"),
        (b"[]", "Expected `object`, got `array`"),
        (b"{}", "missing required field `partitions`"),
        (b'{"version":2,"adding_replicas":{"0":[1]}}', "missing required field `partitions`"),
        (b'{"partitions":null}', "got `null` - at `$.partitions`"),
        (b'{"partitions":[[1]]}', "got `array` - at `$.partitions`"),
        (b'{"partitions":{"0":["1"]}}', "got `str` - at `$.partitions[...][0]`"),
        (b'{"partitions":{"0":[true]}}', "got `bool`"),
        (b'{"partitions":{"0":[1.0]}}', "got `float`"),
        (b'{"partitions":{"0":[1,null]}}', "got `null` - at `$.partitions[...][1]`"),
        (b'{"partitions":{"0":[-1]}}', "Expected `int` >= 0"),
        (b'{"partitions":{"0":[2147483648]}}', "Expected `int` <= 2147483647"),
        (b'{"partitions":{"0":null}}', "got `null` - at `$.partitions[...]`"),
        (b'{"partitions":{"0":[]}}', "partition 0 has no replicas"),
        (b'{"partitions":{"-1":[1]}}', "Expected `int` >= 0 - at `key` in `$.partitions`"),
        (b'{"partitions":{"01":[1]}}', "got `str` - at `key` in `$.partitions`"),
        (b'{"partitions":{"x":[1]}}', "got `str` - at `key` in `$.partitions`"),
        (
            b'{"partitions":{"3":[1,2,1]}}',
            "partition 3 has broker 1 twice in partitions: [1, 2, 1]",
        ),
        (
            b'{"partitions":{"0":[4]},"adding_replicas":{"0":[4,4]}}',
            "partition 0 has broker 4 twice in adding_replicas: [4, 4]",
        ),
        (b'{"partitions":{"0":[4]},"adding_replicas":{"0":["4"]}}', "$.adding_replicas[...][0]"),
        (
            b'{"partitions":{"0":[4]},"addingReplicas":{"0":["4"]}}',
            "addingReplicas: Expected `int`",
        ),
        (
            b'{"partitions":{"0":[4]},"addingReplicas":{"0":[4.0]}}',
            "addingReplicas: Expected `int`",
        ),
        (b'{"partitions":{"0":[4]},"addingReplicas":{"0":[true]}}', "addingReplicas: Expected"),
        (b'{"partitions":{"0":[4]},"removingReplicas":{"0":[4,4]}}', "twice in removingReplicas"),
        (b'{"partitions":{"0":[4]},"removingReplicas":[]}', "removingReplicas: Expected `object`"),
        (b'{"partitions":{"0":[1]},"version":"2"}', "got `str` - at `$.version`"),
        (b'{"partitions":{"0":[1]},"topic_id":7}', "got `int` - at `$.topic_id`"),
        (b'{"partitions":{"0":[1]},"topic_id":"short"}', "topic_id: 'short' is not an id of 22"),
        (b'{"partitions":{"0":[1]}}{}', "trailing characters"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_shows_it(data: bytes | None, said: str) -> None:
    assert said in reason(data)


def test_long_data_are_shown_by_their_start() -> None:
    text = reason(b'{"partitions":{"0":["' + b"9" * 1_000_000)
    assert text.endswith("9...")
    assert len(text) < 250
