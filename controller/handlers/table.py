"""Which keys are served, in which versions, and by whom."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any

from klamm.controller.handlers import (
    k0_produce,
    k3_metadata,
    k7_controlled_shutdown,
    k17_sasl_handshake,
    k18_api_versions,
    k19_create_topics,
    k20_delete_topics,
    k29_describe_acls,
    k30_create_acls,
    k31_delete_acls,
    k32_describe_configs,
    k33_alter_configs,
    k34_alter_replica_log_dirs,
    k35_describe_log_dirs,
    k36_sasl_authenticate,
    k37_create_partitions,
    k43_elect_leaders,
    k44_incremental_alter_configs,
    k45_alter_partition_reassignments,
    k46_list_partition_reassignments,
    k50_describe_user_scram_credentials,
    k51_alter_user_scram_credentials,
    k56_alter_partition,
    k60_describe_cluster,
    k67_allocate_producer_ids,
    k75_describe_topic_partitions,
    k17900_assign_partitions,
    k17901_partition_assignment_status,
    k17902_alter_topics,
    k17903_replica_status,
    k17904_describe_reassignments,
    k17905_report_fetch_progress,
)
from klamm.controller.handlers.api import Context, Outcome
from klamm.controller.handlers.releases import DEFAULT as DEFAULT_RELEASE
from klamm.controller.handlers.releases import HISTORY, versions_of
from klamm.controller.handlers.switches import PRIVATE, Switch, keys_of
from klamm.protocol import registry


@dataclass(frozen=True, slots=True)
class Handler:
    """A served key. `handle` takes a context, a request body of this key, and its version."""

    api_key: int
    versions: range
    handle: Callable[[Context, Any, int], Outcome]


def _handler(module: ModuleType) -> Handler:
    return Handler(module.API_KEY, module.VERSIONS, module.handle)


HANDLERS: Mapping[int, Handler] = MappingProxyType(
    {
        module.API_KEY: _handler(module)
        for module in (
            k0_produce,
            k3_metadata,
            k7_controlled_shutdown,
            k17_sasl_handshake,
            k18_api_versions,
            k19_create_topics,
            k20_delete_topics,
            k29_describe_acls,
            k30_create_acls,
            k31_delete_acls,
            k32_describe_configs,
            k33_alter_configs,
            k34_alter_replica_log_dirs,
            k35_describe_log_dirs,
            k36_sasl_authenticate,
            k37_create_partitions,
            k43_elect_leaders,
            k44_incremental_alter_configs,
            k45_alter_partition_reassignments,
            k46_list_partition_reassignments,
            k50_describe_user_scram_credentials,
            k51_alter_user_scram_credentials,
            k56_alter_partition,
            k60_describe_cluster,
            k67_allocate_producer_ids,
            k75_describe_topic_partitions,
            k17900_assign_partitions,
            k17901_partition_assignment_status,
            k17902_alter_topics,
            k17903_replica_status,
            k17904_describe_reassignments,
            k17905_report_fetch_progress,
        )
    }
)


#: What is shown without any switch.
PUBLIC = tuple(key for key in HANDLERS if key not in PRIVATE)


def advertised(
    keys: Iterable[int] = PUBLIC,
    release: str = DEFAULT_RELEASE,
    switches: Collection[Switch] = (),
) -> Mapping[int, range]:
    """Return the table that ApiVersions shows: what handler, codec and this release can do.

    What brokers and controllers of a ZooKeeper cluster ask each other is in it whatever the
    release, for they look there before they ask, and so is what `switches` have switched on.
    Raises KeyError for a key that has no handler, ValueError for what is no release.
    """
    of_release = versions_of(release)
    table = {}
    for key in keys:
        versions = _common(HANDLERS[key])
        if key in HISTORY:
            known = of_release.get(key, range(0))
            versions = range(max(versions.start, known.start), min(versions.stop, known.stop))
        if versions:
            table[key] = versions
    for key in sorted(keys_of(switches) & HANDLERS.keys()):
        table[key] = _common(HANDLERS[key])
    return MappingProxyType(table)


def _common(handler: Handler) -> range:
    codec = registry.request(handler.api_key).versions
    first = max(handler.versions.start, codec.start)
    return range(first, min(handler.versions.stop, codec.stop))
