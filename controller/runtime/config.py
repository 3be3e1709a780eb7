"""What a controller node has to be told."""

from dataclasses import dataclass
from pathlib import Path

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.rules import APACHE_3_9, Rules


@dataclass(frozen=True, slots=True)
class ControllerConfig:
    """Settings of one node.

    `node_id` must be no broker's id. `host` is the address to listen on and the one that clients
    and brokers are told; `port` 0 takes a free one. `listener` is the name of that listener, and
    of the brokers' listener that the controller connects to. The defaults are those of new topics
    (num.partitions, default.replication.factor). `journal` is the file for notes.
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

    def __post_init__(self) -> None:
        """Refuse what cannot be: raises ValueError with the value."""
        if self.node_id < 0:
            raise ValueError(f"node_id {self.node_id} is negative: ids of nodes start at 0")
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port {self.port} is none: take 0 for a free one, or up to 65535")
