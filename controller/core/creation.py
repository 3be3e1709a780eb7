"""Creating a topic: the checks of Kafka's CreateTopics and its znodes.

Source: Kafka 3.9, ZkAdminManager.scala (createTopics) and AdminZkClient.scala
(validateTopicCreate, createTopicWithAssignment); name rules in Topic.java.
"""

from dataclasses import replace

from klamm.controller.core.assignment import assign_replicas, uneven_racks
from klamm.controller.core.draft import Creation, Draft
from klamm.controller.core.events import UNSET, Cause, CreateTopic
from klamm.controller.core.model import Assignment, Partition, Topic, TopicPartition
from klamm.controller.core.moves import initialize
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.results import Fault, Refusal, TopicCreated
from klamm.controller.core.settings import Settings
from klamm.controller.core.shares import too_many_partitions
from klamm.controller.core.topic_names import collide, unlawful
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import ConfigEntity, ConfigZnode, encode_config


def create(draft: Draft, cause: Cause, event: CreateTopic) -> None:
    """Create the topic with its configs and first leaders, or say why not."""
    if event.name in draft.deleting:
        text = f"Topic '{event.name}' is marked for deletion."
        draft.settle(cause, Refusal(Fault.TOPIC_ALREADY_EXISTS, text))
        return
    if draft.topic(event.name) is not None or paths.topic(event.name) in draft.unreadable:
        exists = Refusal(Fault.TOPIC_ALREADY_EXISTS, f"Topic '{event.name}' already exists.")
        if event.name in draft.creations:
            draft.creations[event.name].results.append((cause.id, exists))
        else:
            draft.settle(cause, exists)
        return
    event = _with_defaults(event, draft.settings)
    refusal = check_name(event.name, draft) or check_counts(event, draft) or _check_configs(event)
    if refusal:
        draft.settle(cause, refusal)
        return
    assignment = event.assignment or assign_replicas(
        {broker.id: broker.rack for broker in draft.brokers.values()},
        event.partitions,
        event.replication_factor,
        event.start,
        event.shift,
    )
    topic_id = event.topic_id if draft.settings.topic_ids else None
    if draft.settings.topic_ids and topic_id is None:
        raise ValueError(f"topic {event.name!r} is to be created without an id to give it")
    result = TopicCreated(len(assignment), len(next(iter(assignment.values()))), topic_id)
    if event.validate_only:
        draft.settle(cause, replace(result, topic_id=None))
        return
    partitions = {
        number: Partition(Assignment(tuple(replicas)))
        for number, replicas in sorted(assignment.items())
    }
    topic = Topic(event.name, 0, partitions, topic_id, bare=frozenset())
    path = ConfigEntity("topics", event.name).path
    configs = encode_config(ConfigZnode(event.configs))
    # Configs may have been left behind by a deletion that a crash cut short (F50).
    left = draft.config_versions.get(path)
    config_op: Op = Create(path, configs) if left is None else SetData(path, configs, left)
    ops = (config_op, Create(paths.partitions(event.name), None))
    draft.creations[event.name] = Creation(topic, ops, [(cause.id, result)])
    draft.note("topic-created", f"{len(partitions)} partitions", topic=event.name)
    for number, partition in partitions.items():
        initialize(draft, TopicPartition(event.name, number), partition.assignment.replicas)


def _with_defaults(event: CreateTopic, settings: Settings) -> CreateTopic:
    """Put the configured defaults in the place of counts that were left open."""
    if event.partitions == UNSET:
        event = replace(event, partitions=settings.default_partitions)
    if event.replication_factor == UNSET:
        event = replace(event, replication_factor=settings.default_replication_factor)
    return event


def check_name(name: str, draft: Draft) -> Refusal | None:
    """Refuse an unlawful name, and one that another topic's metric names would collide with."""
    fault = Fault.INVALID_TOPIC_EXCEPTION
    reason = unlawful(name)
    if reason:
        return Refusal(fault, f"Topic name is invalid: {reason}")
    if "." not in name and "_" not in name:
        return None
    colliding = [other for other in draft.topic_names() if collide(name, other)]
    if colliding:
        text = f"Topic '{name}' collides with existing topics: {', '.join(sorted(colliding))}"
        return Refusal(fault, text)
    return None


def check_counts(event: CreateTopic, draft: Draft) -> Refusal | None:
    """Refuse counts or an explicit assignment that no cluster, or not this one, can carry."""
    if event.assignment:
        return _check_assignment(event) or too_many_partitions(
            len(event.assignment),
            len(event.assignment[0]),
            max(max(replicas) for replicas in event.assignment.values()),
        )
    if event.partitions <= 0:
        text = f"Number of partitions was set to an invalid non-positive value: {event.partitions}"
        return Refusal(Fault.INVALID_PARTITIONS, text)
    if event.replication_factor <= 0:
        return Refusal(
            Fault.INVALID_REPLICATION_FACTOR, "Replication factor must be larger than 0."
        )
    if event.replication_factor > len(draft.brokers):
        return Refusal(
            Fault.INVALID_REPLICATION_FACTOR,
            f"Replication factor: {event.replication_factor} larger than available brokers: "
            f"{len(draft.brokers)}.",
        )
    return uneven_racks(draft.brokers.values()) or too_many_partitions(
        event.partitions, event.replication_factor, max(draft.brokers)
    )


def _check_configs(event: CreateTopic) -> Refusal | None:
    """Refuse configs last of all, as Kafka does."""
    if event.invalid_config is None:
        return None
    return Refusal(Fault.INVALID_CONFIG, event.invalid_config)


def _check_assignment(event: CreateTopic) -> Refusal | None:
    """Kafka accepts unknown brokers here, but no gaps, doubles or unequal lengths."""
    fault = Fault.INVALID_REPLICA_ASSIGNMENT
    if sorted(event.assignment) != list(range(len(event.assignment))):
        text = "Partitions should be a consecutive 0-based integer sequence"
        return Refusal(fault, f"{text}, but are {sorted(event.assignment)}")
    sizes = {len(replicas) for replicas in event.assignment.values()}
    if len(sizes) > 1:
        return Refusal(fault, "All partitions should have the same number of replicas")
    if 0 in sizes:
        return Refusal(fault, "A partition must have at least one replica")
    for number, replicas in event.assignment.items():
        if len(set(replicas)) < len(replicas):
            text = f"Duplicate replica assignment found: partition {number} {list(replicas)}"
            return Refusal(fault, text)
        if any(broker < 0 for broker in replicas):
            return Refusal(fault, f"Invalid broker id: partition {number} {list(replicas)}")
    return None
