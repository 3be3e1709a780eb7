"""The configs of a broker that it takes while it runs, and those that klamm itself obeys.

Source: Kafka 3.9, DynamicConfig.Broker, DynamicBrokerConfig, QuotaConfigs.brokerQuotaConfigs.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from klamm.controller.configs.cluster_wide import CLUSTER_WIDE
from klamm.controller.configs.definition import Definition
from klamm.controller.configs.static_keys import STATIC_KINDS
from klamm.controller.configs.throttle_keys import RATES
from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.configs.values import Kind, OneOf, Range, known_version
from klamm.controller.core import ibp

BOOLEAN, STRING, INT = Kind.BOOLEAN, Kind.STRING, Kind.INT
LONG, DOUBLE, LIST = Kind.LONG, Kind.DOUBLE, Kind.LIST
CLASS, SHORT, PASSWORD = Kind.CLASS, Kind.SHORT, Kind.PASSWORD

INT32_MAX = str(2**31 - 1)
INT64_MAX = str(2**63 - 1)

LOG_RETENTION_MS = "log.retention.ms"
LOG_ROLL_MS = "log.roll.ms"
LOG_ROLL_JITTER_MS = "log.roll.jitter.ms"
LOG_FLUSH_MS = "log.flush.interval.ms"

#: Configs whose default comes from another one, in another unit: they have none of their own.
TIMES: Mapping[str, tuple[tuple[str, int], ...]] = MappingProxyType(
    {
        LOG_RETENTION_MS: (
            (LOG_RETENTION_MS, 1),
            ("log.retention.minutes", 60_000),
            ("log.retention.hours", 3_600_000),
        ),
        LOG_ROLL_MS: ((LOG_ROLL_MS, 1), ("log.roll.hours", 3_600_000)),
        LOG_ROLL_JITTER_MS: ((LOG_ROLL_JITTER_MS, 1), ("log.roll.jitter.hours", 3_600_000)),
        LOG_FLUSH_MS: ((LOG_FLUSH_MS, 1), ("log.flush.scheduler.interval.ms", 1)),
    }
)

#: Rates of throttles, in bytes per second. They are set on brokers and listed only when set.
THROTTLES = tuple(Definition(name, LONG, INT64_MAX, Range(0)) for name in RATES)

#: What topics inherit: the broker's name of each topic config that has one.
INHERITED = tuple(
    Definition(
        key.synonym, key.kind, None if key.synonym in TIMES else key.default, key.check, key.doc
    )
    for key in TOPIC_KEYS.values()
    if key.synonym is not None
)

#: What else a Kafka broker takes while it runs; klamm checks it, and the brokers obey it.
_OTHERS = (
    Definition("background.threads", INT, "10", Range(1)),
    Definition("log.cleaner.backoff.ms", LONG, "15000", Range(0)),
    Definition("log.cleaner.dedupe.buffer.size", LONG, "134217728"),
    Definition("log.cleaner.io.buffer.load.factor", DOUBLE, "0.9"),
    Definition("log.cleaner.io.buffer.size", INT, "524288", Range(0)),
    Definition("log.cleaner.io.max.bytes.per.second", DOUBLE, "1.7976931348623157E308"),
    Definition("log.cleaner.threads", INT, "1", Range(0)),
    Definition("max.connection.creation.rate", INT, INT32_MAX, Range(0)),
    Definition("max.connections", INT, INT32_MAX, Range(0)),
    Definition("max.connections.per.ip", INT, INT32_MAX, Range(0)),
    Definition("max.connections.per.ip.overrides", STRING, ""),
    Definition("metric.reporters", LIST, ""),
    Definition("num.io.threads", INT, "8", Range(1)),
    Definition("num.network.threads", INT, "3", Range(1)),
    Definition("num.recovery.threads.per.data.dir", INT, "1", Range(1)),
    Definition("num.replica.fetchers", INT, "1"),
    Definition("producer.id.expiration.ms", INT, "86400000", Range(1)),
    Definition("remote.fetch.max.wait.ms", INT, "500", Range(1)),
    Definition("remote.log.index.file.cache.total.size.bytes", LONG, "1073741824", Range(1)),
    Definition("remote.log.manager.copy.max.bytes.per.second", LONG, INT64_MAX, Range(1)),
    Definition("remote.log.manager.fetch.max.bytes.per.second", LONG, INT64_MAX, Range(1)),
    Definition("transaction.partition.verification.enable", BOOLEAN, "true"),
)

#: Each broker's own matter: listeners, and what secures them.
_PER_BROKER = (
    Definition("advertised.listeners", STRING),
    Definition("listener.security.protocol.map", STRING),
    Definition("listeners", STRING, "PLAINTEXT://:9092"),
    Definition("principal.builder.class", CLASS),
    Definition("sasl.enabled.mechanisms", LIST, "GSSAPI"),
    Definition("sasl.jaas.config", PASSWORD),
    Definition("sasl.kerberos.kinit.cmd", STRING, "/usr/bin/kinit"),
    Definition("sasl.kerberos.min.time.before.relogin", LONG, "60000"),
    Definition("sasl.kerberos.principal.to.local.rules", LIST, "DEFAULT"),
    Definition("sasl.kerberos.service.name", STRING),
    Definition("sasl.kerberos.ticket.renew.jitter", DOUBLE, "0.05"),
    Definition("sasl.kerberos.ticket.renew.window.factor", DOUBLE, "0.8"),
    Definition("sasl.login.refresh.buffer.seconds", SHORT, "300"),
    Definition("sasl.login.refresh.min.period.seconds", SHORT, "60"),
    Definition("sasl.login.refresh.window.factor", DOUBLE, "0.8"),
    Definition("sasl.login.refresh.window.jitter", DOUBLE, "0.05"),
    Definition("sasl.mechanism.inter.broker.protocol", STRING, "GSSAPI"),
    Definition("ssl.cipher.suites", LIST, ""),
    Definition("ssl.client.auth", STRING, "none", OneOf(("required", "requested", "none"))),
    Definition("ssl.enabled.protocols", LIST, "TLSv1.2,TLSv1.3"),
    Definition("ssl.endpoint.identification.algorithm", STRING, "https"),
    Definition("ssl.engine.factory.class", CLASS),
    Definition("ssl.key.password", PASSWORD),
    Definition("ssl.keymanager.algorithm", STRING, "SunX509"),
    Definition("ssl.keystore.certificate.chain", PASSWORD),
    Definition("ssl.keystore.key", PASSWORD),
    Definition("ssl.keystore.location", STRING),
    Definition("ssl.keystore.password", PASSWORD),
    Definition("ssl.keystore.type", STRING, "JKS"),
    Definition("ssl.protocol", STRING, "TLSv1.3"),
    Definition("ssl.provider", STRING),
    Definition("ssl.secure.random.implementation", STRING),
    Definition("ssl.trustmanager.algorithm", STRING, "PKIX"),
    Definition("ssl.truststore.certificates", PASSWORD),
    Definition("ssl.truststore.location", STRING),
    Definition("ssl.truststore.password", PASSWORD),
    Definition("ssl.truststore.type", STRING, "JKS"),
)
PER_BROKER = frozenset(key.name for key in _PER_BROKER)

#: These change for one listener only, under its prefix (SslConfigs.RECONFIGURABLE_CONFIGS).
PER_LISTENER = frozenset(
    name for name in PER_BROKER if name.startswith(("ssl.keystore.", "ssl.truststore.", "ssl.key."))
)

DYNAMIC: Mapping[str, Definition] = MappingProxyType(
    {
        key.name: key
        for key in (*THROTTLES, *INHERITED, *_OTHERS, *CLUSTER_WIDE.values(), *_PER_BROKER)
        if key.name not in STATIC_KINDS
    }
)

#: What a node reads of Kafka's at its start, and what topics inherit in another unit.
_STATIC = (
    Definition("auto.leader.rebalance.enable", BOOLEAN, "true"),
    Definition("broker.rack", STRING),
    Definition("connections.max.idle.ms", LONG, "600000"),
    Definition("default.replication.factor", INT, "1", Range(1)),
    Definition("delete.topic.enable", BOOLEAN, "true"),
    Definition("inter.broker.listener.name", STRING),
    Definition("inter.broker.protocol.version", STRING, ibp.DEFAULT.name, known_version),
    Definition("leader.imbalance.check.interval.seconds", LONG, "300", Range(1)),
    Definition("leader.imbalance.per.broker.percentage", INT, "10"),
    Definition("log.flush.scheduler.interval.ms", LONG, INT64_MAX),
    Definition("log.retention.hours", INT, "168"),
    Definition("log.retention.minutes", INT),
    Definition("log.roll.hours", INT, "168", Range(1)),
    Definition("log.roll.jitter.hours", INT, "0", Range(0)),
    Definition("node.id", INT, "-1"),
    Definition("num.partitions", INT, "1", Range(1)),
    Definition("socket.request.max.bytes", INT, str(16 * 1024 * 1024), Range(1)),
    Definition("zookeeper.connect", STRING),
    Definition("zookeeper.session.timeout.ms", INT, "18000"),
)

#: How often the status of a request to assign partitions is written.
STATUS_WRITE_INTERVAL = Definition(
    "klamm.kip179.status.write.interval.ms", INT, "1000", Range(1),
    "At most once in this time what replicas have copied is written down, and completions at once.",
)  # fmt: skip

#: klamm's own.
_OWN = (
    STATUS_WRITE_INTERVAL,
    Definition("klamm.describe.reassignments.enable", BOOLEAN, "false"),
    Definition("klamm.journal.file", STRING),
    Definition("klamm.journal.files", INT, "8", Range(1)),
    Definition("klamm.journal.fsync", STRING, "never", OneOf(("never", "batch", "interval"))),
    Definition("klamm.journal.max.bytes", LONG, str(64 * 1024 * 1024), Range(1)),
    Definition("klamm.kip179.alter.enable", BOOLEAN, "false"),
    Definition("klamm.kip179.assign.enable", BOOLEAN, "false"),
    Definition("klamm.kip435.list.v1.enable", BOOLEAN, "false"),
    Definition("klamm.leader.moves.in.flight", INT, "100", Range(1)),
    Definition("klamm.profile", STRING, "apache-3.9"),
)

#: Shown of every node, set or not: what it obeys and what its topics inherit.
SHOWN: Mapping[str, Definition] = MappingProxyType(
    {key.name: key for key in (*INHERITED, *_STATIC, *CLUSTER_WIDE.values(), *_OWN)}
)

#: Read when a node starts, and never changed while it runs.
STATIC_NAMES = frozenset((*STATIC_KINDS, *(key.name for key in _OWN)))

_LISTENER = re.compile(r"listener\.name\.[^.]*\.(?:(?:plain|scram-sha-256|scram-sha-512)\.)?(.*)")


def base_name(name: str) -> str:
    """Return a config's name without the prefix that makes it one of a single listener's.

    Or of a single mechanism's of SASL at that listener.
    """
    found = _LISTENER.fullmatch(name)
    return found[1] if found else name


def definition(name: str) -> Definition | None:
    """Return what is known of a broker's config; None if the name is nobody's."""
    known = DYNAMIC.get(name) or SHOWN.get(name)
    if known is not None:
        return known
    if name in STATIC_KINDS:
        return Definition(name, STATIC_KINDS[name])
    base = base_name(name)
    return definition(base) if base != name else None
