"""Keys 32 and 44: configs of topics and brokers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    IncrementalAlterConfigsResponse,
)
from klamm.tools.admin.apis import Place, Target, api
from klamm.tools.admin.errors import AdminError, error_of
from klamm.tools.admin.names import ConfigResource, ResourceType
from klamm.tools.admin.routing import Session

# From 1 on values have a source.
_DESCRIBE = api("describeConfigs", DescribeConfigsRequest, DescribeConfigsResponse, range(1, 5))
_ALTER = api(
    "incrementalAlterConfigs", IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse
)


class ConfigSource(IntEnum):
    """Where a value comes from, with Kafka's codes (DescribeConfigsResponse.ConfigSource)."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    CLIENT_METRICS_CONFIG = 7
    GROUP_CONFIG = 8

    @classmethod
    def _missing_(cls, value: object) -> ConfigSource:
        """Take every code that is not here for UNKNOWN, as Java does."""
        return cls.UNKNOWN


class OpType(IntEnum):
    """What is done to a config, with Kafka's codes (AlterConfigOp.OpType)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class ConfigSynonym:
    """A name and value that would count if those before it were not set."""

    name: str
    value: str | None
    source: ConfigSource


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """A config and its value, None of one that is `sensitive` and so not told."""

    name: str
    value: str | None
    source: ConfigSource
    sensitive: bool
    read_only: bool
    synonyms: tuple[ConfigSynonym, ...] = ()

    @property
    def is_default(self) -> bool:
        """Tell whether nobody has set it."""
        return self.source is ConfigSource.DEFAULT_CONFIG


@dataclass(frozen=True, slots=True)
class AlterConfigOp:
    """One change of a config; a DELETE has no value."""

    name: str
    type: OpType
    value: str | None = None


def groups(
    resources: Collection[ConfigResource], *, by_controller: bool
) -> dict[Target, list[ConfigResource]]:
    """Gather resources by the node that must be asked for them."""
    found: dict[Target, list[ConfigResource]] = {}
    for type_, name in resources:
        resource = ConfigResource(type_, name)
        broker = None if by_controller else resource.broker
        found.setdefault(Place.ANY if broker is None else broker, []).append(resource)
    return found


async def describe(
    session: Session, target: Target, resources: Sequence[ConfigResource], synonyms: bool
) -> dict[ConfigResource, Mapping[str, ConfigEntry] | AdminError]:
    """Return the configs of each resource, by name, in the node's order."""
    wanted = tuple(DescribeConfigsResource(type_, name, None) for type_, name in resources)
    answer = await session.ask(
        _DESCRIBE, target, lambda _: DescribeConfigsRequest(wanted, include_synonyms=synonyms)
    )
    return {
        ConfigResource(ResourceType(result.resource_type), result.resource_name): error_of(
            result.error_code, result.error_message
        )
        if result.error_code
        else {config.name: _entry(config) for config in result.configs}
        for result in answer.results
    }


async def alter(
    session: Session,
    target: Target,
    changes: Mapping[ConfigResource, Sequence[AlterConfigOp]],
    validate_only: bool,
) -> dict[ConfigResource, AdminError | None]:
    """Change configs, or only check that they can be changed."""
    resources = tuple(
        AlterConfigsResource(
            type_, name, tuple(AlterableConfig(op.name, op.type, op.value) for op in ops)
        )
        for (type_, name), ops in changes.items()
    )
    answer = await session.ask(
        _ALTER,
        target,
        lambda _: IncrementalAlterConfigsRequest(resources, validate_only),
        lambda response: [result.error_code for result in response.responses],
    )
    return {
        ConfigResource(ResourceType(result.resource_type), result.resource_name): error_of(
            result.error_code, result.error_message
        )
        if result.error_code
        else None
        for result in answer.responses
    }


def _entry(config: DescribeConfigsResourceResult) -> ConfigEntry:
    return ConfigEntry(
        config.name,
        config.value,
        ConfigSource(config.config_source),
        config.is_sensitive,
        config.read_only,
        tuple(
            ConfigSynonym(synonym.name, synonym.value, ConfigSource(synonym.source))
            for synonym in config.synonyms
        ),
    )
