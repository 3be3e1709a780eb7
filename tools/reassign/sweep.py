"""--sweep: throttles that nobody needs any more, and away with them.

A tool that was killed, or a --verify that nobody ran, leaves rates and lists behind that slow
replication down for good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from klamm.controller.configs.throttle_keys import LISTS, LOG_DIR_RATE, RATES
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    OpType,
    ResourceType,
    TopicPartition,
    errors,
)
from klamm.tools.admin.partitions import LOOK_MS, read_partitions
from klamm.tools.reassign import texts
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.output import Output

#: What counts as set: not a default, and not the properties file of a broker.
_SET_BY = frozenset({ConfigSource.DYNAMIC_TOPIC_CONFIG, ConfigSource.DYNAMIC_BROKER_CONFIG})


@dataclass(frozen=True, slots=True)
class Leftover:
    """A throttle that is set and that nothing needs."""

    resource: ConfigResource
    key: str
    value: str


def leftovers(
    configs: Mapping[ConfigResource, Mapping[str, ConfigEntry]],
    moving: Collection[TopicPartition],
    copying: Collection[int],
) -> Iterator[Leftover]:
    """Pick out what nobody needs, given what moves and which brokers copy between directories.

    A topic's lists are needed while any partition of it moves, rates while anything does: nobody
    can tell whose rate it is.
    """
    topics = {name.topic for name in moving}
    for resource, entries in sorted(configs.items()):
        if resource.type is ResourceType.TOPIC:
            keys: tuple[str, ...] = () if resource.name in topics else LISTS
        else:
            copies = resource.broker in copying
            keys = tuple(key for key in RATES if not (copies if key == LOG_DIR_RATE else moving))
        for key in keys:
            entry = entries.get(key)
            if entry is not None and entry.value and entry.source in _SET_BY:
                yield Leftover(resource, key, entry.value)


def sweep(admin: Admin, output: Output, *, remove: bool) -> Exit:
    """Show the leftovers of the cluster, and remove them if that is wanted; raises AdminError.

    Brokers that are not there keep what they have; they are not asked.
    """
    brokers = sorted(admin.describe_cluster().result().brokers)
    moving = admin.list_partition_reassignments().result()
    found = [*leftovers(_configs(admin, brokers, output), moving, _copying(admin, brokers, output))]
    if moving:
        output.warn(
            f"{'1 partition moves' if len(moving) == 1 else f'{len(moving)} partitions move'}:"
            " rates of brokers, and lists of their topics, are in use."
        )
    for each in found:
        output.say(f"{each.resource}: {each.key}={each.value}")
    output.put(
        leftovers=[
            {
                "type": each.resource.type.name.lower(),
                "name": each.resource.name,
                "key": each.key,
                "value": each.value,
            }
            for each in found
        ],
        removed=remove and bool(found),
    )
    if not found:
        output.say("No leftover throttles found.")
    elif remove:
        _remove(admin, found)
        output.say(f"Removed {len(found)} leftover throttle{texts.plural(len(found))}.")
    else:
        output.say(
            f"{len(found)} leftover throttle{texts.plural(len(found))}; run --sweep --yes to"
            " remove what is shown."
        )
    return Exit.DONE


def _configs(
    admin: Admin, brokers: Collection[int], output: Output
) -> dict[ConfigResource, Mapping[str, ConfigEntry]]:
    names = [ConfigResource(ResourceType.BROKER, str(broker)) for broker in brokers]
    topics = _topics(admin, brokers, output)
    names += [ConfigResource(ResourceType.TOPIC, topic) for topic in topics]
    found = {}
    for name, future in admin.describe_configs(names).futures.items():
        try:
            found[name] = future.result()
        except errors.UnknownTopicOrPartitionError:
            continue  # deleted since the names were asked for
        except errors.AdminError as error:
            output.warn(f"Passing over the configs of {name}: {error}")
    return found


def _topics(admin: Admin, brokers: Collection[int], output: Output) -> list[str]:
    """Return all topics, and tell of brokers that have replicas of them and are not there."""
    partitions = read_partitions(admin)
    away = {broker for one in partitions.values() for broker in one.replicas}.difference(brokers)
    if away:
        who = f"broker{texts.plural(len(away))} {texts.ids(sorted(away))}"
        output.warn(
            f"Passing over the configs of {who}, not in the cluster now: run this again later."
        )
    return sorted({name.topic for name in partitions})


def _copying(admin: Admin, brokers: Collection[int], output: Output) -> set[int]:
    """Return the brokers that copy between directories; one that does not answer may."""
    found = set()
    for broker, future in admin.describe_log_dirs(brokers, LOOK_MS).futures.items():
        try:
            dirs = future.result()
        except errors.AdminError as error:
            output.warn(f"Passing over {LOG_DIR_RATE} of broker {broker}: {error}")
            found.add(broker)
            continue
        if any(log.is_future for each in dirs for log in each.replicas.values()):
            found.add(broker)
    return found


def _remove(admin: Admin, found: Collection[Leftover]) -> None:
    changes: dict[ConfigResource, list[AlterConfigOp]] = {}
    for each in found:
        changes.setdefault(each.resource, []).append(AlterConfigOp(each.key, OpType.DELETE, None))
    admin.incremental_alter_configs(changes).result()
