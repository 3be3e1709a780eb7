"""Configs that hold for a whole cluster alone, by which the controller governs moves.

Their limits are KIP-435's, what is kept of requests is KIP-179's. The precedence is Kafka's: what
is set for all brokers while they run, then what this node was started with, then the default.
What holds for one broker would mean nothing: only the controller reads them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from klamm.controller.configs.definition import Definition
from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.configs.values import Kind, Range
from klamm.controller.core.model import DAY_MS
from klamm.controller.core.pace import UNLIMITED, Limits

REPLICA_MOVEMENTS: Final = "reassignment.max.concurrent.replica.movements"
PARTITION_MOVEMENTS: Final = "reassignment.max.concurrent.partition.movements"
LEADER_MOVEMENTS: Final = "reassignment.max.concurrent.leader.movements"
STATUS_RETENTION: Final = "reassign.partitions.status.min.retention.ms"
MIN_ISR: Final = "min.insync.replicas"


#: The limits of moves, by name.
LIMITS: Final = (REPLICA_MOVEMENTS, PARTITION_MOVEMENTS, LEADER_MOVEMENTS)


def _limit(name: str, doc: str) -> Definition:
    return Definition(name, Kind.INT, str(UNLIMITED), Range(1), f"{doc} Importance: medium.")


_DEFINITIONS = (
    _limit(REPLICA_MOVEMENTS,
           "How many replicas one step of a partition's reassignment adds and drops at most."),
    _limit(PARTITION_MOVEMENTS,
           "How many partitions of the cluster may have a step of their reassignment under way."),
    _limit(LEADER_MOVEMENTS,
           "How many of those steps may be ones that bring another leader."),
    Definition(STATUS_RETENTION, Kind.LONG, str(DAY_MS), Range(0),
               "How long the status of a completed request to assign partitions is kept at least."
               " Importance: low."),
)  # fmt: skip

CLUSTER_WIDE: Mapping[str, Definition] = MappingProxyType({key.name: key for key in _DEFINITIONS})

#: Other names that KIP-435's text gives to its limits; read when a node starts, and never shown.
START_UP_SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        "reassignment.parallel.replica.count": REPLICA_MOVEMENTS,
        "reassignment.max.parallel.replica.count": REPLICA_MOVEMENTS,
        "reassignment.parallel.partition.count": PARTITION_MOVEMENTS,
        "reassignment.parallel.leader.movements": LEADER_MOVEMENTS,
    }
)


@dataclass(frozen=True, slots=True)
class ClusterWide:
    """The values that hold; `min_isr` is for topics that have none of their own."""

    limits: Limits = Limits()
    min_isr: int = 1
    status_retention_ms: int = DAY_MS

    def overridden(self, stored: Mapping[str, str]) -> "tuple[ClusterWide, tuple[str, ...]]":
        """Return the values with those that are stored for all brokers, and what is wrong.

        A value that is none leaves the one that there is without it.
        """
        faults: list[str] = []

        def read(key: Definition, otherwise: int) -> int:
            if key.name not in stored:
                return otherwise
            try:
                value = key.read(stored[key.name])
            except ValueError as error:
                faults.append(f"{error}; {otherwise} is in force instead")
                return otherwise
            assert isinstance(value, int)
            return value

        limits = Limits(
            read(CLUSTER_WIDE[REPLICA_MOVEMENTS], self.limits.replicas),
            read(CLUSTER_WIDE[PARTITION_MOVEMENTS], self.limits.partitions),
            read(CLUSTER_WIDE[LEADER_MOVEMENTS], self.limits.leaders),
        )
        min_isr = read(TOPIC_KEYS[MIN_ISR], self.min_isr)
        retention = read(CLUSTER_WIDE[STATUS_RETENTION], self.status_retention_ms)
        return ClusterWide(limits, min_isr, retention), tuple(faults)


#: What holds where nobody has set anything.
NOT_SET = ClusterWide()


def folded(properties: Mapping[str, str]) -> dict[str, str]:
    """Return a node's properties with its limits under their main names alone.

    Raises ValueError if a synonym contradicts another name of the same limit.
    """
    kept = {name: text for name, text in properties.items() if name not in START_UP_SYNONYMS}
    said = {main: main for main in START_UP_SYNONYMS.values() if main in kept}
    for synonym, main in START_UP_SYNONYMS.items():
        if synonym not in properties:
            continue
        text = properties[synonym].strip()
        other = said.setdefault(main, synonym)
        if kept.setdefault(main, text).strip() != text:
            raise ValueError(
                f"{synonym}={text!r} contradicts {other}={kept[main].strip()!r}: both are names of"
                f" one limit; set {main} alone"
            )
    return kept


def faults_of(properties: Mapping[str, str]) -> Iterator[str]:
    """Tell what is wrong with values that properties give to these configs."""
    for key in (*CLUSTER_WIDE.values(), TOPIC_KEYS[MIN_ISR]):
        if key.name in properties:
            try:
                key.read(properties[key.name])
            except ValueError as error:
                yield f"{key.name}={properties[key.name].strip()!r}: {error}"


def min_isr_of(stored: Mapping[str, str]) -> int | None:
    """Return a topic's own min.insync.replicas, None if it has none; raises InvalidValueError."""
    if MIN_ISR not in stored:
        return None
    value = TOPIC_KEYS[MIN_ISR].read(stored[MIN_ISR])
    assert isinstance(value, int)
    return value
