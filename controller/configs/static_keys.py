"""Every config of a broker that is read at its start alone, by type.

No broker takes them later, so DescribeConfigs calls them read-only and IncrementalAlterConfigs
refuses them. Source: Kafka 3.9, KafkaConfig.configDef without DynamicConfig.Broker's names.
"""

from collections.abc import Mapping
from types import MappingProxyType

from klamm.controller.configs.values import Kind

_NAMES = {
    Kind.BOOLEAN: """
        auto.create.topics.enable auto.include.jmx.reporter auto.leader.rebalance.enable
        broker.id.generation.enable controlled.shutdown.enable delete.topic.enable
        eligible.leader.replicas.enable group.coordinator.new.enable group.share.enable
        log.cleaner.enable remote.log.storage.system.enable ssl.allow.dn.changes
        ssl.allow.san.changes unstable.api.versions.enable unstable.feature.versions.enable
        zookeeper.metadata.migration.enable zookeeper.set.acl zookeeper.ssl.client.enable
        zookeeper.ssl.crl.enable zookeeper.ssl.ocsp.enable
    """,
    Kind.CLASS: """
        alter.config.policy.class.name client.quota.callback.class create.topic.policy.class.name
        sasl.client.callback.handler.class sasl.login.callback.handler.class sasl.login.class
        sasl.server.callback.handler.class
    """,
    Kind.DOUBLE: """
        remote.log.manager.task.retry.jitter
    """,
    Kind.INT: """
        alter.log.dirs.replication.quota.window.num
        alter.log.dirs.replication.quota.window.size.seconds broker.heartbeat.interval.ms broker.id
        broker.session.timeout.ms connection.failed.authentication.delay.ms
        controlled.shutdown.max.retries controller.quorum.append.linger.ms
        controller.quorum.election.backoff.max.ms controller.quorum.election.timeout.ms
        controller.quorum.fetch.timeout.ms controller.quorum.request.timeout.ms
        controller.quorum.retry.backoff.ms controller.quota.window.num
        controller.quota.window.size.seconds controller.socket.timeout.ms default.replication.factor
        delete.records.purgatory.purge.interval.requests fetch.max.bytes
        fetch.purgatory.purge.interval.requests group.consumer.heartbeat.interval.ms
        group.consumer.max.heartbeat.interval.ms group.consumer.max.session.timeout.ms
        group.consumer.max.size group.consumer.min.heartbeat.interval.ms
        group.consumer.min.session.timeout.ms group.consumer.session.timeout.ms
        group.coordinator.append.linger.ms group.coordinator.threads
        group.initial.rebalance.delay.ms group.max.session.timeout.ms group.max.size
        group.min.session.timeout.ms group.share.delivery.count.limit
        group.share.heartbeat.interval.ms group.share.max.heartbeat.interval.ms
        group.share.max.record.lock.duration.ms group.share.max.session.timeout.ms
        group.share.min.heartbeat.interval.ms group.share.min.record.lock.duration.ms
        group.share.min.session.timeout.ms group.share.partition.max.record.locks
        group.share.record.lock.duration.ms group.share.session.timeout.ms
        initial.broker.registration.timeout.ms kafka.metrics.polling.interval.secs
        leader.imbalance.per.broker.percentage log.flush.offset.checkpoint.interval.ms
        log.flush.start.offset.checkpoint.interval.ms log.retention.hours log.retention.minutes
        log.roll.hours log.roll.jitter.hours max.incremental.fetch.session.cache.slots
        max.request.partition.size.limit metadata.log.segment.bytes metadata.log.segment.min.bytes
        metadata.max.idle.interval.ms metrics.num.samples node.id num.partitions
        num.replica.alter.log.dirs.threads offset.metadata.max.bytes offsets.commit.timeout.ms
        offsets.load.buffer.size offsets.retention.minutes offsets.topic.compression.codec
        offsets.topic.num.partitions offsets.topic.segment.bytes password.encoder.iterations
        password.encoder.key.length producer.id.expiration.check.interval.ms
        producer.purgatory.purge.interval.requests queued.max.requests quota.window.num
        quota.window.size.seconds remote.log.manager.copier.thread.pool.size
        remote.log.manager.copy.quota.window.num remote.log.manager.copy.quota.window.size.seconds
        remote.log.manager.expiration.thread.pool.size remote.log.manager.fetch.quota.window.num
        remote.log.manager.fetch.quota.window.size.seconds remote.log.manager.thread.pool.size
        remote.log.metadata.custom.metadata.max.bytes remote.log.reader.max.pending.tasks
        remote.log.reader.threads replica.fetch.backoff.ms replica.fetch.max.bytes
        replica.fetch.min.bytes replica.fetch.response.max.bytes replica.fetch.wait.max.ms
        replica.socket.receive.buffer.bytes replica.socket.timeout.ms replication.quota.window.num
        replication.quota.window.size.seconds request.timeout.ms reserved.broker.max.id
        sasl.login.connect.timeout.ms sasl.login.read.timeout.ms sasl.oauthbearer.clock.skew.seconds
        sasl.server.max.receive.size socket.listen.backlog.size socket.receive.buffer.bytes
        socket.request.max.bytes socket.send.buffer.bytes telemetry.max.bytes
        transaction.abort.timed.out.transaction.cleanup.interval.ms transaction.max.timeout.ms
        transaction.remove.expired.transaction.cleanup.interval.ms
        transaction.state.log.load.buffer.size transaction.state.log.min.isr
        transaction.state.log.num.partitions transaction.state.log.segment.bytes
        transactional.id.expiration.ms zookeeper.connection.timeout.ms
        zookeeper.max.in.flight.requests zookeeper.metadata.migration.min.batch.size
        zookeeper.session.timeout.ms
    """,
    Kind.LIST: """
        controller.quorum.bootstrap.servers controller.quorum.voters group.consumer.assignors
        group.coordinator.rebalance.protocols kafka.metrics.reporters process.roles
        sasl.oauthbearer.expected.audience zookeeper.ssl.cipher.suites
        zookeeper.ssl.enabled.protocols
    """,
    Kind.LONG: """
        connections.max.idle.ms connections.max.reauth.ms controlled.shutdown.retry.backoff.ms
        delegation.token.expiry.check.interval.ms delegation.token.expiry.time.ms
        delegation.token.max.lifetime.ms leader.imbalance.check.interval.seconds
        log.dir.failure.timeout.ms log.flush.scheduler.interval.ms log.initial.task.delay.ms
        log.retention.check.interval.ms metadata.log.max.record.bytes.between.snapshots
        metadata.log.max.snapshot.interval.ms metadata.log.segment.ms metadata.max.retention.bytes
        metadata.max.retention.ms metrics.sample.window.ms offsets.retention.check.interval.ms
        queued.max.request.bytes remote.log.manager.task.interval.ms
        remote.log.manager.task.retry.backoff.max.ms remote.log.manager.task.retry.backoff.ms
        replica.high.watermark.checkpoint.interval.ms replica.lag.time.max.ms
        sasl.login.retry.backoff.max.ms sasl.login.retry.backoff.ms
        sasl.oauthbearer.jwks.endpoint.refresh.ms
        sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms
        sasl.oauthbearer.jwks.endpoint.retry.backoff.ms server.max.startup.time.ms
        socket.connection.setup.timeout.max.ms socket.connection.setup.timeout.ms
        unclean.leader.election.interval.ms
    """,
    Kind.PASSWORD: """
        delegation.token.master.key delegation.token.secret.key password.encoder.old.secret
        password.encoder.secret zookeeper.ssl.keystore.password zookeeper.ssl.truststore.password
    """,
    Kind.SHORT: """
        group.share.max.groups group.share.max.size offsets.commit.required.acks
        offsets.topic.replication.factor transaction.state.log.replication.factor
    """,
    Kind.STRING: """
        authorizer.class.name broker.rack control.plane.listener.name controller.listener.names
        early.start.listeners group.consumer.migration.policy inter.broker.listener.name
        inter.broker.protocol.version log.dir log.dirs log.message.format.version metadata.log.dir
        metrics.recording.level password.encoder.cipher.algorithm
        password.encoder.keyfactory.algorithm remote.log.metadata.manager.class.name
        remote.log.metadata.manager.class.path remote.log.metadata.manager.impl.prefix
        remote.log.metadata.manager.listener.name remote.log.storage.manager.class.name
        remote.log.storage.manager.class.path remote.log.storage.manager.impl.prefix
        replica.selector.class sasl.mechanism.controller.protocol sasl.oauthbearer.expected.issuer
        sasl.oauthbearer.jwks.endpoint.url sasl.oauthbearer.scope.claim.name
        sasl.oauthbearer.sub.claim.name sasl.oauthbearer.token.endpoint.url
        security.inter.broker.protocol security.providers ssl.principal.mapping.rules
        zookeeper.clientCnxnSocket zookeeper.connect zookeeper.ssl.endpoint.identification.algorithm
        zookeeper.ssl.keystore.location zookeeper.ssl.keystore.type zookeeper.ssl.protocol
        zookeeper.ssl.truststore.location zookeeper.ssl.truststore.type
    """,
}

STATIC_KINDS: Mapping[str, Kind] = MappingProxyType(
    {name: kind for kind, names in _NAMES.items() for name in names.split()}
)
