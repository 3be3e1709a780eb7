"""The door: what it refuses, and that the refusal names what a reader needs."""

from __future__ import annotations

import struct
import tracemalloc
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from message_strategies import ALL, class_of

from klamm.protocol.codec import decode, decode_prefix, encode
from klamm.protocol.errors import DecodeError, EncodeError, ProtocolError
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest
from klamm.protocol.generated.describe_topic_partitions_request import (
    Cursor,
    DescribeTopicPartitionsRequest,
)
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
    PartitionReplica,
)
from klamm.protocol.generated.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest


def move(*replicas: Any) -> AlterPartitionReassignmentsRequest:  # noqa: ANN401 - wrong ones, too
    return AlterPartitionReassignmentsRequest(
        topics=(ReassignableTopic("foo", (ReassignablePartition(0, replicas),)),)
    )


def isr(**changes: Any) -> LeaderAndIsrRequest:  # noqa: ANN401 - wrong ones, too
    state = LeaderAndIsrPartitionState(**changes)
    return LeaderAndIsrRequest(
        topic_states=(LeaderAndIsrTopicState("foo", partition_states=(state,)),)
    )


def produce(records: Any) -> ProduceRequest:  # noqa: ANN401 - wrong ones, too
    return ProduceRequest(
        topic_data=(TopicProduceData("foo", (PartitionProduceData(0, records),)),)
    )


UNCARRIED: list[tuple[Any, int, str, object, str]] = [
    (move(2**31), 0, "topics[0].partitions[0].replicas[0]", 2**31, "does not fit into int32"),
    (move("1"), 0, "topics[0].partitions[0].replicas[0]", "1", "must be an integer"),
    (
        AlterPartitionReassignmentsRequest(allow_replication_factor_change=False),
        0,
        "allow_replication_factor_change",
        False,
        "version 0 cannot carry it",
    ),
    (AlterPartitionReassignmentsRequest(timeout_ms=1 << 40), 0, "timeout_ms", 1 << 40, "int32"),
    (
        AlterPartitionReassignmentsRequest(topics=(ReassignableTopic(None),)),  # type: ignore[arg-type]
        0,
        "topics[0].name",
        None,
        "version 0 allows no null",
    ),
    (
        AlterPartitionReassignmentsRequest(topics=(ReassignableTopic("x" * 32768),)),
        0,
        "topics[0].name",
        "x" * 32768,
        "32768 bytes",
    ),
    (
        AlterPartitionReassignmentsRequest(topics=(ReassignableTopic("\ud800"),)),
        0,
        "topics[0].name",
        "\ud800",
        "UTF-8",
    ),
    (
        AlterPartitionReassignmentsRequest(topics=(RequestHeader(),)),  # type: ignore[arg-type]
        0,
        "topics[0]",
        RequestHeader(),
        "must be ReassignableTopic",
    ),
    (AlterPartitionReassignmentsRequest(topics=5), 0, "topics", 5, "must be a tuple"),  # type: ignore[arg-type]
    (MetadataRequest(topics=None), 0, "topics", None, "version 0 allows no null"),
    (
        MetadataRequest(topics=(MetadataRequestTopic(name=None),)),
        9,
        "topics[0].name",
        None,
        "version 9 allows no null",
    ),
    (
        MetadataRequest(unknown_tagged_fields=((1, b""),)),
        8,
        "unknown_tagged_fields",
        ((1, b""),),
        "version 8 has no tagged fields",
    ),
    (
        MetadataRequest(unknown_tagged_fields=((2, b""), (2, b""))),
        9,
        "unknown_tagged_fields",
        (2, b""),
        "ascending",
    ),
    (isr(is_new=1), 3, "topic_states[0].partition_states[0].is_new", 1, "must be bool"),
    (
        isr(leader_recovery_state=1),
        5,
        "topic_states[0].partition_states[0].leader_recovery_state",
        1,
        "cannot carry",
    ),
    (
        isr(unknown_tagged_fields=((0, b"x"),)),
        3,
        "topic_states[0].partition_states[0].unknown_tagged_fields",
        ((0, b"x"),),
        "no tagged fields",
    ),
    (isr(replicas=None), 3, "topic_states[0].partition_states[0].replicas", None, "no null"),
    (DeleteTopicsRequest(topic_names="foo"), 1, "topic_names", "foo", "must be a tuple"),  # type: ignore[arg-type]
    (DeleteTopicsRequest(topic_names=(b"f",)), 1, "topic_names[0]", b"f", "must be str"),  # type: ignore[arg-type]
    (SaslAuthenticateRequest("x"), 0, "auth_bytes", "x", "must be bytes"),  # type: ignore[arg-type]
    (produce(7), 9, "topic_data[0].partition_data[0].records", 7, "must be bytes"),
    (
        LeaderAndIsrRequest(topic_states=(LeaderAndIsrTopicState("f", 5),)),  # type: ignore[arg-type]
        5,
        "topic_states[0].topic_id",
        5,
        "must be UUID",
    ),
    (
        DescribeTopicPartitionsRequest(cursor=Cursor(partition_index="x")),  # type: ignore[arg-type]
        0,
        "cursor.partition_index",
        "x",
        "must be an integer",
    ),
]


