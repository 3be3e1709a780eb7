"""For every kind of znode: writing and reading are inverse, and no bytes break a reader."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from klamm.controller import znodes as z
from klamm.controller.znodes import paths

INT32 = 2**31 - 1
INT64 = 2**63 - 1

naturals = st.integers(0, INT32)
times = st.integers(0, INT64)
replicas = st.lists(naturals, unique=True, max_size=5).map(tuple)
some_replicas = st.lists(naturals, unique=True, min_size=1, max_size=5).map(tuple)
names = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
texts = st.text(max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def extras(*known: str) -> st.SearchStrategy[dict[str, Any]]:
    unknown = texts.filter(lambda key: key not in {"version", *known})
    return st.dictionaries(unknown, json_values, max_size=3)


@st.composite
def topics(draw: st.DrawFn) -> z.TopicZnode:
    partitions = draw(st.dictionaries(naturals, some_replicas, max_size=5))
    numbers = st.sampled_from(sorted(partitions)) if partitions else st.nothing()
    moves = st.dictionaries(numbers, some_replicas)
    camel_and_snake = [f"{a}{b}" for a in ("adding", "removing") for b in ("Replicas", "_replicas")]
    return z.TopicZnode(
        draw(st.integers(-(2**31), INT32)),
        partitions,
        draw(moves),
        draw(moves),
        draw(st.none() | st.uuids()),
        draw(extras("partitions", "topic_id", *camel_and_snake)),
    )


states = st.builds(
    z.StateZnode,
    st.integers(-1, INT32),
    naturals,
    replicas,
    naturals,
    st.sampled_from([z.RECOVERED, z.RECOVERING]),
    extras("leader", "leader_epoch", "isr", "controller_epoch", "leader_recovery_state"),
)
hosts = st.from_regex(r"[0-9a-zA-Z\-%._]{0,9}|[0-9a-f]{1,4}(::?[0-9a-f]{1,4}){1,5}", fullmatch=True)
endpoints = st.lists(
    st.builds(
        z.Endpoint,
        names.map(str.upper),
        st.sampled_from(["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]),
        hosts,
        st.integers(0, 65535),
    ),
    unique_by=lambda endpoint: endpoint.listener,
    max_size=3,
).map(tuple)
levels = st.dictionaries(texts, st.integers(-(2**31), INT32), max_size=2)
features = st.dictionaries(texts, levels, max_size=2)
racks = st.none() | texts
brokers = st.builds(
    z.BrokerZnode,
    st.just(7),
    endpoints,
    racks,
    features,
    st.just(5),
    st.none() | times,
    st.integers(-1, 65535),
) | st.builds(z.BrokerZnode, st.just(7), endpoints, racks, version=st.just(4))
controllers = st.builds(
    z.ControllerZnode,
    naturals,
    st.none() | times,
    st.none() | st.integers(-1, INT32),
)
orders = st.lists(
    st.builds(z.Reassignment, texts, naturals, some_replicas),
    unique_by=lambda order: (order.topic, order.partition),
    max_size=4,
).map(lambda entries: z.ReassignPartitionsZnode(tuple(entries)))
partition_lists = st.lists(
    st.builds(z.TopicPartition, texts, naturals), unique=True, max_size=4
).map(lambda entries: z.PartitionsZnode(tuple(entries)))
clients = st.builds(z.ConfigEntity, st.just("clients"), st.none() | st.text(min_size=1))
entities = (
    st.builds(z.ConfigEntity, st.sampled_from(["topics", "brokers"]), st.none() | names)
    | st.builds(
        z.ConfigEntity, st.sampled_from(["clients", "ips"]), st.none() | st.text(min_size=1)
    )
    | st.builds(
        z.ConfigEntity, st.just("users"), st.none() | st.text(min_size=1), st.none() | clients
    )
)
types = st.sampled_from(sorted(z.RESOURCE_TYPES))
lists = st.dictionaries(naturals, replicas, max_size=4)
steps = st.dictionaries(
    naturals,
    st.builds(
        z.ReassignmentStep,
        replicas,
        replicas,
        naturals,
        st.sampled_from(["leader", "fill", "swap"]),
        replicas,
        times,
    ),
    max_size=3,
)
blocks = st.tuples(times, times).map(sorted).flatmap(
    lambda bounds: st.builds(z.ProducerIdBlock, naturals, st.just(bounds[0]), st.just(bounds[1]))
)  # fmt: skip


class Kind(NamedTuple):
    """A kind of znode: where it stands, how it is read and written, and which values it has."""

    name: str
    path: str
    decode: Callable[[bytes | None, str], Any]
    encode: Callable[[Any], bytes]
    values: st.SearchStrategy[Any]


LITERAL_CHANGE, PREFIXED_CHANGE = paths.ACL_CHANGE_PREFIX, paths.EXTENDED_ACL_CHANGE_PREFIX
KINDS = [
    Kind("topic", "/brokers/topics/t", z.decode_topic, z.encode_topic, topics()),
    Kind(
        "topic, camelCase",
        "/brokers/topics/t",
        z.decode_topic,
        lambda znode: z.encode_topic(znode, camel_case=True),
        topics(),
    ),
    Kind("state", paths.state("t", 0), z.decode_state, z.encode_state, states),
    Kind("broker", "/brokers/ids/7", z.decode_broker, z.encode_broker, brokers),
    Kind("controller", paths.CONTROLLER, z.decode_controller, z.encode_controller, controllers),
    Kind(
        "epoch",
        paths.CONTROLLER_EPOCH,
        z.decode_controller_epoch,
        z.encode_controller_epoch,
        naturals,
    ),
    Kind(
        "reassignments",
        paths.REASSIGN_PARTITIONS,
        z.decode_reassign_partitions,
        lambda znode: z.encode_reassign_partitions(znode.entries),
        orders,
    ),
    Kind(
        "partitions",
        paths.PREFERRED_REPLICA_ELECTION,
        z.decode_partitions,
        lambda znode: z.encode_partitions(znode.entries),
        partition_lists,
    ),
    Kind(
        "log dir event",
        paths.LOG_DIR_EVENT_PREFIX,
        z.decode_log_dir_event,
        z.encode_log_dir_event,
        st.builds(z.LogDirEvent, naturals, st.integers(-(2**31), INT32)),
    ),
    Kind(
        "config",
        "/config/topics/t",
        z.decode_config,
        z.encode_config,
        st.builds(z.ConfigZnode, st.dictionaries(texts, texts), extras("config")),
    ),
    Kind(
        "config change",
        paths.CONFIG_CHANGE_PREFIX,
        z.decode_config_change,
        z.encode_config_change,
        entities,
    ),
    Kind(
        "acls",
        "/kafka-acl/Topic/t",
        z.decode_acls,
        z.encode_acls,
        st.builds(
            z.AclZnode,
            st.lists(st.builds(z.Acl, texts, texts, texts, texts), max_size=3).map(tuple),
            extras("acls"),
        ),
    ),
    Kind(
        "acl change",
        LITERAL_CHANGE,
        z.decode_acl_change,
        z.encode_acl_change,
        st.builds(z.ResourcePattern, types, texts),
    ),
    Kind(
        "extended acl change",
        PREFIXED_CHANGE,
        z.decode_acl_change,
        z.encode_acl_change,
        st.builds(z.ResourcePattern, types, texts, st.just("PREFIXED")),
    ),
    Kind("cluster id", paths.CLUSTER_ID, z.decode_cluster_id, z.encode_cluster_id, texts),
    Kind(
        "producer ids",
        paths.PRODUCER_ID_BLOCK,
        z.decode_producer_id_block,
        z.encode_producer_id_block,
        blocks,
    ),
    Kind(
        "feature",
        paths.FEATURE,
        z.decode_feature,
        z.encode_feature,
        st.builds(z.FeatureZnode, st.sampled_from([1, 2]), st.booleans(), features),
    ),
    Kind(
        "klamm node",
        "/klamm/nodes/7",
        z.decode_klamm_node,
        z.encode_klamm_node,
        st.builds(z.KlammNodeZnode, st.just(7), endpoints, racks),
    ),
    Kind(
        "commit",
        paths.KLAMM_COMMIT,
        z.decode_commit,
        z.encode_commit,
        st.builds(z.CommitZnode, naturals, times),
    ),
    Kind("broker lists", "/klamm/x/t", z.decode_broker_lists, z.encode_broker_lists, lists),
    Kind("steps", "/klamm/x/t", z.decode_reassignment_steps, z.encode_reassignment_steps, steps),
]
# 84 tests of this file share the time of one; a slow machine is no fault of theirs.
fast = settings(max_examples=25, deadline=None)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@every_kind
@fast
@given(data=st.data())
def test_what_is_written_is_read_back(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(kind.values)
    assert kind.decode(kind.encode(value), kind.path) == value


def read_or_refuse(kind: Kind, data: bytes | None) -> None:
    """Read; whatever is accepted can be written and then reads the same."""
    try:
        value = kind.decode(data, kind.path)
    except z.ZnodeError as error:
        assert error.path == kind.path
        assert error.reason
        return
    if value is None or (isinstance(value, z.BrokerZnode) and value.version not in (4, 5)):
        return
    again = kind.decode(kind.encode(value), kind.path)
    if isinstance(value, z.ReassignPartitionsZnode | z.PartitionsZnode):
        assert again.entries == value.entries
    elif isinstance(value, z.TopicZnode):
        assert (again.partitions, again.adding, again.removing, again.topic_id, again.extra) == (
            value.partitions, value.adding, value.removing, value.topic_id, value.extra
        )  # fmt: skip
    else:
        assert again == value


@every_kind
@fast
@given(data=st.none() | st.binary(max_size=64))
def test_no_bytes_break_a_reader(kind: Kind, data: bytes | None) -> None:
    read_or_refuse(kind, data)


@every_kind
@fast
@given(data=st.data())
def test_no_damage_to_a_good_znode_breaks_a_reader(kind: Kind, data: st.DataObject) -> None:
    good = bytearray(kind.encode(data.draw(kind.values)))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(good))] * 2)))
    good[start:end] = data.draw(st.binary(max_size=4))
    read_or_refuse(kind, bytes(good))


@every_kind
@fast
@given(data=st.data())
def test_no_value_under_any_key_breaks_a_reader(kind: Kind, data: st.DataObject) -> None:
    try:
        fields = json.loads(kind.encode(data.draw(kind.values)))
    except ValueError:
        fields = {}
    if isinstance(fields, dict) and fields:
        fields[data.draw(st.sampled_from(sorted(fields)))] = data.draw(json_values)
    read_or_refuse(kind, json.dumps(fields).encode())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"partitions":[', b'{"extra":['])
def test_nesting_without_end_is_refused(kind: Kind, opening: bytes) -> None:
    with pytest.raises(z.ZnodeError):
        kind.decode(opening * 100_000, kind.path)
