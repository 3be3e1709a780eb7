"""What a controller node has to be told.

`klamm.controller.runtime.keys` makes it from Kafka's property names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from klamm.controller.configs.cluster_wide import NOT_SET, ClusterWide
from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.handlers.releases import DEFAULT as RELEASE
from klamm.controller.handlers.switches import Switch, switched_on
from klamm.controller.runtime.listeners import PLAINTEXT, Listener
from klamm.controller.security.authorizer import AclAuthorizer

INT32_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ControllerConfig:
    """Settings of one node.

    `node_id` must be no broker's id. `listener` is the name of the one among `listeners` at which
    brokers reach this node, and of the brokers' listener that the controller connects to.
    `connection_timeout_ms` is how long ZooKeeper may be away when the node starts; None waits for
    ever. The defaults are those of new topics (num.partitions, default.replication.factor).
    `packet_limit` is the jute.maxbuffer of ZooKeeper's servers, in bytes.
    `forwarding` passes 45 and 46 on to the controller while the node is not it. `release` is that
    of Kafka whose versions clients are shown. `status_write_interval_ms` is how often the status of
    requests that assign partitions is written at most.
    `authorizer` says who may do what, its lists yet to be read; without one everybody may all.
    `journal` is the file for notes. `properties` are the raw ones that the node was started with.
    """

    node_id: int
    zookeeper: str
    listeners: tuple[Listener, ...] = (Listener(),)
    listener: str = PLAINTEXT
    rack: str | None = None
    session_timeout_ms: int = 18_000
    rules: Rules = APACHE_3_9
    protocol: InterBrokerProtocol = DEFAULT
    default_partitions: int = 1
    default_replication_factor: int = 1
    journal: Path | None = None
    connection_timeout_ms: int | None = None
    delete_topic_enable: bool = True
    auto_leader_rebalance: bool = True
    leader_imbalance_percentage: int = 10
    leader_imbalance_check_seconds: int = 300
    leader_moves_in_flight: int = 100
    packet_limit: int = PACKET_LIMIT
    reassignment_timeout: bool = False
    forwarding: bool = False
    release: str = RELEASE
    status_write_interval_ms: int = 1000
    journal_max_bytes: int = 64 * 1024 * 1024
    journal_files: int = 8
    journal_fsync: str = "never"
    max_connections: int = INT32_MAX
    max_connections_per_ip: int = INT32_MAX
    max_idle_ms: int = 600_000
    max_request_bytes: int = 16 * 1024 * 1024
    authorizer: AclAuthorizer | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot be: raises ValueError with the value."""
        if self.node_id < 0:
            raise ValueError(f"node_id {self.node_id} is negative: ids of nodes start at 0")
        if self.listener not in [listener.name for listener in self.listeners]:
            raise ValueError(f"listener {self.listener} is none of {self.listeners}")

    @property
    def switches(self) -> frozenset[Switch]:
        """What of klamm's own clients are shown too."""
        return switched_on(self.properties)

    @property
    def cluster_wide(self) -> ClusterWide:
        """What holds of the cluster's configs where nothing is stored for all brokers."""
        return NOT_SET.overridden(self.properties)[0]

    @property
    def between(self) -> Listener:
        """The listener at which brokers reach this node."""
        return next(each for each in self.listeners if each.name == self.listener)
