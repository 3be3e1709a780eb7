"""Every config of a topic.

Source: Kafka 3.9, LogConfig.CONFIG, ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.
"""

from collections.abc import Mapping
from types import MappingProxyType

from klamm.controller.configs.definition import Definition
from klamm.controller.configs.throttle_keys import FOLLOWER_LIST, LEADER_LIST
from klamm.controller.configs.values import (
    Kind,
    OneOf,
    Range,
    RangeOr,
    known_version,
    throttled_replicas,
)

BOOLEAN, STRING, INT = Kind.BOOLEAN, Kind.STRING, Kind.INT
LONG, DOUBLE, LIST = Kind.LONG, Kind.DOUBLE, Kind.LIST

INT64_MAX = str(2**63 - 1)
DAY = str(24 * 60 * 60 * 1000)
WEEK = str(7 * 24 * 60 * 60 * 1000)

POLICIES = OneOf(("compact", "delete"))
COMPRESSIONS = OneOf(("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"))
TIMESTAMPS = OneOf(("CreateTime", "LogAppendTime"))
GZIP = RangeOr(1, 9, -1)
LZ4 = Range(1, 17)
ZSTD = Range(-131072, 22)

CLEANUP_POLICY = "cleanup.policy"
MIN_COMPACTION_LAG = "min.compaction.lag.ms"
MAX_COMPACTION_LAG = "max.compaction.lag.ms"
REMOTE_STORAGE = "remote.storage.enable"
REMOTE_COPY_DISABLE = "remote.log.copy.disable"
REMOTE_DELETE_ON_DISABLE = "remote.log.delete.on.disable"


def _key(
    name: str,
    kind: Kind,
    default: str,
    check: OneOf | Range | RangeOr | None,
    synonym: str,
    doc: str,
) -> Definition:
    return Definition(name, kind, default, check, doc, synonym)


