"""Who may do what: a value, made of the lists of one moment.

Rules
1. Super users may do everything.
2. A resource without any list is open to everybody if allow.everyone.if.no.acl.found says so, and
   otherwise closed.
3. The lists of a resource are that of its name, that of the wildcard `*`, and those of each prefix
   of the name. A rule that denies counts for more than any that allows; what no rule allows is
   denied.
4. A rule is for a principal, or everybody (`User:*`), and for an address, or every one (`*`). An
   address of IPv6 may be spelled as Java does, or in short.
   Who is allowed to read, write, delete or alter is allowed to describe; who is allowed to alter
   configs is allowed to describe them. To deny implies nothing.
5. A list that cannot be read denies everything to everybody but super users: it may have held a
   rule that does.

Source: Kafka 3.9, AclAuthorizer.scala, authorizeAction; rule 5 is ours, where Kafka does not start.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from ipaddress import ip_address
from typing import Protocol

from klamm.controller.security.acls import (
    SUPPORTED_OPERATIONS,
    WILDCARD_HOST,
    WILDCARD_NAME,
    WILDCARD_PRINCIPAL,
    AccessRule,
    AclBinding,
    AclFilter,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.principals import Client

_IMPLIED_BY: Mapping[Operation, frozenset[Operation]] = {
    Operation.DESCRIBE: frozenset(
        {
            Operation.DESCRIBE,
            Operation.READ,
            Operation.WRITE,
            Operation.DELETE,
            Operation.ALTER,
        }
    ),
    Operation.DESCRIBE_CONFIGS: frozenset({Operation.DESCRIBE_CONFIGS, Operation.ALTER_CONFIGS}),
}


class Authorizer(Protocol):
    """Decides over one operation on one resource; immutable, so that answers can be kept."""

    def allows(
        self, client: Client, operation: Operation, resource_type: ResourceType, name: str
    ) -> bool:
        """Tell whether the client may do it."""


@dataclass(frozen=True, slots=True)
class AllowAll:
    """What a node without an authorizer decides."""

    def allows(
        self, client: Client, operation: Operation, resource_type: ResourceType, name: str
    ) -> bool:
        """Say yes."""
        return True


ALLOW_ALL = AllowAll()

Rules = frozenset[AccessRule]


@dataclass(slots=True)
class _Index:
    """The lists for one type of resources: by name, and by length and text of the prefix."""

    literal: dict[str, Rules | None] = field(default_factory=dict)
    prefixed: dict[int, dict[str, Rules | None]] = field(default_factory=lambda: defaultdict(dict))


@dataclass(frozen=True)
class AclAuthorizer:
    """Decides by lists; `unreadable` are the patterns whose list nobody can read.

    `super_users` are principals as text. No list is empty.
    """

    super_users: frozenset[str] = frozenset()
    allow_if_no_acl: bool = False
    lists: Mapping[ResourcePattern, Rules] = field(default_factory=dict)
    unreadable: frozenset[ResourcePattern] = frozenset()

    def allows(
        self, client: Client, operation: Operation, resource_type: ResourceType, name: str
    ) -> bool:
        """Tell whether the client may do it."""
        principal = str(client.principal)
        if principal in self.super_users:
            return True
        lists, hosts = self._lists_of(resource_type, name), _spellings(client.host)
        if not lists:
            return self.allow_if_no_acl
        if None in lists:
            return False
        rules = [
            rule
            for each in lists
            for rule in each or ()
            if rule.principal in (principal, WILDCARD_PRINCIPAL) and rule.host in hosts
        ]
        denied = (operation, Operation.ALL)
        if any(r.permission is Permission.DENY and r.operation in denied for r in rules):
            return False
        allowed = {Operation.ALL} | _IMPLIED_BY.get(operation, frozenset({operation}))
        return any(r.permission is Permission.ALLOW and r.operation in allowed for r in rules)

    def bindings(self, meant: AclFilter) -> Iterator[AclBinding]:
        """Yield the bindings that a filter means, in order."""
        for pattern in sorted(self.lists):
            if meant.matches_pattern(pattern):
                for rule in sorted(self.lists[pattern]):
                    if meant.matches_rule(rule):
                        yield AclBinding(pattern, rule)

    @property
    def patterns(self) -> frozenset[ResourcePattern]:
        """The patterns that have a list, readable or not."""
        return frozenset(self.lists) | self.unreadable

    def updated(self, found: Mapping[ResourcePattern, Rules | None]) -> "AclAuthorizer":
        """Return the authorizer with these lists; an empty one goes, None stands for unreadable."""
        lists, unreadable = dict(self.lists), set(self.unreadable)
        for pattern, rules in found.items():
            lists.pop(pattern, None)
            unreadable.discard(pattern)
            if rules is None:
                unreadable.add(pattern)
            elif rules:
                lists[pattern] = rules
        return replace(self, lists=lists, unreadable=frozenset(unreadable))

    def _lists_of(self, resource_type: ResourceType, name: str) -> list[Rules | None]:
        """Return the lists that cover a resource; None stands for one that cannot be read."""
        index = self._index.get(resource_type)
        if index is None:
            return []
        names = (name,) if name == WILDCARD_NAME else (name, WILDCARD_NAME)
        found = [index.literal[each] for each in names if each in index.literal]
        for length, by_prefix in index.prefixed.items():
            prefix = name[:length]
            if prefix in by_prefix:
                found.append(by_prefix[prefix])
        return found

    @cached_property
    def _index(self) -> Mapping[ResourceType, _Index]:
        """The lists by name: a client that asks for every topic asks for a decision on each."""
        found: dict[ResourceType, _Index] = defaultdict(_Index)
        lists: Mapping[ResourcePattern, Rules | None] = {
            **self.lists,
            **dict.fromkeys(self.unreadable),
        }
        for pattern, rules in lists.items():
            of_type = found[pattern.resource_type]
            if pattern.pattern_type is PatternType.PREFIXED:
                of_type.prefixed[len(pattern.name)][pattern.name] = rules
            else:
                of_type.literal[pattern.name] = rules
        return dict(found)


@lru_cache(maxsize=256)
def _spellings(host: str) -> frozenset[str]:
    """Return how rules may name an address: as it is, as Java prints it, or `*` for every one.

    Java prints IPv6 without shortening (InetAddress.getHostAddress), and IPv4 inside IPv6 as IPv4.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return frozenset({host, WILDCARD_HOST})
    if address.version == 4:
        return frozenset({host, WILDCARD_HOST})
    if address.ipv4_mapped is not None:
        return frozenset({host, str(address.ipv4_mapped), WILDCARD_HOST})
    groups = address.exploded.partition("%")[0].split(":")
    spelled = ":".join(group.lstrip("0") or "0" for group in groups)
    return frozenset({host, spelled, WILDCARD_HOST})


def operations_bits(
    authorizer: Authorizer, client: Client, resource_type: ResourceType, name: str
) -> int:
    """Return what a client may do with a resource as a bit field: bit N for operation code N.

    Source: Kafka 3.9, AuthHelper.authorizedOperations, Utils.to32BitField.
    """
    return bits(
        operation
        for operation in SUPPORTED_OPERATIONS[resource_type]
        if authorizer.allows(client, operation, resource_type, name)
    )


def bits(operations: Iterable[Operation]) -> int:
    """Return operations as a bit field."""
    return sum(1 << operation for operation in operations)
