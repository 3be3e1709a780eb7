"""Access control lists in ZooKeeper: read them all or some, and change one.

Source: Kafka 3.9, AclAuthorizer.scala (loadCache, updateResourceAcls), KafkaZkClient.scala
(createAclPaths, conditionalSetAclsForResource). Kafka writes a list and its notice one after the
other and may lose the notice; here both are in one multi.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from klamm.controller.core.ops import Create, Delete, Op, SetData
from klamm.controller.security.acls import (
    AccessRule,
    AclBinding,
    AclFilter,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.authorizer import Rules
from klamm.controller.store.port import (
    Children,
    Missing,
    Read,
    ReadChildren,
    ReadData,
    ReadResult,
    Unreadable,
    Znode,
)
from klamm.controller.store.transaction import Decision, Found, Note
from klamm.controller.znodes import acl, paths
from klamm.controller.znodes.errors import ZnodeError

#: So much of a name a line of the journal tells.
_NAME_SHOWN = 100


def _pascal(name: str) -> str:
    """Spell a constant as znodes do: DESCRIBE_CONFIGS is DescribeConfigs there."""
    return name.title().replace("_", "")


_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {_pascal(operation.name): operation for operation in Operation}
)
_PERMISSIONS: Mapping[str, Permission] = MappingProxyType(
    {_pascal(permission.name): permission for permission in Permission}
)

#: What has a child for each list.
PARENTS = tuple(
    f"{root}/{kind}"
    for root in (paths.ACLS, f"{paths.EXTENDED_ACLS}/prefixed")
    for kind in acl.RESOURCE_TYPES.values()
)


def stored_rule(rule: AccessRule) -> acl.Acl:
    """Return a rule as it is written."""
    return acl.Acl(
        rule.principal, _pascal(rule.permission.name), _pascal(rule.operation.name), rule.host
    )


def read_rule(stored: acl.Acl) -> AccessRule:
    """Return a rule as it is decided by; words that nobody knows are UNKNOWN and match nothing."""
    return AccessRule(
        stored.principal,
        stored.host,
        _OPERATIONS.get(stored.operation, Operation.UNKNOWN),
        _PERMISSIONS.get(stored.permission_type, Permission.UNKNOWN),
    )


def stored_pattern(pattern: ResourcePattern) -> acl.ResourcePattern:
    """Return a pattern in the words of its znodes."""
    kind: acl.PatternType = "LITERAL"
    if pattern.pattern_type is PatternType.PREFIXED:
        kind = "PREFIXED"
    return acl.ResourcePattern(pattern.resource_type.name, pattern.name, kind)


def pattern_at(path: str) -> ResourcePattern | None:
    """Return the pattern whose list is at a path; None if it is the path of none."""
    found = acl.pattern_at(path)
    if found is None:
        return None
    return ResourcePattern(
        ResourceType[found.resource_type], found.name, PatternType[found.pattern_type]
    )


def _rules(stored: Iterable[acl.Acl]) -> Rules:
    return frozenset(map(read_rule, stored))


@dataclass(slots=True)
class AclSurvey:
    """Reads lists: `reads` are to be carried out and their results fed, until there are none.

    `found` has what was read, None for a list that nobody can read; `faults` say why. `full` says
    that every list there is was to be read, `blind` that it is not known which those are: then
    `found` is not all.
    """

    reads: tuple[Read, ...]
    full: bool = False
    found: dict[ResourcePattern, Rules | None] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    blind: bool = False
    _next: list[Read] = field(default_factory=list)

    @classmethod
    def of_all(cls) -> "AclSurvey":
        """Read every list that there is."""
        return cls(tuple(ReadChildren(parent) for parent in PARENTS), full=True)

    @classmethod
    def of_some(cls, patterns: Iterable[ResourcePattern]) -> "AclSurvey":
        """Read these lists."""
        return cls(tuple(ReadData(stored_pattern(pattern).path) for pattern in sorted(patterns)))

    def feed(self, results: Sequence[ReadResult], *, last: bool = True) -> None:
        """Take results in; `last` says that all of `reads` are answered with them."""
        children: list[Read] = []
        for result in results:
            pattern = pattern_at(result.path)
            match result:
                case Children(path, names):
                    children.extend(ReadData(f"{path}/{name}") for name in names)
                case Unreadable(path, error):
                    self.faults.append(f"{path}: {error}")
                    self.blind |= pattern is None
                    if pattern is not None:
                        self.found[pattern] = None
                case Missing() if pattern is not None:
                    self.found[pattern] = frozenset()
                case Znode(path, data) if pattern is not None:
                    self._read(pattern, path, data)
                case _:
                    pass
        self._next.extend(children)
        if last:
            self.reads, self._next = tuple(self._next), []

    def _read(self, pattern: ResourcePattern, path: str, data: bytes | None) -> None:
        try:
            self.found[pattern] = _rules(acl.decode_acls(data, path).acls)
        except ZnodeError as fault:
            self.faults.append(str(fault))
            self.found[pattern] = None


@dataclass(frozen=True, slots=True)
class AclsChanged:
    """What a change of one list comes to: its rules from now on, and the bindings removed.

    Each of the latter has the number, from 0, of the first filter that meant it.
    """

    pattern: ResourcePattern
    rules: Rules
    removed: Mapping[AclBinding, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChangeAcls:
    """Adds rules to one list, and removes those that filters mean; an empty list is deleted."""

    pattern: ResourcePattern
    additions: tuple[AccessRule, ...] = ()
    removals: tuple[tuple[int, AclFilter], ...] = ()

    @property
    def reads(self) -> tuple[Read, ...]:
        """The list."""
        return (ReadData(stored_pattern(self.pattern).path),)

    def decide(self, found: tuple[Found, ...]) -> Decision[AclsChanged]:
        """Fold the change in; raises ZnodeError, and then nothing is overwritten."""
        (present,) = found
        place = stored_pattern(self.pattern)
        data = present.data if isinstance(present, Znode) else None
        before = acl.decode_acls(data, place.path)
        removed: dict[AclBinding, int] = {}
        kept = [each for each in before.acls if not self._removes(each, removed)]
        new = dict.fromkeys(map(stored_rule, self.additions))
        after = tuple(dict.fromkeys([*kept, *new]))
        result = AclsChanged(self.pattern, _rules(after), removed)
        if set(after) == set(before.acls):
            return Decision(result)
        notice = Create(place.change_prefix, acl.encode_acl_change(place), sequential=True)
        write: Op
        if not isinstance(present, Znode):
            write = Create(place.path, acl.encode_acls(acl.AclZnode(after)))
        elif after:
            changed = acl.encode_acls(acl.AclZnode(after, before.extra))
            write = SetData(place.path, changed, present.version)
        else:
            write = Delete(place.path, present.version)
        return Decision(result, (write, notice), note=_note(place, set(before.acls), set(after)))

    def _removes(self, stored: acl.Acl, removed: dict[AclBinding, int]) -> bool:
        """Tell whether a filter means the rule, and note which."""
        rule = read_rule(stored)
        for number, meant in self.removals:
            if meant.matches_rule(rule):
                removed[AclBinding(self.pattern, rule)] = number
                return True
        return False


def _note(place: acl.ResourcePattern, before: set[acl.Acl], after: set[acl.Acl]) -> Note:
    """Name the list, and say how many rules come and go."""
    about = f"{place.pattern_type} {place.resource_type}:{place.name[:_NAME_SHOWN]}"
    added, removed = len(after - before), len(before - after)
    return Note("acls-altered", f"{about}: {added} added, {removed} removed")