_DEFINITIONS = (
    _key(CLEANUP_POLICY, LIST, "delete", POLICIES, "log.cleanup.policy",
         "What happens to old segments: deleted, compacted by key, or both."),
    _key("compression.gzip.level", INT, "-1", GZIP, "compression.gzip.level",
         "Level at which the broker compresses with gzip; -1 is the codec's own default."),
    _key("compression.lz4.level", INT, "9", LZ4, "compression.lz4.level",
         "Level at which the broker compresses with lz4."),
    _key("compression.type", STRING, "producer", COMPRESSIONS, "compression.type",
         "Codec of the topic's records; 'producer' keeps what the producer chose."),
    _key("compression.zstd.level", INT, "3", ZSTD, "compression.zstd.level",
         "Level at which the broker compresses with zstd."),
    _key("delete.retention.ms", LONG, DAY, Range(0), "log.cleaner.delete.retention.ms",
         "How long a compacted topic keeps the markers of deleted keys."),
    _key("file.delete.delay.ms", LONG, "60000", Range(0), "log.segment.delete.delay.ms",
         "How long a deleted segment's file stays on the disk."),
    _key("flush.messages", LONG, INT64_MAX, Range(1), "log.flush.interval.messages",
         "After how many records the log is forced to the disk."),
    _key("flush.ms", LONG, INT64_MAX, Range(0), "log.flush.interval.ms",
         "After how long the log is forced to the disk."),
    Definition(FOLLOWER_LIST, LIST, "", throttled_replicas,
               "Followers whose fetching is throttled: partition:broker pairs, or * for all."),
    _key("index.interval.bytes", INT, "4096", Range(0), "log.index.interval.bytes",
         "About how many bytes of the log lie between two entries of its offset index."),
    Definition(LEADER_LIST, LIST, "", throttled_replicas,
               "Leaders whose sending is throttled: partition:broker pairs, or * for all."),
    _key("local.retention.bytes", LONG, "-2", Range(-2), "log.local.retention.bytes",
         "With tiered storage, how much stays on the broker; -2 is retention.bytes."),
    _key("local.retention.ms", LONG, "-2", Range(-2), "log.local.retention.ms",
         "With tiered storage, how long it stays on the broker; -2 is retention.ms."),
    _key(MAX_COMPACTION_LAG, LONG, INT64_MAX, Range(1), "log.cleaner.max.compaction.lag.ms",
         "The longest that a record may stay uncompacted."),
    _key("max.message.bytes", INT, "1048588", Range(0), "message.max.bytes",
         "The largest batch of records, as it is compressed."),
    _key("message.downconversion.enable", BOOLEAN, "true", None,
         "log.message.downconversion.enable",
         "Whether records are converted for consumers that know only older formats."),
    Definition("message.format.version", STRING, "3.0-IV1", known_version,
               "Deprecated: from inter.broker.protocol.version 3.0 on it is always 3.0.",
               "log.message.format.version"),
    _key("message.timestamp.after.max.ms", LONG, INT64_MAX, Range(0),
         "log.message.timestamp.after.max.ms",
         "How far a record's timestamp may be ahead of the broker's clock."),
    _key("message.timestamp.before.max.ms", LONG, INT64_MAX, Range(0),
         "log.message.timestamp.before.max.ms",
         "How far a record's timestamp may be behind the broker's clock."),
    _key("message.timestamp.difference.max.ms", LONG, INT64_MAX, Range(0),
         "log.message.timestamp.difference.max.ms",
         "Deprecated: how far a record's timestamp may be from the broker's clock."),
    _key("message.timestamp.type", STRING, "CreateTime", TIMESTAMPS, "log.message.timestamp.type",
         "Whether a record's timestamp is the producer's or the broker's."),
    _key("min.cleanable.dirty.ratio", DOUBLE, "0.5", Range(0, 1),
         "log.cleaner.min.cleanable.ratio",
         "How much of a log must be uncompacted before it is compacted."),
    _key(MIN_COMPACTION_LAG, LONG, "0", Range(0), "log.cleaner.min.compaction.lag.ms",
         "The least time that a record stays uncompacted."),
    _key("min.insync.replicas", INT, "1", Range(1), "min.insync.replicas",
         "How many replicas must be in sync for a write with acks=all."),
    _key("preallocate", BOOLEAN, "false", None, "log.preallocate",
         "Whether a new segment's file gets its full size at once."),
    Definition(REMOTE_COPY_DISABLE, BOOLEAN, "false", None,
               "Whether tiered storage takes no new data; not in ZooKeeper mode."),
    Definition(REMOTE_DELETE_ON_DISABLE, BOOLEAN, "false", None,
               "Whether data in tiered storage go when tiering ends; not in ZooKeeper mode."),
    Definition(REMOTE_STORAGE, BOOLEAN, "false", None,
               "Whether the topic is kept in tiered storage too."),
    _key("retention.bytes", LONG, "-1", None, "log.retention.bytes",
         "How large a partition may grow before old segments go; -1 is without bound."),
    _key("retention.ms", LONG, WEEK, Range(-1), "log.retention.ms",
         "How long records are kept; -1 is for ever."),
    _key("segment.bytes", INT, "1073741824", Range(14), "log.segment.bytes",
         "The size at which a new segment is begun."),
    _key("segment.index.bytes", INT, "10485760", Range(4), "log.index.size.max.bytes",
         "The size of a segment's index."),
    _key("segment.jitter.ms", LONG, "0", Range(0), "log.roll.jitter.ms",
         "By how much at most the beginning of a new segment is moved at random."),
    _key("segment.ms", LONG, WEEK, Range(1), "log.roll.ms",
         "The age at which a new segment is begun."),
    _key("unclean.leader.election.enable", BOOLEAN, "false", None,
         "unclean.leader.election.enable",
         "Whether a replica that is not in sync may lead when no other can, and lose records."),
)  # fmt: skip

TOPIC_KEYS: Mapping[str, Definition] = MappingProxyType({key.name: key for key in _DEFINITIONS})