@pytest.mark.parametrize(
    ("message", "version", "field", "value", "reason"),
    UNCARRIED,
    ids=[f"{type(case[0]).__name__}-v{case[1]}-{case[2]}" for case in UNCARRIED],
)
def test_a_field_that_cannot_be_carried_is_named(
    message: Any,  # noqa: ANN401 - any message
    version: int,
    field: str,
    value: object,
    reason: str,
) -> None:
    with pytest.raises(EncodeError) as refused:
        encode(message, version)
    error = refused.value
    assert (error.message, error.version) == (type(message).__name__, version)
    assert (error.field, error.value) == (field, value)
    assert reason in error.reason
    assert str(error).startswith(f"{error.message} v{version}: {field} = ")
    assert len(str(error)) < 300


def test_a_version_that_does_not_exist() -> None:
    with pytest.raises(EncodeError, match="must be in 0 to 13"):
        encode(MetadataRequest(), 14)
    with pytest.raises(DecodeError, match="MetadataRequest v-1: versions are 0 to 13"):
        decode(MetadataRequest, b"", -1)


def test_an_ignorable_field_is_left_out() -> None:
    named = LeaderAndIsrTopicState("foo", topic_id=UUID(int=7))
    assert encode(LeaderAndIsrRequest(topic_states=(named,)), 4) == encode(
        LeaderAndIsrRequest(topic_states=(LeaderAndIsrTopicState("foo"),)), 4
    )


def test_a_struct_that_is_a_field() -> None:
    """The only one that is neither in an array nor nullable is our own."""
    response = PartitionAssignmentStatusResponse(replicas=(PartitionReplica("foo", 1, 2),))
    assert decode(PartitionAssignmentStatusResponse, encode(response, 0), 0) == response


def test_known_and_unknown_tags_share_one_ascending_list() -> None:
    response = ApiVersionsResponse(
        finalized_features_epoch=5, zk_migration_ready=True, unknown_tagged_fields=((9, b"z"),)
    )
    encoded = encode(response, 3)
    assert encoded.hex() == "00000100000000030108000000000000000503010109017a"
    assert decode(ApiVersionsResponse, encoded, 3) == response
    clash = ApiVersionsResponse(zk_migration_ready=True, unknown_tagged_fields=((3, b"\1"),))
    with pytest.raises(EncodeError, match="tag 3 is that of zk_migration_ready"):
        encode(clash, 3)


HEAD = "0000 01 00000000"  # ApiVersionsResponse v3 up to its tags


