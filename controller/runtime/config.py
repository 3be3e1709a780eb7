"""What a controller node has to be told.

`klamm.controller.runtime.keys` makes it from Kafka's property names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.core.sizes import PACKET_LIMIT

INT32_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ControllerConfig:
    """Settings of one node.

    `node_id` must be no broker's id. `host` is the address to listen on, "" for all of them;
    `port` 0 takes a free one. Clients and brokers are told `advertised_host` and
    `advertised_port`, without them the address that is listened on. `listener` is the name of
    that listener, and of the brokers' listener that the controller connects to.
    `connection_timeout_ms` is how long ZooKeeper may be away when the node starts; None waits for
    ever. The defaults are those of new topics (num.partitions, default.replication.factor).
    `packet_limit` is the jute.maxbuffer of ZooKeeper's servers, in bytes.
    `forwarding` passes 45 and 46 on to the controller while the node is not it.
    `journal` is the file for notes. `properties` are the raw ones that the node was started with.
    """

    node_id: int
    zookeeper: str
    host: str = "127.0.0.1"
    port: int = 0
    listener: str = "PLAINTEXT"
    rack: str | None = None
    session_timeout_ms: int = 18_000
    rules: Rules = APACHE_3_9
    protocol: InterBrokerProtocol = DEFAULT
    default_partitions: int = 1
    default_replication_factor: int = 1
    journal: Path | None = None
    advertised_host: str | None = None
    advertised_port: int | None = None
    connection_timeout_ms: int | None = None
    delete_topic_enable: bool = True
    auto_leader_rebalance: bool = True
    leader_imbalance_percentage: int = 10
    leader_imbalance_check_seconds: int = 300
    leader_moves_in_flight: int = 100
    packet_limit: int = PACKET_LIMIT
    reassignment_timeout: bool = False
    forwarding: bool = False
    journal_max_bytes: int = 64 * 1024 * 1024
    journal_files: int = 8
    journal_fsync: str = "never"
    max_connections: int = INT32_MAX
    max_connections_per_ip: int = INT32_MAX
    max_idle_ms: int = 600_000
    max_request_bytes: int = 16 * 1024 * 1024
    properties: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot be: raises ValueError with the value."""
        if self.node_id < 0:
            raise ValueError(f"node_id {self.node_id} is negative: ids of nodes start at 0")
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port {self.port} is none: take 0 for a free one, or up to 65535")
