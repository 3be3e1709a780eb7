"""Settings: what an operator chose that decisions depend on."""

from dataclasses import dataclass

from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.core.sizes import PACKET_LIMIT


@dataclass(frozen=True, slots=True)
class Settings:
    """The profile, the number written into topic znodes, and what new topics get by default.

    `default_partitions` and `default_replication_factor` are Kafka's num.partitions and
    default.replication.factor. `topic_ids`: topics have ids, as from inter.broker.protocol.version
    2.8-IV0 on. `leader_recovery`: brokers know leaders that recover, as from 3.2-IV0 on (KIP-704).
    `delete_topic_enable`: clients may delete topics. `leader_moves_in_flight`, at least
    1: how many ends of moves may give a broker leads for which it has not answered. `packet_limit`
    is ZooKeeper's jute.maxbuffer, in bytes: the most that one write can hold. `now_ms` is when the
    turn began, in milliseconds since the epoch: it is only written down, and decides nothing.
    """

    rules: Rules = APACHE_3_9
    topic_znode_version: int = 2
    default_partitions: int = 1
    default_replication_factor: int = 1
    leader_moves_in_flight: int = 100
    topic_ids: bool = False
    leader_recovery: bool = False
    delete_topic_enable: bool = True
    packet_limit: int = PACKET_LIMIT
    now_ms: int = 0
