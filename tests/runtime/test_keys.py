"""Kafka's property names as a node's settings."""

from pathlib import Path
from typing import Any

import pytest

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    MIN_ISR,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
    START_UP_SYNONYMS,
    STATUS_RETENTION,
    ClusterWide,
)
from klamm.controller.core.pace import Limits
from klamm.controller.core.rules import APACHE_3_9, KIP_455
from klamm.controller.handlers.switches import Switch
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.keys import KEYS, ConfigError, config_from, unknown_keys
from klamm.controller.runtime.listeners import Listener

NEEDED = {"node.id": "900", "zookeeper.connect": "zk:2181/kafka"}


def test_what_is_left_out_has_kafka_s_defaults() -> None:
    config = config_from(NEEDED)
    assert (config.node_id, config.zookeeper) == (900, "zk:2181/kafka")
    assert config.listeners == (Listener(host="", port=9092),)
    assert config.listener == "PLAINTEXT"
    assert config.session_timeout_ms == 18_000
    assert (config.default_partitions, config.default_replication_factor) == (1, 1)
    assert config.delete_topic_enable
    assert config.auto_leader_rebalance
    assert config.leader_imbalance_percentage == 10
    assert config.leader_imbalance_check_seconds == 300
    assert config.max_idle_ms == 600_000
    assert config.connection_timeout_ms is None
    assert config.rules is APACHE_3_9
    assert config.protocol.name == "2.4-IV0"
    assert config.properties == NEEDED


SETTINGS: list[tuple[str, str, Any]] = [
    ("node.id", "7", 7),
    ("zookeeper.connect", "a:1,b:2/c", "a:1,b:2/c"),
    ("zookeeper.session.timeout.ms", "6000", 6000),
    ("zookeeper.connection.timeout.ms", "18000", 18000),
    ("broker.rack", "r1", "r1"),
    ("num.partitions", "3", 3),
    ("default.replication.factor", "3", 3),
    ("delete.topic.enable", "False", False),
    ("auto.leader.rebalance.enable", "FALSE", False),
    ("leader.imbalance.per.broker.percentage", "0", 0),
    ("leader.imbalance.check.interval.seconds", "5", 5),
    ("klamm.leader.moves.in.flight", "1", 1),
    ("klamm.zookeeper.jute.maxbuffer", "4194304", 4_194_304),
    ("klamm.profile", "kip-455", KIP_455),
    ("klamm.request.forwarding.enable", "true", True),
    ("klamm.journal.file", "/var/log/j.jsonl", Path("/var/log/j.jsonl")),
    ("klamm.journal.max.bytes", "5000000000", 5_000_000_000),
    ("klamm.journal.files", "2", 2),
    ("klamm.kip179.status.write.interval.ms", "50", 50),
    ("max.connections", "100", 100),
    ("max.connections.per.ip", "10", 10),
    ("connections.max.idle.ms", "5000", 5000),
    ("socket.request.max.bytes", "104857600", 104_857_600),
]


@pytest.mark.parametrize(("key", "text", "value"), SETTINGS)
def test_each_key_sets_its_field_alone(key: str, text: str, value: object) -> None:
    plain, found = config_from(NEEDED), config_from({**NEEDED, key: f"  {text} "})
    field = KEYS[key].field
    assert getattr(found, field) == value
    differing = {
        name
        for name in ControllerConfig.__dataclass_fields__
        if getattr(found, name) != getattr(plain, name)
    }
    assert differing <= {field, "properties"}


@pytest.mark.req("R435-58")
def test_switches_are_off_unless_they_are_set() -> None:
    assert config_from(NEEDED).switches == frozenset()
    assert config_from({**NEEDED, "klamm.kip435.list.v1.enable": "false"}).switches == frozenset()
    for switch in Switch:
        assert config_from({**NEEDED, switch.value: " True "}).switches == {switch}
        with pytest.raises(ConfigError, match="'yes': true or false is needed"):
            config_from({**NEEDED, switch.value: "yes"})


@pytest.mark.req("R435-1", "R435-2", "R435-3")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        (REPLICA_MOVEMENTS, ClusterWide(Limits(replicas=2))),
        (PARTITION_MOVEMENTS, ClusterWide(Limits(partitions=2))),
        (LEADER_MOVEMENTS, ClusterWide(Limits(leaders=2))),
        (STATUS_RETENTION, ClusterWide(status_retention_ms=2)),
        (MIN_ISR, ClusterWide(min_isr=2)),
    ],
)
def test_what_holds_for_the_cluster_may_be_set_at_the_start(key: str, value: ClusterWide) -> None:
    assert config_from(NEEDED).cluster_wide == ClusterWide()
    assert config_from({**NEEDED, key: " 2 "}).cluster_wide == value
    with pytest.raises(ConfigError, match=f"^{key}='-1': .* must be at least"):
        config_from({**NEEDED, key: "-1"})


