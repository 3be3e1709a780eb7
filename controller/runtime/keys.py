"""Kafka's property names, and klamm's own, as a node's settings.

A node reads the same server.properties as a broker: what it knows is in the tables below, Kafka's
other keys mean nothing to it. Values are read as Kafka's ConfigDef reads them: trimmed, booleans
in any case.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from klamm.controller.configs import cluster_wide
from klamm.controller.configs.broker_keys import DYNAMIC, STATIC_NAMES, base_name
from klamm.controller.core import ibp
from klamm.controller.core.rules import PROFILES
from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.handlers.releases import RELEASES
from klamm.controller.handlers.switches import Switch
from klamm.controller.runtime.config import INT32_MAX, ControllerConfig
from klamm.controller.runtime.listeners import read_listeners
from klamm.controller.security.settings import KEYS as AUTHORIZER_KEYS
from klamm.controller.security.settings import authorizer_from

_INT64_MAX = 2**63 - 1


class ConfigError(ValueError):
    """Properties are no configuration: one line per fault, each with key, value and what to do."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class _Key:
    """A property: the field of ControllerConfig that it sets, and how its text is read."""

    field: str
    read: Callable[[str], Any]


def _number(least: int, most: int = INT32_MAX) -> Callable[[str], int]:
    def read(text: str) -> int:
        # Java's parsers take a sign and digits, Python's also 1_000 and digits of any script.
        if not re.fullmatch(r"[+-]?[0-9]+", text) or not least <= int(text) <= most:
            raise ValueError(f"a whole number from {least} to {most} is needed")
        return int(text)

    return read


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError("true or false is needed")
    return text.lower() == "true"


def _text(text: str) -> str:
    if not text:
        raise ValueError("it must not be empty")
    return text


def _file(text: str) -> Path:
    return Path(_text(text))


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"one of {', '.join(choices)} is needed")
        return text

    return read


def _profile(text: str) -> object:
    return PROFILES[_one_of(*PROFILES)(text)]


KEYS: Mapping[str, _Key] = {
    "node.id": _Key("node_id", _number(0)),
    "zookeeper.connect": _Key("zookeeper", _text),
    "zookeeper.session.timeout.ms": _Key("session_timeout_ms", _number(1)),
    "zookeeper.connection.timeout.ms": _Key("connection_timeout_ms", _number(1)),
    "klamm.zookeeper.jute.maxbuffer": _Key("packet_limit", _number(PACKET_LIMIT)),
    "inter.broker.protocol.version": _Key("protocol", ibp.by_name),
    "broker.rack": _Key("rack", _text),
    "num.partitions": _Key("default_partitions", _number(1)),
    "default.replication.factor": _Key("default_replication_factor", _number(1, 32767)),
    "delete.topic.enable": _Key("delete_topic_enable", _boolean),
    "auto.leader.rebalance.enable": _Key("auto_leader_rebalance", _boolean),
    "leader.imbalance.per.broker.percentage": _Key("leader_imbalance_percentage", _number(0)),
    "leader.imbalance.check.interval.seconds": _Key("leader_imbalance_check_seconds", _number(1)),
    "klamm.leader.moves.in.flight": _Key("leader_moves_in_flight", _number(1)),
    "klamm.profile": _Key("rules", _profile),
    "klamm.reassignment.timeout.enable": _Key("reassignment_timeout", _boolean),
    "klamm.request.forwarding.enable": _Key("forwarding", _boolean),
    "klamm.advertised.release": _Key("release", _one_of(*RELEASES)),
    "klamm.kip179.status.write.interval.ms": _Key("status_write_interval_ms", _number(1)),
    "klamm.journal.file": _Key("journal", _file),
    "klamm.journal.max.bytes": _Key("journal_max_bytes", _number(1, _INT64_MAX)),
    "klamm.journal.files": _Key("journal_files", _number(1)),
    "klamm.journal.fsync": _Key("journal_fsync", _one_of("never", "batch", "interval")),
    "max.connections": _Key("max_connections", _number(0)),
    "max.connections.per.ip": _Key("max_connections_per_ip", _number(0)),
    "connections.max.idle.ms": _Key("max_idle_ms", _number(1, _INT64_MAX)),
    "socket.request.max.bytes": _Key("max_request_bytes", _number(1)),
}
"""What one property sets alone; listeners are several keys together."""

_REQUIRED = {
    "node.id": "a klamm node needs an id of its own, which no broker has, such as 900",
    "zookeeper.connect": "a klamm node joins the ZooKeeper of a cluster, such as localhost:2181",
}


def config_from(properties: Mapping[str, str]) -> ControllerConfig:
    """Return the settings that properties ask for; raises ConfigError with every fault."""
    faults: list[str] = []
    fields: dict[str, Any] = {}
    for name, why in _REQUIRED.items():
        if name not in properties:
            faults.append(f"{name} is missing: {why}{_hint(name, properties)}")
    if "process.roles" in properties:
        faults.append(
            f"process.roles={properties['process.roles'].strip()!r}: process.roles is for clusters"
            " in KRaft mode, which have no ZooKeeper and no place for klamm; start it by the"
            " properties of a cluster with ZooKeeper"
        )
    for name, key in KEYS.items():
        if name in properties:
            value = properties[name].strip()
            try:
                fields[key.field] = key.read(value)
            except ValueError as error:
                faults.append(f"{name}={value!r}: {error}")
    try:
        fields["listeners"], fields["listener"] = read_listeners(properties)
    except ValueError as error:
        faults.append(str(error))
    try:
        fields["authorizer"] = authorizer_from(properties)
    except ValueError as error:
        faults.append(str(error))
    for switch in Switch:
        if properties.get(switch.value, "false").strip().lower() not in ("true", "false"):
            text = properties[switch.value].strip()
            faults.append(f"{switch.value}={text!r}: true or false is needed")
    try:
        fields["properties"] = cluster_wide.folded(properties)
        faults.extend(cluster_wide.faults_of(fields["properties"]))
    except ValueError as error:
        faults.append(str(error))
    if faults:
        raise ConfigError(faults)
    return ControllerConfig(**fields)


def unknown_keys(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys that neither klamm nor Kafka 3.9 knows: mistyped, or some plugin's.

    Most of Kafka's own mean nothing to klamm, and need no word.
    """
    known = {*KEYS, *DYNAMIC, *STATIC_NAMES, *AUTHORIZER_KEYS, *cluster_wide.START_UP_SYNONYMS}
    return tuple(name for name in properties if base_name(name) not in known)


def _hint(name: str, properties: Mapping[str, str]) -> str:
    if name == "node.id" and "broker.id" in properties:
        found = properties["broker.id"].strip()
        return f"; broker.id={found} is the id of a broker and is not taken for it"
    return ""
