"""Every golden file is read as the value given here, and written again byte for byte."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from klamm.controller import znodes as z

FOLDER = Path(__file__).parent.parent / "golden" / "znodes"


class Case(NamedTuple):
    """A golden file's name, the value that it holds, how it is read, and written if it is."""

    name: str
    value: Any
    decode: Callable[[bytes, str], Any]
    encode: Callable[[Any], bytes] | None = None


def endpoint(listener: str, protocol: str, host: str, port: int) -> z.Endpoint:
    return z.Endpoint(listener, protocol, host, port)


TOPIC_ID = UUID("5f39ec14-1418-4dff-a32d-e06d20deb525")
SENT = 1795260081097

CASES = [
    Case(
        "topic_v3_moving",
        z.TopicZnode(3, {0: (4, 3, 2, 1)}, {0: (4,)}, {0: (1,)}, TOPIC_ID),
        z.decode_topic,
        z.encode_topic,
    ),
    Case(
        "topic_v2_idle",
        z.TopicZnode(2, {0: (1, 2, 3), 1: (2, 3, 1)}),
        z.decode_topic,
        z.encode_topic,
    ),
    Case("topic_v1", z.TopicZnode(1, {0: (1, 2, 3)}), z.decode_topic),
    Case(
        "topic_v2_kip455",
        z.TopicZnode(2, {0: (1, 4, 3, 2)}, {0: (4,)}, {0: (1,)}),
        z.decode_topic,
        lambda znode: z.encode_topic(znode, camel_case=True),
    ),
    Case("state", z.StateZnode(1, 0, (1, 2, 3), 1), z.decode_state, z.encode_state),
    Case(
        "state_recovering",
        z.StateZnode(2, 7, (2,), 4, z.RECOVERING),
        z.decode_state,
        z.encode_state,
    ),
    Case("controller_v2", z.ControllerZnode(1, SENT), z.decode_controller, z.encode_controller),
    Case(
        "controller_v2_391",
        z.ControllerZnode(1, 1795262240084, -1),
        z.decode_controller,
        z.encode_controller,
    ),
    Case(
        "controller_v1",
        z.ControllerZnode(100, 1795262240084, None),
        z.decode_controller,
        z.encode_controller,
    ),
    Case("controller_epoch", 1, z.decode_controller_epoch, z.encode_controller_epoch),
    Case(
        "broker_v5",
        z.BrokerZnode(3, (endpoint("PLAINTEXT", "PLAINTEXT", "h", 9092),), "r1", {}, 5, SENT),
        z.decode_broker,
        z.encode_broker,
    ),
    Case(
        "broker_v4",
        z.BrokerZnode(
            3,
            (endpoint("CLIENT", "SASL_SSL", "h", 9092), endpoint("INSIDE", "SSL", "::1", 9093)),
            version=4,
            timestamp=SENT,
            jmx_port=9999,
        ),
        z.decode_broker,
        z.encode_broker,
    ),
    Case(
        "reassign_partitions",
        z.ReassignPartitionsZnode((z.Reassignment("foo", 0, (1, 2)),)),
        z.decode_reassign_partitions,
        lambda znode: z.encode_reassign_partitions(znode.entries),
    ),
    Case(
        "preferred_replica_election",
        z.PartitionsZnode((z.TopicPartition("t", 0),)),
        z.decode_partitions,
        lambda znode: z.encode_partitions(znode.entries),
    ),
    Case(
        "isr_change",
        z.PartitionsZnode((z.TopicPartition("t1", 1),)),
        z.decode_partitions,
        lambda znode: z.encode_partitions(znode.entries),
    ),
    Case("log_dir_event", z.LogDirEvent(3, 1), z.decode_log_dir_event, z.encode_log_dir_event),
    Case("config", z.ConfigZnode({"k": "v"}), z.decode_config, z.encode_config),
    Case(
        "config_change_v2",
        z.ConfigEntity("topics", "T"),
        z.decode_config_change,
        z.encode_config_change,
    ),
    Case("config_change_v1", z.ConfigEntity("topics", "T"), z.decode_config_change),
    Case(
        "acls",
        z.AclZnode((z.Acl("User:a", "Allow", "Read", "*"),)),
        z.decode_acls,
        z.encode_acls,
    ),
    Case("acl_change", z.ResourcePattern("TOPIC", "t"), z.decode_acl_change, z.encode_acl_change),
    Case(
        "acl_change_extended",
        z.ResourcePattern("TOPIC", "t", "PREFIXED"),
        z.decode_acl_change,
        z.encode_acl_change,
    ),
    Case("cluster_id", "lM2LEGQkRSGz-DKtckyj3Q", z.decode_cluster_id, z.encode_cluster_id),
    Case(
        "producer_id_block",
        z.ProducerIdBlock(4, 3000, 3999),
        z.decode_producer_id_block,
        z.encode_producer_id_block,
    ),
    Case(
        "producer_id_block_391",
        z.ProducerIdBlock(1, 2000, 2999),
        z.decode_producer_id_block,
        z.encode_producer_id_block,
    ),
    Case("feature_v1", z.FeatureZnode(1, False), z.decode_feature, z.encode_feature),
    Case(
        "feature_v2",
        z.FeatureZnode(2, True, {"metadata.version": {"max_version_level": 1}}),
        z.decode_feature,
        z.encode_feature,
    ),
]


def test_every_golden_file_has_its_case() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {case.name for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_golden_file_is_read_and_written_again(case: Case) -> None:
    golden = json.loads((FOLDER / f"{case.name}.json").read_text())
    assert golden["provenance"]
    data = golden["data"].encode()
    assert case.decode(data, golden["path"]) == case.value
    if case.encode:
        assert case.encode(case.value) == data
