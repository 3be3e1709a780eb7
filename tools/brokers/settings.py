"""What a simulated broker is told at its start."""

from dataclasses import dataclass

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.znodes import Endpoint

MIB = 1024 * 1024

#: Bytes of a new partition's data, and bytes per second that a broker fetches by default.
PARTITION_BYTES = 10 * MIB
BANDWIDTH = 10.0 * MIB


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds, with Kafka 3.9's defaults.

    `replica_lag_max` is replica.lag.time.max.ms; leaders look for members that lag every half of
    it. ISR changes are looked at every `notice_check`, and told when the last one is older than
    `notice_linger` or the last notice older than `notice_longest` (IsrChangePropagationConfig).
    """

    replica_lag_max: float = 30.0
    notice_check: float = 2.5
    notice_linger: float = 5.0
    notice_longest: float = 60.0


KAFKA_TIMES = Times()


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """One broker. `timestamp_ms` is when it started, as its registration shows it.

    `cluster_id` is offered to a cluster that has none; 22 characters of url-safe base64. Raises
    ValueError for an inter.broker.protocol.version whose brokers publish by AlterPartition.
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

    def __post_init__(self) -> None:
        if self.protocol.alter_partition:
            raise ValueError(
                f"inter.broker.protocol.version {self.protocol.name}: simulated brokers publish"
                " ISR changes in ZooKeeper only, so it must be below 2.7-IV2"
            )
        if self.partition_bytes < 0:
            raise ValueError(f"partition_bytes is {self.partition_bytes}: it must not be negative")
        if not self.log_dirs:
            raise ValueError("log_dirs is empty: a broker needs at least one")
