"""Files in and out: what is read, what is written, what is refused and how."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.admin import TopicPartition, TopicPartitionReplica
from klamm.tools.reassign.output import CommandError
from klamm.tools.reassign.plan_files import (
    check_executable,
    format_plan,
    parse_brokers,
    parse_plan,
    parse_topics,
)

ASSIGNMENTS = st.dictionaries(
    st.builds(TopicPartition, st.sampled_from(["a", "b", "a.b"]), st.integers(0, 12)),
    st.lists(st.integers(0, 9), min_size=1, unique=True).map(tuple),
)


def entry(**fields: object) -> str:
    """Return a file with one entry for foo-0 on broker 1, with other fields."""
    return json.dumps({"partitions": [{"topic": "foo", "partition": 0, "replicas": [1], **fields}]})


def test_what_is_written() -> None:
    text = format_plan({TopicPartition("b", 0): (1,), TopicPartition("a", 10): (3, 2)})
    assert text == (
        '{"version":1,"partitions":['
        '{"topic":"a","partition":10,"replicas":[3,2],"log_dirs":["any","any"]},'
        '{"topic":"b","partition":0,"replicas":[1],"log_dirs":["any"]}]}'
    )


@given(ASSIGNMENTS)
def test_what_is_written_can_be_read(assignment: dict[TopicPartition, tuple[int, ...]]) -> None:
    plan = parse_plan(format_plan(assignment))
    assert plan.targets == assignment
    assert list(plan.targets) == sorted(assignment)
    assert plan.log_dirs == {}


def test_what_is_read() -> None:
    plan = parse_plan(
        '{"note": 1, "partitions": [{"topic": "foo", "partition": 3, "replicas": [2, 3],'
        ' "log_dirs": ["any", "/d"], "why": null}, {"topic": "bar", "partition": 0, "replicas":'
        " [9]}]}"
    )
    assert plan.targets == {TopicPartition("foo", 3): (2, 3), TopicPartition("bar", 0): (9,)}
    assert plan.log_dirs == {TopicPartitionReplica("foo", 3, 3): "/d"}
    assert (plan.topics, plan.brokers) == (["bar", "foo"], {2, 3, 9})
    assert plan.log_dirs_of([TopicPartition("bar", 0)]) == {}
    assert plan.log_dirs_of(plan.targets) == plan.log_dirs
    assert parse_plan('{"version": 1}').entries == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "The input string is not a valid JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "the file is [], and must be a JSON object"),
        ('{"version": 2}', "Not supported version field value 2"),
        ('{"version": "1"}', 'the file.version is "1", and must be a whole number of 32 bits'),
        ('{"partitions": {}}', "partitions is {}, and must be a JSON list"),
        ('{"partitions": [7]}', "partitions[0] is 7, and must be a JSON object"),
        ('{"partitions": [{"topic": "foo"}]}', "partitions[0] has no partition"),
        (entry(topic=None), "partitions[0].topic is null, and must be a string"),
        (
            entry(partition=True),
            "partitions[0].partition is true, and must be a whole number of 32 bits",
        ),
        (
            entry(replicas=[1, 2**31]),
            "partitions[0].replicas[1] is 2147483648, and must be a whole number of 32 bits",
        ),
        (
            entry(replicas=[1, 2], log_dirs=["any"]),
            (
                "Size of replicas list [1, 2] is different from size of log dirs list [any] for"
                " partition foo-0"
            ),
        ),
        (entry(log_dirs=[0]), "partitions[0].log_dirs[0] is 0, and must be a string"),
    ],
)
def test_what_is_no_plan(text: str, complaint: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse_plan(text)
    assert str(caught.value) == complaint


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(CommandError, match="not a valid JSON"):
        parse_plan("[" * 100_000)


@pytest.mark.parametrize(
    ("partitions", "complaint"),
    [
        ([], "Partition reassignment list cannot be empty"),
        ([("foo", 0, [])], "Partition replica list cannot be empty"),
        ([("b", 3, []), ("b", 2, [1]), ("a", 10, [])], "Partition replica list cannot be empty"),
        (
            [("foo", 0, [1]), ("foo", 1, [1]), ("foo", 0, [2])],
            "Partition reassignment contains duplicate topic partitions: foo-0",
        ),
        (
            [("foo", 0, [1, 2, 1, 2]), ("foo", 1, [1]), ("foo", 2, [3, 3])],
            (
                "Partition replica lists may not contain duplicate entries: foo-0 contains"
                " multiple entries for 1,2. foo-2 contains multiple entries for 3"
            ),
        ),
    ],
)
def test_plans_that_are_never_sent(
    partitions: list[tuple[str, int, list[int]]], complaint: str
) -> None:
    entries = [
        {"topic": topic, "partition": number, "replicas": ids} for topic, number, ids in partitions
    ]
    plan = parse_plan(json.dumps({"partitions": entries}))
    with pytest.raises(CommandError) as caught:
        check_executable(plan)
    assert str(caught.value) == complaint
    # Kafka's text does not name it; what people are told beside it does.
    empty = sorted(f"{topic}-{number}" for topic, number, ids in partitions if not ids)
    assert caught.value.hint == (f"Without replicas: {','.join(empty)}" if empty else None)


def test_topics() -> None:
    assert parse_topics('{"topics": [{"topic": "foo"}, {"topic": "bar"}]}') == ["foo", "bar"]
    assert parse_topics('{"version": 1}') == []
    with pytest.raises(CommandError) as caught:
        parse_topics('{"topics": [{"topic": "foo"}, {"topic": "foo"}]}')
    assert str(caught.value) == "List of topics to reassign contains duplicate entries: [foo]"


def test_brokers() -> None:
    assert parse_brokers("3,1, 2") == [3, 1, 2]
    with pytest.raises(CommandError, match=r"^Broker list contains duplicate entries: \[1, 2\]$"):
        parse_brokers("1,2,2,1,3")
    with pytest.raises(CommandError, match=r"^Broker list contains 'x', which is no broker id"):
        parse_brokers("1,x")
