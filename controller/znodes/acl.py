"""Access control lists and the notices of changes (kafka.zk.ZkAclStore).

/kafka-acl/Topic/foo                     rules for the resource of exactly that name
/kafka-acl-extended/prefixed/Topic/foo   rules for every resource whose name starts so
    {"version":1,"acls":[{"principal":"User:a","permissionType":"Allow","operation":"Read",
                          "host":"*"}]}
/kafka-acl-changes/acl_changes_N             TOPIC:foo
/kafka-acl-extended-changes/acl_changes_N
    {"version":1,"resourceType":"TOPIC","name":"foo","patternType":"PREFIXED"}
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import Shape, dump, no_extra, parse, shown

PatternType = Literal["LITERAL", "PREFIXED"]

RESOURCE_TYPES: Final[Mapping[str, str]] = {
    "TOPIC": "Topic",
    "GROUP": "Group",
    "CLUSTER": "Cluster",
    "TRANSACTIONAL_ID": "TransactionalId",
    "DELEGATION_TOKEN": "DelegationToken",
    "USER": "User",
}
"""The types by their names in notices, with their names in paths."""

#: ZooKeeper looks at characters of 16 bits: of those beyond it sees surrogates, which it refuses.
_UNSTORABLE = re.compile(r"[/\x00-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\U0010ffff]")
_BY_PATH_NAME = {in_path: name for name, in_path in RESOURCE_TYPES.items()}

ACL_PATHS: Final = (
    paths.ACLS,
    *(f"{paths.ACLS}/{name}" for name in RESOURCE_TYPES.values()),
    paths.ACL_CHANGES,
    paths.EXTENDED_ACLS,
    f"{paths.EXTENDED_ACLS}/prefixed",
    *(f"{paths.EXTENDED_ACLS}/prefixed/{name}" for name in RESOURCE_TYPES.values()),
    paths.EXTENDED_ACL_CHANGES,
)
"""What an authorizer needs, parents first, all made with null data."""


class ResourcePattern(msgspec.Struct, frozen=True):
    """The resources that a list is for; `resource_type` is a key of RESOURCE_TYPES."""

    resource_type: str
    name: str
    pattern_type: PatternType = "LITERAL"

    @property
    def path(self) -> str:
        """The path of its access control list."""
        parent = paths.ACLS
        if self.pattern_type != "LITERAL":
            parent = f"{paths.EXTENDED_ACLS}/{self.pattern_type.lower()}"
        return f"{parent}/{RESOURCE_TYPES[self.resource_type]}/{self.name}"

    @property
    def change_prefix(self) -> str:
        """The path, less the number, of a notice that its list has changed."""
        if self.pattern_type == "LITERAL":
            return paths.ACL_CHANGE_PREFIX
        return paths.EXTENDED_ACL_CHANGE_PREFIX


class Acl(msgspec.Struct, frozen=True, rename="camel"):
    """One rule, in the spelling of the znode: "Allow" or "Deny", "Read", "DescribeConfigs", ..."""

    principal: str
    permission_type: str
    operation: str
    host: str


class AclZnode(msgspec.Struct, frozen=True):
    """The rules for one pattern; `extra` holds keys that we do not know, written again."""

    acls: tuple[Acl, ...] = ()
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class _Json(msgspec.Struct):
    acls: tuple[Acl, ...]
    version: Any = None


class _ChangeJson(msgspec.Struct, rename="camel"):
    resource_type: str
    name: str
    pattern_type: PatternType


_SHAPE = Shape(_Json)
_CHANGE = msgspec.json.Decoder(_ChangeJson)


def pattern_at(path: str) -> ResourcePattern | None:
    """Return the pattern whose list is at a path; None if it is the path of none."""
    extended = f"{paths.EXTENDED_ACLS}/prefixed/"
    prefixed = path.startswith(extended)
    rest = path.removeprefix(extended if prefixed else f"{paths.ACLS}/")
    kind, slash, name = rest.partition("/")
    resource_type = _BY_PATH_NAME.get(kind)
    if resource_type is None or not slash or not name or "/" in name:
        return None
    return ResourcePattern(resource_type, name, "PREFIXED" if prefixed else "LITERAL")


def unstorable(name: str) -> bool:
    """Tell whether no znode can have this name, so that there cannot be a list for it.

    Source: ZooKeeper 3.8, PathUtils.validatePath.
    """
    return name in ("", ".", "..") or _UNSTORABLE.search(name) is not None


def decode_acls(data: bytes | None, path: str) -> AclZnode:
    """Read an access control list; no data means no rules. Raises ZnodeError."""
    if not data:
        return AclZnode()
    fields, extra = _SHAPE.read(data, path)
    return AclZnode(fields.acls, extra)


def encode_acls(znode: AclZnode) -> bytes:
    """Write an access control list."""
    return dump({**znode.extra, "version": 1, "acls": znode.acls})


def decode_acl_change(data: bytes | None, path: str) -> ResourcePattern:
    """Read whose list has changed, from a notice of either kind; raises ZnodeError."""
    if path.startswith(f"{paths.EXTENDED_ACL_CHANGES}/"):
        fields = parse(_CHANGE, data, path)
        resource_type, name, pattern_type = fields.resource_type, fields.name, fields.pattern_type
    else:
        resource_type, name = _split(data, path)
        pattern_type = "LITERAL"
    resource_type = _BY_PATH_NAME.get(resource_type, resource_type)
    if resource_type not in RESOURCE_TYPES:
        raise ZnodeError(path, f"{resource_type[:40]!r} is no resource type")
    return ResourcePattern(resource_type, name, pattern_type)


def encode_acl_change(pattern: ResourcePattern) -> bytes:
    """Write a notice, for a path that starts with the pattern's `change_prefix`."""
    if pattern.pattern_type == "LITERAL":
        return f"{pattern.resource_type}:{pattern.name}".encode()
    return dump(
        {
            "version": 1,
            "resourceType": pattern.resource_type,
            "name": pattern.name,
            "patternType": pattern.pattern_type,
        }
    )


def _split(data: bytes | None, path: str) -> tuple[str, str]:
    if data is None:
        raise ZnodeError(path, "it holds no data")
    try:
        resource_type, colon, name = data.decode().partition(":")
    except UnicodeDecodeError as error:
        raise ZnodeError(path, f"{error}, in {shown(data)}") from error
    if not colon:
        raise ZnodeError(path, f"it is not TYPE:name: {shown(data)}")
    return resource_type, name
