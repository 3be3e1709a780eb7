"""The names by which replication is throttled.

Lists are a topic's, rates are a broker's. Source: Kafka 3.9, server-common, QuotaConfigs.java.
"""

from typing import Final

LEADER_LIST: Final = "leader.replication.throttled.replicas"
FOLLOWER_LIST: Final = "follower.replication.throttled.replicas"
LEADER_RATE: Final = "leader.replication.throttled.rate"
FOLLOWER_RATE: Final = "follower.replication.throttled.rate"
LOG_DIR_RATE: Final = "replica.alter.log.dirs.io.max.bytes.per.second"

LISTS: Final = (LEADER_LIST, FOLLOWER_LIST)
RATES: Final = (LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE)