@pytest.mark.req("R435-7")
@pytest.mark.parametrize(("synonym", "main"), START_UP_SYNONYMS.items())
def test_a_limit_may_have_the_name_that_the_proposal_gives_it_elsewhere(
    synonym: str, main: str
) -> None:
    found = config_from({**NEEDED, synonym: " 2 "})
    assert found.cluster_wide == config_from({**NEEDED, main: "2"}).cluster_wide
    assert found.properties == {**NEEDED, main: "2"}
    assert config_from({**NEEDED, synonym: "2", main: " 2"}).cluster_wide == found.cluster_wide
    with pytest.raises(ConfigError) as refused:
        config_from({**NEEDED, synonym: "2", main: "3"})
    [fault] = refused.value.faults
    assert f"{synonym}='2' contradicts {main}='3'" in fault
    with pytest.raises(ConfigError, match=f"^{main}='0': .* must be at least 1"):
        config_from({**NEEDED, synonym: "0"})


@pytest.mark.req("R435-7")
def test_two_synonyms_of_one_limit_may_not_contradict_each_other() -> None:
    first, second = (name for name in START_UP_SYNONYMS if name.endswith("replica.count"))
    assert config_from({**NEEDED, first: "4", second: "4"}).cluster_wide.limits.replicas == 4
    with pytest.raises(ConfigError, match=f"{second}='5' contradicts {first}='4'"):
        config_from({**NEEDED, first: "4", second: "5"})


@pytest.mark.parametrize(
    ("text", "name"), [("2.4", "2.4-IV1"), ("3.9", "3.9-IV0"), (" 2.3-IV1 ", "2.3-IV1")]
)
def test_the_inter_broker_protocol_is_named_as_in_kafka(text: str, name: str) -> None:
    config = config_from({**NEEDED, "inter.broker.protocol.version": text})
    assert config.protocol.name == name


@pytest.mark.parametrize(
    ("key", "text", "accepted"),
    [
        ("node.id", "-1", "a whole number from 0 to 2147483647 is needed"),
        ("node.id", "2147483648", "a whole number from 0 to 2147483647 is needed"),
        ("node.id", "1_0", "a whole number from 0"),
        ("node.id", "\u0663", "a whole number from 0"),
        ("node.id", "", "a whole number from 0"),
        ("zookeeper.connect", " ", "it must not be empty"),
        ("num.partitions", "0", "a whole number from 1 to"),
        ("default.replication.factor", "32768", "a whole number from 1 to 32767"),
        ("delete.topic.enable", "yes", "true or false is needed"),
        ("klamm.profile", "kip-1", "one of apache-3.9, kip-455 is needed"),
        ("inter.broker.protocol.version", "4.0", "3.9-IV0"),
        ("leader.imbalance.check.interval.seconds", "0.5", "a whole number from 1"),
    ],
)
def test_a_bad_value_is_named_with_what_is_accepted(key: str, text: str, accepted: str) -> None:
    with pytest.raises(ConfigError) as refused:
        config_from({**NEEDED, key: text})
    [fault] = refused.value.faults
    assert fault.startswith(f"{key}={text.strip()!r}: ")
    assert accepted in fault


def test_all_faults_are_told_together() -> None:
    with pytest.raises(ConfigError) as refused:
        config_from({"broker.id": "4", "process.roles": "broker", "num.partitions": "x"})
    node, zookeeper, roles, number = refused.value.faults
    assert node.endswith("broker.id=4 is the id of a broker and is not taken for it")
    assert zookeeper.startswith("zookeeper.connect is missing: ")
    assert roles.startswith("process.roles='broker': process.roles is for clusters in KRaft mode")
    assert number.startswith("num.partitions='x'")


def test_a_cluster_in_kraft_mode_is_refused_with_all_else_in_order() -> None:
    with pytest.raises(ConfigError, match="no ZooKeeper and no place for klamm"):
        config_from({**NEEDED, "process.roles": "controller"})


def test_unknown_is_what_neither_klamm_nor_kafka_knows() -> None:
    kafka = ["log.dirs", "listeners", "broker.id", "background.threads", "process.roles"]
    kafka += ["listener.name.internal.ssl.keystore.location", "zookeeper.connection.timeout.ms"]
    assert unknown_keys({**NEEDED, **dict.fromkeys([*KEYS, *kafka], "x")}) == ()
    odd = ("klamm.jornal", "brokr.rack", "listener.name.internal.ssl.key")
    assert unknown_keys({**NEEDED, **dict.fromkeys(odd, "x")}) == odd
