"""Which keys are served, in which versions, and by whom."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any

from klamm.controller.handlers import (
    k0_produce,
    k3_metadata,
    k7_controlled_shutdown,
    k18_api_versions,
    k19_create_topics,
    k20_delete_topics,
    k32_describe_configs,
    k33_alter_configs,
    k37_create_partitions,
    k44_incremental_alter_configs,
    k45_alter_partition_reassignments,
    k46_list_partition_reassignments,
    k56_alter_partition,
    k60_describe_cluster,
    k67_allocate_producer_ids,
)
from klamm.controller.handlers.api import Context, Outcome
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
            k18_api_versions,
            k19_create_topics,
            k20_delete_topics,
            k32_describe_configs,
            k33_alter_configs,
            k37_create_partitions,
            k44_incremental_alter_configs,
            k45_alter_partition_reassignments,
            k46_list_partition_reassignments,
            k56_alter_partition,
            k60_describe_cluster,
            k67_allocate_producer_ids,
        )
    }
)


def advertised(keys: Iterable[int] = HANDLERS) -> Mapping[int, range]:
    """Return the table that ApiVersions shows: what both the handler and the codec can do.

    Raises KeyError for a key that has no handler.
    """
    return MappingProxyType({key: _common(HANDLERS[key]) for key in keys})


def _common(handler: Handler) -> range:
    codec = registry.request(handler.api_key).versions
    first = max(handler.versions.start, codec.start)
    return range(first, min(handler.versions.stop, codec.stop))
