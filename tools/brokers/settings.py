"""What a simulated broker is told at its start."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from klamm.controller.configs.cluster_wide import CLUSTER_WIDE, folded
from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.releases import DEFAULT as RELEASE
from klamm.controller.handlers.switches import Switch, switched_on
from klamm.controller.znodes import Endpoint

MIB = 1024 * 1024

#: Bytes of a new partition's data, and bytes per second that a broker fetches by default.
PARTITION_BYTES = 10 * MIB
BANDWIDTH = 10.0 * MIB

#: The seconds at least between two requests in which a broker tells what followers have fetched.
REPORT_SECONDS = 0.5

#: The size of a log directory's disk.
DISK_BYTES = 1024 * 1024 * MIB


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds, with Kafka 3.9's defaults.

    `replica_lag_max` is replica.lag.time.max.ms; leaders look for members that lag every half of
    it. ISR changes are looked at every `notice_check`, and told when the last one is older than
    `notice_linger` or the last notice older than `notice_longest` (IsrChangePropagationConfig).
    A follower at its leader's end fetches every `fetch_wait` (replica.fetch.wait.max.ms).
    """

    replica_lag_max: float = 30.0
    notice_check: float = 2.5
    notice_linger: float = 5.0
    notice_longest: float = 60.0
    fetch_wait: float = 0.5


KAFKA_TIMES = Times()


#: What nodes and brokers of a cluster have in common of klamm's own properties.
_SHARED = frozenset((*CLUSTER_WIDE, Switch.ALTER.value))


def shared(properties: Mapping[str, str]) -> dict[str, str]:
    """Return those of a node's properties that the brokers of its cluster have as well.

    Raises ValueError if they contradict each other.
    """
    return {name: text for name, text in folded(properties).items() if name in _SHARED}


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """One broker. `timestamp_ms` is when it started, as its registration shows it.

    `cluster_id` is offered to a cluster that has none; 22 characters of url-safe base64.
    `partition_bytes` is what each partition of a new topic holds, unless `topic_bytes` names it,
    or `log_bytes` the partition.
    `release` is that of Kafka whose versions clients are shown. Each log directory is a disk of
    `disk_bytes`, which nothing keeps from becoming too full; logs are copied between them at
    `copy_rate` bytes per second. `report_seconds` is how often it tells the controller at most what
    followers have fetched, which Kafka's brokers never do. `shared` are properties that nodes and
    brokers of the cluster have in common: its limits, and switches.
    """

    id: int
    endpoint: Endpoint
    cluster_id: str
    rack: str | None = None
    partition_bytes: int = PARTITION_BYTES
    log_dirs: tuple[str, ...] = ("/data",)
    protocol: InterBrokerProtocol = DEFAULT
    times: Times = KAFKA_TIMES
    timestamp_ms: int = 0
    topic_bytes: Mapping[str, int] = field(default_factory=dict)
    log_bytes: Mapping[TopicPartition, int] = field(default_factory=dict)
    release: str = RELEASE
    disk_bytes: int = DISK_BYTES
    copy_rate: float = BANDWIDTH
    report_seconds: float = math.inf
    shared: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = (self.partition_bytes, *self.topic_bytes.values(), *self.log_bytes.values())
        for size in sizes:
            if size < 0:
                raise ValueError(f"partition_bytes is {size}: it must not be negative")
        if not self.log_dirs:
            raise ValueError("log_dirs is empty: a broker needs at least one")

    def born_with(self, name: TopicPartition) -> int:
        """Return the bytes that a partition of a new topic holds."""
        known = self.log_bytes.get(name)
        return self.topic_bytes.get(name.topic, self.partition_bytes) if known is None else known

    @property
    def switches(self) -> frozenset[Switch]:
        """What of klamm's own clients are shown, as far as it is a broker's matter."""
        return switched_on(self.shared)

    @property
    def properties(self) -> Mapping[str, str]:
        """Return what Kafka's server.properties would hold of it, for DescribeConfigs."""
        endpoint = self.endpoint
        listener = f"{endpoint.listener}://{endpoint.host}:{endpoint.port}"
        properties = {
            **self.shared,
            "broker.id": str(self.id),
            "listeners": listener,
            "advertised.listeners": listener,
            "log.dirs": ",".join(self.log_dirs),
            "inter.broker.protocol.version": self.protocol.name,
            "replica.lag.time.max.ms": str(round(self.times.replica_lag_max * 1000)),
        }
        return properties if self.rack is None else {**properties, "broker.rack": self.rack}