@pytest.mark.parametrize(
    ("cls", "version", "text", "said"),
    [
        (ApiVersionsResponse, 0, "00", "the data end at 1 bytes"),
        (ApiVersionsResponse, 0, "0000 00000000 00", "1 bytes follow its end at 6"),
        (ApiVersionsResponse, 0, "0000 ffffffff", "null before offset 6"),
        (ApiVersionsResponse, 0, "0000 fffffffe", "length -2"),
        (ApiVersionsResponse, 0, "0000 7fffffff", "length 2147483647 before offset 6, but only 0"),
        (ApiVersionsResponse, 3, "0000 00", "null before offset 3"),
        (ApiVersionsResponse, 3, "0000 ffffffff0f", "length 4294967294"),
        (ApiVersionsResponse, 3, "0000 ffffffff1f", "more than 32 bits"),
        (ApiVersionsResponse, 3, "0000 ffffffffff00", "more than 32 bits"),
        (ApiVersionsResponse, 3, f"{HEAD} 02 03 01 01 03 01 01", "tag 3 follows tag 3"),
        (ApiVersionsResponse, 3, f"{HEAD} 02 09 00 03 01 01", "tag 3 follows tag 9"),
        (ApiVersionsResponse, 3, f"{HEAD} 01 03 02 0101", "tag 3 ends at offset"),
        (ApiVersionsResponse, 3, f"{HEAD} 01 03 05 01", "length 5"),
        (ApiVersionsResponse, 3, f"{HEAD} ffffffff0f", "the data end"),
        (MetadataRequest, 1, "00000001 ffff", "null before offset 6"),
        (MetadataRequest, 1, "00000001 fffe", "length -2"),
        (MetadataRequest, 1, "00000001 0001 ff", "is not UTF-8"),
        (MetadataRequest, 1, "00000001 0005 61", "length 5 before offset 6, but only 1"),
        (MetadataRequest, 9, "02 00 00 01 00 00 00", "null before offset 2"),
        (RequestHeader, 1, "0003 0001 00000001 fffd", "length -3"),
    ],
)
def test_bytes_that_are_no_message(cls: Any, version: int, text: str, said: str) -> None:  # noqa: ANN401
    with pytest.raises(DecodeError) as refused:
        decode(cls, bytes.fromhex(text), version)
    assert str(refused.value).startswith(f"{cls.__name__} v{version}: ")
    assert said in str(refused.value)
    assert isinstance(refused.value, ProtocolError)


def test_a_string_longer_than_kafka_holds() -> None:
    name = b"x" * 32768
    data = struct.pack(">i", 0) + b"\2" + b"\x81\x80\2" + name + b"\1\0\0"
    with pytest.raises(DecodeError, match="a string of 32768 bytes"):
        decode(AlterPartitionReassignmentsRequest, data, 0)


@pytest.mark.parametrize(("name", "version"), ALL, ids=[f"{n}-v{v}" for n, v in ALL])
def test_a_huge_length_allocates_nothing(name: str, version: int) -> None:
    """Wherever a length stands, the largest one costs no memory before it is refused."""
    cls = class_of(name)
    encoded = encode(cls(), version)
    tracemalloc.start()
    try:
        for position in range(min(len(encoded), 24)):
            for huge in (b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\x07"):
                try:
                    decode(cls, encoded[:position] + huge + encoded[position:], version)
                except DecodeError:
                    continue
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@given(data=st.binary(max_size=40), case=st.sampled_from(ALL))
@settings(max_examples=400, deadline=None, derandomize=True, database=None)
def test_any_bytes_give_a_message_or_the_documented_error(
    data: bytes, case: tuple[str, int]
) -> None:
    name, version = case
    cls = class_of(name)
    try:
        message = decode(cls, data, version)
    except DecodeError:
        return
    assert decode(cls, encode(message, version), version) == message


def test_every_prefix_is_refused() -> None:
    encoded = encode(move(1, 2, 3), 0)
    for end in range(len(encoded)):
        with pytest.raises(DecodeError):
            decode(AlterPartitionReassignmentsRequest, encoded[:end], 0)


def test_a_memoryview_is_read_as_bytes_are() -> None:
    encoded = encode(move(1, 2, 3), 0)
    read = decode(AlterPartitionReassignmentsRequest, memoryview(encoded), 0)
    assert read == move(1, 2, 3)


def test_a_header_in_front_of_other_bytes() -> None:
    header = RequestHeader(45, 0, 7, "me")
    data = b"skip" + encode(header, 2) + b"body"
    assert decode_prefix(RequestHeader, data, 4, 2) == (header, len(data) - 4)


def test_nullable_arrays_come_back_as_they_went() -> None:
    response = CreateTopicsResponse()
    assert decode(CreateTopicsResponse, encode(response, 7), 7) == response
