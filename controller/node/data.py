"""What a node is and knows: plain data, which the steps of the other modules change."""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from klamm.controller.configs.cluster_wide import NOT_SET, ClusterWide
from klamm.controller.core.decide import decide
from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import ClusterState, Endpoint
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.core.settings import Settings
from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.node.broker_links import BrokerLinks
from klamm.controller.node.clearing import Clearing
from klamm.controller.node.copies import Copies
from klamm.controller.node.door import Door
from klamm.controller.node.effects import Effect, Journal, Severity
from klamm.controller.node.inauguration import Inauguration
from klamm.controller.node.notices import Notices
from klamm.controller.node.office import Office
from klamm.controller.node.outlook import Outlook, View
from klamm.controller.node.permissions import Permissions
from klamm.controller.node.requests import Requests
from klamm.controller.node.turns import Decide, Turns
from klamm.controller.security.authorizer import ALLOW_ALL, AclAuthorizer, Authorizer
from klamm.controller.znodes.klamm import KlammNodeZnode


class Now(NamedTuple):
    """Both clocks: seconds that never go back, and milliseconds since the epoch."""

    monotonic: float
    wall_ms: int


class Phase(Enum):
    """Where a node stands. Only an active one decides; loading is taking office."""

    #: By identity: the hash of an Enum is a function of Python, and each input asks for one.
    __hash__ = object.__hash__

    STANDBY = "standby"
    ELECTING = "electing"
    LOADING = "loading"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """What a node is and by which rules it decides; the defaults are those of new topics.

    `listener` names the endpoint at which brokers reach each other (inter.broker.listener.name).
    `delete_topic_enable` is Kafka's delete.topic.enable.
    `first_sequence` is the number of the journal's next entry. `auto_leader_rebalance` and what
    begins with `leader_imbalance` are Kafka's auto.leader.rebalance.enable and its limits;
    `leader_moves_in_flight` is how many ends of moves may wait for one new leader at a time.
    `packet_limit` is ZooKeeper's jute.maxbuffer in bytes. `authorizer` decides who may do what
    until the node has read the lists itself; without one everybody may do everything.
    `keeps_status`: it counts requests that assign partitions, and writes what they have come to,
    not more often than each `status_write_interval_ms` but for completions.
    `cluster_wide` is what holds of the whole cluster's configs where nothing is stored.
    """

    node_id: int
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None
    rules: Rules = APACHE_3_9
    protocol: InterBrokerProtocol = DEFAULT
    default_partitions: int = 1
    default_replication_factor: int = 1
    delete_topic_enable: bool = True
    listener: str = "PLAINTEXT"
    leader_moves_in_flight: int = 100
    auto_leader_rebalance: bool = True
    leader_imbalance_percentage: int = 10
    leader_imbalance_check_seconds: int = 300
    first_sequence: int = 1
    packet_limit: int = PACKET_LIMIT
    authorizer: AclAuthorizer | None = None
    keeps_status: bool = False
    status_write_interval_ms: int = 1000
    cluster_wide: ClusterWide = NOT_SET

    @property
    def settings(self) -> Settings:
        """What of this decisions depend on."""
        return Settings(
            self.rules,
            self.protocol.topic_znode_version,
            self.default_partitions,
            self.default_replication_factor,
            topic_ids=self.protocol.topic_ids,
            leader_recovery=self.protocol.leader_recovery,
            delete_topic_enable=self.delete_topic_enable,
            leader_moves_in_flight=self.leader_moves_in_flight,
            packet_limit=self.packet_limit,
        )


@dataclass(slots=True)
class NodeData:
    """One node. `turns` is there while it is in office; `out` collects the effects of an input."""

    config: NodeConfig
    #: What decides over the causes of a turn; a study of failures can put another in its place.
    decide_over: Decide = decide
    phase: Phase = Phase.STANDBY
    connected: bool = False
    controller_id: int = -1
    turns: Turns | None = None
    requests: Requests = field(default_factory=Requests)
    door: Door = field(default_factory=Door)
    notices: Notices = field(default_factory=Notices)
    clearing: Clearing = field(default_factory=Clearing)
    #: How far followers have come, as heard in the present office.
    copies: Copies = field(default_factory=Copies)
    #: None if everybody may do everything.
    permissions: Permissions | None = field(init=False)
    links: BrokerLinks = field(init=False)
    office: Office = field(init=False)
    outlook: Outlook = field(init=False)
    #: Of the present office, until it has come to rest for the first time.
    inauguration: Inauguration | None = None
    now: Now = Now(0.0, 0)
    out: list[Effect] = field(default_factory=list)
    #: The number of the journal's last entry.
    sequence: int = field(init=False)

    def __post_init__(self) -> None:
        """Make what the configuration alone decides."""
        config = self.config
        self.sequence = config.first_sequence - 1
        self.links = BrokerLinks(config.protocol, config.listener)
        self.office = Office(KlammNodeZnode(config.node_id, config.endpoints, config.rack))
        self.outlook = Outlook(self.office)
        self.permissions = Permissions(config.authorizer) if config.authorizer else None

    @property
    def active(self) -> bool:
        """Tell whether this node is controller and has read what it must know."""
        return self.phase is Phase.ACTIVE

    @property
    def state(self) -> ClusterState | None:
        """The cluster after the last applied Commit; None unless active."""
        return self.turns.state if self.turns and self.active else None

    @property
    def office_epoch(self) -> int:
        """The epoch of the office that this node holds, though it may still be loading; else 0."""
        return self.turns.state.epoch if self.turns else 0

    @property
    def doubtful(self) -> bool:
        """Tell whether the office may be somebody else's by now: ZooKeeper cannot be heard."""
        return self.turns is not None and not self.connected

    @property
    def view(self) -> View:
        """Who is controller and what the cluster is, as a node out of office sees it."""
        return self.outlook.view

    @property
    def registration_epoch(self) -> int:
        """The czxid of the node's registration, which is its broker epoch; 0 before the first."""
        return self.office.registration_epoch

    @property
    def authorizer(self) -> Authorizer:
        """Who may do what, as of now."""
        return self.permissions.authorizer if self.permissions else ALLOW_ALL

    def do(self, *effects: Effect) -> None:
        """Ask the driver for these, after what was asked before; number entries of the journal."""
        for effect in effects:
            if isinstance(effect, Journal) and not effect.sequence:
                self.sequence += 1
                self.out.append(replace(effect, sequence=self.sequence, epoch=self.office_epoch))
            else:
                self.out.append(effect)

    def note(self, severity: Severity, kind: str, text: str) -> None:
        """Write a line into the journal."""
        self.do(Journal(severity, kind, text))
