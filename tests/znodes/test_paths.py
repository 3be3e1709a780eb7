import json
from uuid import UUID

import pytest

from klamm.controller.znodes import (
    CommitZnode,
    Endpoint,
    KlammNodeZnode,
    ReassignmentStep,
    ZnodeError,
    decode_broker_lists,
    decode_cluster_id,
    decode_feature,
    decode_klamm_node,
    decode_producer_id_block,
    decode_reassignment_steps,
    decode_uuid,
    encode_broker_lists,
    encode_commit,
    encode_klamm_node,
    encode_reassignment_steps,
    encode_uuid,
    paths,
)


def test_paths_are_kafkas() -> None:
    assert paths.topic("t") == "/brokers/topics/t"
    assert paths.partitions("t") == "/brokers/topics/t/partitions"
    assert paths.partition("t", 3) == "/brokers/topics/t/partitions/3"
    assert paths.state("t", 3) == "/brokers/topics/t/partitions/3/state"
    assert paths.broker(4) == "/brokers/ids/4"
    assert paths.delete_topic("t") == "/admin/delete_topics/t"
    assert paths.broker_id(paths.broker(4)) == 4
    assert paths.ISR_CHANGE_PREFIX == "/isr_change_notification/isr_change_"
    assert paths.LOG_DIR_EVENT_PREFIX == "/log_dir_event_notification/log_dir_event_"
    assert paths.CONFIG_CHANGE_PREFIX == "/config/changes/config_change_"


def test_paths_of_our_own_are_below_one_node() -> None:
    assert paths.klamm_node(900) == "/klamm/nodes/900"
    assert paths.broker_id(paths.klamm_node(900)) == 900
    assert paths.replica_deletions("t") == "/klamm/replica_deletions/t"
    assert paths.original_order("t") == "/klamm/original_order/t"
    assert paths.reassignment_steps("t") == "/klamm/reassignment_steps/t"
    assert all(path.startswith(paths.KLAMM) for path in paths.KLAMM_PATHS)


@pytest.mark.parametrize("tree", [paths.PERSISTENT_PATHS, paths.KLAMM_PATHS])
def test_parents_stand_before_their_children(tree: tuple[str, ...]) -> None:
    assert len(set(tree)) == len(tree)
    for number, path in enumerate(tree):
        assert path.rpartition("/")[0] in ("", *tree[:number])


def test_every_persistent_path_of_kafka_is_there() -> None:
    kafka = """/consumers /brokers/ids /brokers/topics /config/changes /admin/delete_topics
        /brokers/seqid /isr_change_notification /latest_producer_id_block
        /log_dir_event_notification /config/topics /config/clients /config/users /config/brokers
        /config/ips"""
    parents = {"/brokers", "/config", "/admin"}
    assert set(paths.PERSISTENT_PATHS) == set(kafka.split()) | parents


def test_a_uuid_is_22_characters() -> None:
    uuid = UUID("5f39ec14-1418-4dff-a32d-e06d20deb525")
    assert encode_uuid(uuid) == "XznsFBQYTf-jLeBtIN61JQ"
    assert decode_uuid("XznsFBQYTf-jLeBtIN61JQ") == uuid
    for text in ("", "XznsFBQYTf-jLeBtIN61J", "XznsFBQYTf+jLeBtIN61JQ", "XznsFBQYTf-jLeBtIN61JQ="):
        with pytest.raises(ValueError, match="is not an id of 22 characters"):
            decode_uuid(text)


def test_a_node_of_ours_is_registered_like_a_broker() -> None:
    znode = KlammNodeZnode(900, (Endpoint("IN", "SSL", "h", 1),), "r1")
    data = encode_klamm_node(znode)
    assert json.loads(data) == {
        "version": 1,
        "endpoints": ["IN://h:1"],
        "listener_security_protocol_map": {"IN": "SSL"},
        "rack": "r1",
    }
    assert decode_klamm_node(data, "/klamm/nodes/900") == znode


def test_our_other_znodes_have_the_documented_form() -> None:
    step = ReassignmentStep((5, 6), (1, 2), 1, "swap", (5,), 1_700_000_000_000)
    assert encode_commit(CommitZnode(3, 17)) == b'{"version":1,"controller_epoch":3,"counter":17}'
    assert encode_broker_lists({0: (4, 5)}) == b'{"version":1,"partitions":{"0":[4,5]}}'
    assert encode_reassignment_steps({0: step}) == (
        b'{"version":1,"partitions":{"0":{"target":[5,6],"origin":[1,2],"step":1,"kind":"swap",'
        b'"adding":[5],"since_ms":1700000000000}}}'
    )


def test_a_later_version_of_ours_is_not_guessed_at() -> None:
    for decode in (decode_broker_lists, decode_reassignment_steps):
        with pytest.raises(ZnodeError, match="Expected `int` <= 1"):
            decode(b'{"version":2,"partitions":{}}', "/klamm/x")


def test_a_broker_owes_a_replica_once() -> None:
    with pytest.raises(ZnodeError, match="partition 0 has broker 4 twice"):
        decode_broker_lists(b'{"version":1,"partitions":{"0":[4,4]}}', "/klamm/x")


@pytest.mark.parametrize("kind", ["jump", None])
def test_a_step_of_an_unknown_kind_is_an_error(kind: str | None) -> None:
    step = {"target": [], "origin": [], "step": 0, "kind": kind, "adding": [], "since_ms": 0}
    with pytest.raises(ZnodeError, match="kind"):
        decode_reassignment_steps(
            json.dumps({"version": 1, "partitions": {"0": step}}).encode(), "/klamm/x"
        )


def test_before_the_first_producer_id_there_is_no_block() -> None:
    assert decode_producer_id_block(None) is None


@pytest.mark.parametrize(
    ("first", "last"), [("3000", "2999"), ("-1", "0"), ("x", "1"), ("0", str(2**63)), ("", "1")]
)
def test_a_block_has_bounds_in_order(first: str, last: str) -> None:
    fields = {"version": 1, "broker": 4, "block_start": first, "block_end": last}
    with pytest.raises(ZnodeError, match=f"no block: '{first}' to '{last}'"):
        decode_producer_id_block(json.dumps(fields).encode())


@pytest.mark.parametrize(
    "data",
    [
        None,
        b'{"features":{},"version":3,"status":1}',
        b'{"features":{},"version":1,"status":2}',
        b'{"version":1,"status":1}',
    ],
)
def test_features_of_other_forms_are_an_error(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=r"^/feature: "):
        decode_feature(data)


@pytest.mark.parametrize("data", [None, b"{}", b'{"version":"1","id":1}'])
def test_a_cluster_without_an_id_is_an_error(data: bytes | None) -> None:
    with pytest.raises(ZnodeError, match=r"^/cluster/id: "):
        decode_cluster_id(data)
