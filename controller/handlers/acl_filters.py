"""What 29 and 31 share: which access rules a request means."""

from typing import Protocol

from klamm.controller.security.acls import (
    AclFilter,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)


class Asked(Protocol):
    """A filter in a request's words."""

    @property
    def resource_type_filter(self) -> int:
        """A code of ResourceType."""

    @property
    def resource_name_filter(self) -> str | None:
        """None for every name."""

    @property
    def pattern_type_filter(self) -> int:
        """A code of PatternType."""

    @property
    def principal_filter(self) -> str | None:
        """None for everybody."""

    @property
    def host_filter(self) -> str | None:
        """None for every address."""

    @property
    def operation(self) -> int:
        """A code of Operation."""

    @property
    def permission_type(self) -> int:
        """A code of Permission."""


def filter_of(asked: Asked) -> AclFilter:
    """Return what is meant; codes that have no name become UNKNOWN."""
    return AclFilter(
        ResourceType(asked.resource_type_filter),
        asked.resource_name_filter,
        PatternType(asked.pattern_type_filter),
        asked.principal_filter,
        asked.host_filter,
        Operation(asked.operation),
        Permission(asked.permission_type),
    )


def unknown_text(meant: AclFilter) -> str:
    """Say which part of a filter nobody knows."""
    parts = {
        "resource type": meant.resource_type,
        "pattern type": meant.pattern_type,
        "operation": meant.operation,
        "permission type": meant.permission,
    }
    unknown = ", ".join(name for name, code in parts.items() if code == 0)
    return f"The filter contains UNKNOWN elements: {unknown}"
