"""Access control lists as clients name them: patterns, bindings, filters, with Kafka's codes.

Source: Kafka 3.9, AclOperation.java, AclPermissionType.java, ResourceType.java, PatternType.java,
ResourcePatternFilter.java, AccessControlEntryFilter.java, AclEntry.scala.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Final

#: The name of the only resource of type CLUSTER.
CLUSTER_NAME: Final = "kafka-cluster"
#: The literal pattern of this name is for every resource of its type.
WILDCARD_NAME: Final = "*"
#: As a principal of a binding: everybody.
WILDCARD_PRINCIPAL: Final = "User:*"
WILDCARD_HOST: Final = "*"


class _Code(IntEnum):
    """A code of the wire; every code that has no name here is UNKNOWN, as in Java's enums."""

    @classmethod
    def _missing_(cls, value: object) -> "_Code":
        return cls(0)


class ResourceType(_Code):
    """What a pattern is for; only filters take ANY, and UNKNOWN is every other code."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class PatternType(_Code):
    """How a pattern's name is meant; ANY and MATCH are for filters alone.

    MATCH finds every pattern that is for the resource of the name: the literal one, the wildcard,
    and each prefix.
    """

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Operation(_Code):
    """What a rule is about; ALL stands for every one."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14


class Permission(_Code):
    """Whether a rule grants or forbids."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


SUPPORTED_OPERATIONS: Final[Mapping[ResourceType, tuple[Operation, ...]]] = MappingProxyType(
    {
        ResourceType.TOPIC: (
            Operation.READ,
            Operation.WRITE,
            Operation.CREATE,
            Operation.DELETE,
            Operation.ALTER,
            Operation.DESCRIBE,
            Operation.DESCRIBE_CONFIGS,
            Operation.ALTER_CONFIGS,
        ),
        ResourceType.CLUSTER: (
            Operation.CREATE,
            Operation.ALTER,
            Operation.DESCRIBE,
            Operation.CLUSTER_ACTION,
            Operation.DESCRIBE_CONFIGS,
            Operation.ALTER_CONFIGS,
            Operation.IDEMPOTENT_WRITE,
        ),
    }
)
"""What can be done with the resources that responses describe (AclEntry.supportedOperations)."""


@dataclass(frozen=True, slots=True, order=True)
class ResourcePattern:
    """The resources that a list is for: `pattern_type` is LITERAL or PREFIXED."""

    resource_type: ResourceType
    name: str
    pattern_type: PatternType = PatternType.LITERAL

    def covers(self, resource_type: ResourceType, name: str) -> bool:
        """Tell whether the list counts for the resource of this name."""
        if resource_type is not self.resource_type:
            return False
        if self.pattern_type is PatternType.PREFIXED:
            return name.startswith(self.name)
        return self.name in (name, WILDCARD_NAME)


@dataclass(frozen=True, slots=True, order=True)
class AccessRule:
    """One rule of a list; `principal` is text as in `User:alice`, `host` an address, or "*"."""

    principal: str
    host: str
    operation: Operation
    permission: Permission


@dataclass(frozen=True, slots=True, order=True)
class AclBinding:
    """A rule and what it is for."""

    pattern: ResourcePattern
    rule: AccessRule

    @property
    def unknown(self) -> bool:
        """Tell whether a part of it is no value that a binding can have."""
        pattern, rule = self.pattern, self.rule
        return (
            pattern.resource_type <= ResourceType.ANY
            or pattern.pattern_type <= PatternType.MATCH
            or rule.operation <= Operation.ANY
            or rule.permission <= Permission.ANY
        )


@dataclass(frozen=True, slots=True)
class AclFilter:
    """Which bindings are meant; None and ANY leave a part open."""

    resource_type: ResourceType = ResourceType.ANY
    name: str | None = None
    pattern_type: PatternType = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: Operation = Operation.ANY
    permission: Permission = Permission.ANY

    @property
    def unknown(self) -> bool:
        """Tell whether a part of it is a code that this version does not know."""
        return 0 in (self.resource_type, self.pattern_type, self.operation, self.permission)

    def matches(self, binding: AclBinding) -> bool:
        """Tell whether a binding is meant."""
        return self.matches_pattern(binding.pattern) and self.matches_rule(binding.rule)

    def matches_pattern(self, pattern: ResourcePattern) -> bool:
        """Tell whether bindings of this pattern can be meant (ResourcePatternFilter.matches)."""
        if self.resource_type not in (ResourceType.ANY, pattern.resource_type):
            return False
        if self.pattern_type not in (PatternType.ANY, PatternType.MATCH, pattern.pattern_type):
            return False
        if self.name is None:
            return True
        if self.pattern_type is PatternType.MATCH:
            return pattern.covers(pattern.resource_type, self.name)
        return self.name == pattern.name

    def matches_rule(self, rule: AccessRule) -> bool:
        """Tell whether a rule is meant (AccessControlEntryFilter.matches)."""
        return (
            self.principal in (None, rule.principal)
            and self.host in (None, rule.host)
            and self.operation in (Operation.ANY, rule.operation)
            and self.permission in (Permission.ANY, rule.permission)
        )
