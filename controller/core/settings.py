"""Settings: what an operator chose that decisions depend on."""

from dataclasses import dataclass

from klamm.controller.core.rules import APACHE_3_9, Rules


@dataclass(frozen=True, slots=True)
class Settings:
    """The profile, the number written into topic znodes, and what new topics get by default.

    `default_partitions` and `default_replication_factor` are Kafka's num.partitions and
    default.replication.factor.
    """

    rules: Rules = APACHE_3_9
    topic_znode_version: int = 2
    default_partitions: int = 1
    default_replication_factor: int = 1
