"""inter.broker.protocol.version: which request versions and znode forms the brokers agreed on.

Facts from Kafka 3.9: server-common, MetadataVersion.java; core, ControllerChannelManager.scala
(sendLeaderAndIsrRequest, sendUpdateMetadataRequests, sendStopReplicaRequests).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InterBrokerProtocol:
    """One value of inter.broker.protocol.version with what follows from it."""

    name: str
    leader_and_isr: int
    update_metadata: int
    stop_replica: int
    alter_partition: bool
    topic_ids: bool

    @property
    def leader_recovery(self) -> bool:
        """Tell whether brokers know leaders that recover, which LeaderAndIsr 6 began with."""
        return self.leader_and_isr >= 6

    @property
    def topic_znode_version(self) -> int:
        """The number written into topic znodes; nobody reads it (R455-77)."""
        return 3 if self.topic_ids else 2


#: Oldest first; a plain release such as 2.4 means the last of its entries.
KNOWN = (
    InterBrokerProtocol("2.2-IV0", 2, 5, 1, False, False),
    InterBrokerProtocol("2.2-IV1", 2, 5, 1, False, False),
    InterBrokerProtocol("2.3-IV0", 2, 5, 1, False, False),
    InterBrokerProtocol("2.3-IV1", 2, 5, 1, False, False),
    InterBrokerProtocol("2.4-IV0", 3, 5, 1, False, False),
    InterBrokerProtocol("2.4-IV1", 4, 6, 2, False, False),
    InterBrokerProtocol("2.5-IV0", 4, 6, 2, False, False),
    InterBrokerProtocol("2.6-IV0", 4, 6, 3, False, False),
    InterBrokerProtocol("2.7-IV0", 4, 6, 3, False, False),
    InterBrokerProtocol("2.7-IV1", 4, 6, 3, False, False),
    InterBrokerProtocol("2.7-IV2", 4, 6, 3, True, False),
    InterBrokerProtocol("2.8-IV0", 4, 6, 3, True, True),
    InterBrokerProtocol("2.8-IV1", 5, 7, 3, True, True),
    InterBrokerProtocol("3.0-IV0", 5, 7, 3, True, True),
    InterBrokerProtocol("3.0-IV1", 5, 7, 3, True, True),
    InterBrokerProtocol("3.1-IV0", 5, 7, 3, True, True),
    InterBrokerProtocol("3.2-IV0", 6, 7, 3, True, True),
    InterBrokerProtocol("3.3-IV0", 6, 7, 3, True, True),
    InterBrokerProtocol("3.3-IV1", 6, 7, 3, True, True),
    InterBrokerProtocol("3.3-IV2", 6, 7, 3, True, True),
    InterBrokerProtocol("3.3-IV3", 6, 7, 3, True, True),
    InterBrokerProtocol("3.4-IV0", 7, 8, 4, True, True),
    InterBrokerProtocol("3.5-IV0", 7, 8, 4, True, True),
    InterBrokerProtocol("3.5-IV1", 7, 8, 4, True, True),
    InterBrokerProtocol("3.5-IV2", 7, 8, 4, True, True),
    InterBrokerProtocol("3.6-IV0", 7, 8, 4, True, True),
    InterBrokerProtocol("3.6-IV1", 7, 8, 4, True, True),
    InterBrokerProtocol("3.6-IV2", 7, 8, 4, True, True),
    InterBrokerProtocol("3.7-IV0", 7, 8, 4, True, True),
    InterBrokerProtocol("3.7-IV1", 7, 8, 4, True, True),
    InterBrokerProtocol("3.7-IV2", 7, 8, 4, True, True),
    InterBrokerProtocol("3.7-IV3", 7, 8, 4, True, True),
    InterBrokerProtocol("3.7-IV4", 7, 8, 4, True, True),
    InterBrokerProtocol("3.8-IV0", 7, 8, 4, True, True),
    InterBrokerProtocol("3.9-IV0", 7, 8, 4, True, True),
)

#: What klamm starts with: v2 topic znodes and LeaderAndIsr v3, as KIP-455 shipped them.
DEFAULT = next(protocol for protocol in KNOWN if protocol.name == "2.4-IV0")


def by_name(name: str) -> InterBrokerProtocol:
    """Return the entry of a full name (2.4-IV0) or the last one of a release (2.4).

    Raises ValueError, naming all known releases, if there is none.
    """
    for protocol in reversed(KNOWN):
        if name in (protocol.name, protocol.name.partition("-")[0]):
            return protocol
    releases = ", ".join(dict.fromkeys(protocol.name.partition("-")[0] for protocol in KNOWN))
    raise ValueError(
        f"unknown inter.broker.protocol.version {name!r}; known are the releases {releases}, and"
        f" their steps, such as {KNOWN[-1].name}"
    )
