"""The client: one method for each call of Kafka's Admin that moving replicas takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from functools import partial

from klamm.controller.security.acls import AclBinding, AclFilter
from klamm.tools.admin import (
    acls,
    cluster,
    configs,
    elections,
    log_dirs,
    offsets,
    reassignments,
    scram,
    topic_descriptions,
    topics,
)
from klamm.tools.admin.names import (
    EVERYTHING,
    ConfigResource,
    Everything,
    TopicPartition,
    TopicPartitionReplica,
)
from klamm.tools.admin.own_calls import OwnCalls
from klamm.tools.admin.results import Results


class Admin(OwnCalls):
    """A client for people who run clusters; a context manager, to be used from any thread.

    A call returns at once: with a future, or with `Results`, a future for each thing it is about.
    They fail with the errors of `klamm.tools.admin.errors`. A call finds its node by itself, and
    another one if the node is not the controller any more or is gone, until `timeout_ms` is over
    (None: default.api.timeout.ms).

    >>> from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
    >>> from klamm.tools.cli._zookeepers import MEMORY
    >>> orders = TopicPartition("orders", 0)
    >>> with (
    ...     LocalCluster(ClusterOptions(range(4), zookeeper=MEMORY, frozen=[3])) as local,
    ...     Admin.connect(local.bootstrap) as admin,
    ... ):
    ...     admin.create_topics([topics.NewTopic("orders", assignments={0: [0, 1]})]).result()
    ...     admin.alter_partition_reassignments({orders: (1, 3)}).result()
    ...     admin.list_partition_reassignments().result()[orders].adding_replicas
    {'orders': None}
    {TopicPartition(topic='orders', partition=0): None}
    (3,)
    """

    def alter_partition_reassignments(
        self,
        targets: Mapping[TopicPartition, reassignments.Target],
        timeout_ms: int | None = None,
        *,
        allow_replication_factor_change: bool = True,
    ) -> Results[TopicPartition, None]:
        """Start moves to the given replicas, in their order; None cancels (KIP-455).

        The controller answers when the moves are written down, long before they are done. Not to
        allow a change of the replication factor takes Kafka 4.1 (KIP-860). Raises ValueError for
        a target without replicas.
        """
        wanted = reassignments.checked(targets)
        operation = partial(
            reassignments.alter,
            targets=wanted,
            allow_replication_factor_change=allow_replication_factor_change,
        )
        return self._calls.each(wanted, [(wanted, operation)], timeout_ms)

    def list_partition_reassignments(
        self,
        partitions: Collection[TopicPartition] | Everything = EVERYTHING,
        timeout_ms: int | None = None,
    ) -> Future[Mapping[TopicPartition, reassignments.PartitionReassignment]]:
        """Return the partitions that move, all or those of the set that do (KIP-455).

        Raises TypeError for None, which does not say which of the two is meant.
        """
        operation = partial(reassignments.list_, partitions=_set(partitions))
        return self._calls.one(operation, timeout_ms)

    def list_reassignment_batch(
        self,
        partitions: Collection[TopicPartition] | Everything = EVERYTHING,
        timeout_ms: int | None = None,
    ) -> Future[Mapping[TopicPartition, reassignments.BatchEntry] | None]:
        """Return the steps of moves that run (KIP-435), None while nothing limits moves.

        The future fails with UnsupportedVersionError unless the controller is klamm's and has
        klamm.kip435.list.v1.enable set.
        """
        operation = partial(reassignments.list_batch, partitions=_set(partitions))
        return self._calls.one(operation, timeout_ms)

    def describe_reassignments(
        self,
        partitions: Collection[TopicPartition] | Everything = EVERYTHING,
        timeout_ms: int | None = None,
    ) -> Future[Mapping[TopicPartition, reassignments.ReassignmentDetails]]:
        """Return what klamm's controller knows of moves beyond Kafka's protocol.

        With any other controller the future fails with UnsupportedVersionError.
        """
        operation = partial(reassignments.describe, partitions=_set(partitions))
        return self._calls.one(operation, timeout_ms)

    def describe_cluster(self, timeout_ms: int | None = None) -> Future[cluster.ClusterDescription]:
        """Return the cluster's id, its controller and the brokers that are alive."""
        return self._calls.one(cluster.describe, timeout_ms)

    def list_topics(
        self, timeout_ms: int | None = None, *, internal: bool = True
    ) -> Future[tuple[str, ...]]:
        """Return the names of all topics, sorted; with or without Kafka's own."""
        return self._calls.one(partial(topic_descriptions.names, internal=internal), timeout_ms)

    def describe_topics(
        self, names: Collection[str] | None = None, timeout_ms: int | None = None
    ) -> Results[str, topic_descriptions.TopicDescription]:
        """Return partitions, leaders, replicas and ISR of topics.

        Without names of all there are, and then waits for their list first: raises its errors.
        """
        wanted = self.list_topics(timeout_ms).result() if names is None else _names(names)
        operation = partial(topic_descriptions.describe, wanted=wanted)
        return self._calls.each(wanted, [(wanted, operation)], timeout_ms)

    def create_topics(
        self,
        new: Collection[topics.NewTopic],
        timeout_ms: int | None = None,
        *,
        validate_only: bool = False,
    ) -> Results[str, None]:
        """Create topics; the answer comes when they have leaders."""
        names = [topic.name for topic in new]
        operation = partial(topics.create, topics=new, validate_only=validate_only)
        return self._calls.each(names, [(names, operation)], timeout_ms)

    def delete_topics(
        self, names: Collection[str], timeout_ms: int | None = None
    ) -> Results[str, None]:
        """Delete topics."""
        wanted = _names(names)
        operation = partial(topics.delete, wanted=wanted)
        return self._calls.each(wanted, [(wanted, operation)], timeout_ms)

    def create_partitions(
        self,
        wanted: Mapping[str, topics.NewPartitions],
        timeout_ms: int | None = None,
        *,
        validate_only: bool = False,
    ) -> Results[str, None]:
        """Add partitions to topics."""
        operation = partial(topics.grow, wanted=wanted, validate_only=validate_only)
        return self._calls.each(wanted, [(wanted, operation)], timeout_ms)

    def describe_configs(
        self,
        resources: Collection[ConfigResource],
        timeout_ms: int | None = None,
        *,
        synonyms: bool = False,
    ) -> Results[ConfigResource, Mapping[str, configs.ConfigEntry]]:
        """Return configs by name; those of a broker come from itself.

        With `synonyms` each has the values that would count if those before were not set.
        """
        groups = configs.groups(resources, by_controller=self._by_controller)
        parts = [
            (group, partial(configs.describe, target=target, resources=group, synonyms=synonyms))
            for target, group in groups.items()
        ]
        return self._calls.each(resources, parts, timeout_ms)

    def incremental_alter_configs(
        self,
        changes: Mapping[ConfigResource, Sequence[configs.AlterConfigOp]],
        timeout_ms: int | None = None,
        *,
        validate_only: bool = False,
    ) -> Results[ConfigResource, None]:
        """Change configs; those of a broker by itself, all at once or not at all per resource."""
        groups = configs.groups(changes, by_controller=self._by_controller)
        parts = [
            (
                group,
                partial(
                    configs.alter,
                    target=target,
                    changes={resource: changes[resource] for resource in group},
                    validate_only=validate_only,
                ),
            )
            for target, group in groups.items()
        ]
        return self._calls.each(changes, parts, timeout_ms)

    def describe_log_dirs(
        self, brokers: Collection[int], timeout_ms: int | None = None
    ) -> Results[int, tuple[log_dirs.LogDir, ...]]:
        """Return the log directories of brokers, and the size of each replica."""
        parts = [([broker], partial(log_dirs.describe, broker=broker)) for broker in brokers]
        return self._calls.each(brokers, parts, timeout_ms)

    def alter_replica_log_dirs(
        self, wanted: Mapping[TopicPartitionReplica, str], timeout_ms: int | None = None
    ) -> Results[TopicPartitionReplica, None]:
        """Move replicas to other directories of their brokers; the answer comes at the start.

        ReplicaNotAvailableError: the broker has no such replica yet, and will put it there.
        """
        groups: dict[int, dict[TopicPartitionReplica, str]] = {}
        for replica, path in wanted.items():
            groups.setdefault(replica.broker, {})[replica] = path
        parts = [
            (group, partial(log_dirs.alter, broker=broker, wanted=group))
            for broker, group in groups.items()
        ]
        return self._calls.each(wanted, parts, timeout_ms)

    def elect_leaders(
        self,
        type_: elections.ElectionType,
        partitions: Collection[TopicPartition] | Everything = EVERYTHING,
        timeout_ms: int | None = None,
    ) -> Future[Mapping[TopicPartition, elections.Outcome]]:
        """Elect leaders, and return for each partition None or what kept it from that.

        For all partitions those are left out that have the leader already.
        """
        operation = partial(elections.elect, type_=type_, partitions=_set(partitions))
        return self._calls.one(operation, timeout_ms)

    def list_offsets(
        self, wanted: Mapping[TopicPartition, int], timeout_ms: int | None = None
    ) -> Results[TopicPartition, offsets.PartitionOffset]:
        """Return an offset of each partition: of a time in ms, or of EARLIEST or LATEST."""
        operation = partial(offsets.list_, wanted=wanted)
        return self._calls.each(wanted, [(wanted, operation)], timeout_ms)

    def describe_acls(
        self, filter_: AclFilter, timeout_ms: int | None = None
    ) -> Future[tuple[AclBinding, ...]]:
        """Return the bindings that a filter means."""
        return self._calls.one(partial(acls.describe, filter_=filter_), timeout_ms)

    def create_acls(
        self, bindings: Collection[AclBinding], timeout_ms: int | None = None
    ) -> Results[AclBinding, None]:
        """Add bindings; those that are there already are fine."""
        operation = partial(acls.create, bindings=tuple(bindings))
        return self._calls.each(bindings, [(bindings, operation)], timeout_ms)

    def delete_acls(
        self, filters: Collection[AclFilter], timeout_ms: int | None = None
    ) -> Results[AclFilter, tuple[AclBinding, ...]]:
        """Delete the bindings that each filter means, and return them."""
        operation = partial(acls.delete, filters=tuple(filters))
        return self._calls.each(filters, [(filters, operation)], timeout_ms)

    def describe_user_scram_credentials(
        self, users: Collection[str] | None = None, timeout_ms: int | None = None
    ) -> Future[Mapping[str, tuple[scram.ScramCredentialInfo, ...]]]:
        """Return the mechanisms of users, of all without names; who has none is left out."""
        wanted = None if users is None else _names(users)
        return self._calls.one(partial(scram.describe, users=wanted), timeout_ms)

    def alter_user_scram_credentials(
        self,
        changes: Collection[scram.ScramUpsertion | scram.ScramDeletion],
        timeout_ms: int | None = None,
    ) -> Results[str, None]:
        """Set and delete credentials; the outcome of each user."""
        users = dict.fromkeys(change.user for change in changes)
        return self._calls.each(users, [(users, partial(scram.alter, changes=changes))], timeout_ms)


def _set(
    partitions: Collection[TopicPartition] | Everything,
) -> Collection[TopicPartition] | Everything:
    if isinstance(partitions, str) or not isinstance(partitions, Collection | Everything):
        raise TypeError(f"partitions is {partitions!r}: give a set, or leave it out for all")
    return partitions


def _names(names: Collection[str]) -> tuple[str, ...]:
    """Refuse a single name, which is a collection too: of its letters."""
    if isinstance(names, str):
        raise TypeError(f"{names!r} is one name: write [{names!r}]")
    return tuple(names)
