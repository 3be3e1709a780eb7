"""Dynamic configs of topics, brokers, clients, users and addresses, and the notices of changes.

    /config/topics/T                {"version":1,"config":{"retention.ms":"1000"}}
    /config/changes/config_change_N {"version":2,"entity_path":"topics/T"}

Names of clients, users and addresses are percent-encoded in paths, those of topics are not. The
default entity of a kind is the literal `<default>`, which no encoded name can be.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

import msgspec

from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import Shape, dump, no_extra, parse
from klamm.controller.znodes.text import desanitize, sanitize

EntityKind = Literal["topics", "brokers", "clients", "users", "ips"]

_KINDS: Final[Mapping[str, EntityKind]] = {kind: kind for kind in get_args(EntityKind)}
_DEFAULT: Final = "<default>"
_PLAIN_KINDS: Final = frozenset({"topics", "brokers"})


class ConfigEntity(msgspec.Struct, frozen=True):
    """What a set of configs is for.

    `name` None is the default of its kind. Only users may have a `client` below them, an entity
    of kind "clients": the configs of that client when it is used by that user.
    """

    kind: EntityKind
    name: str | None
    client: "ConfigEntity | None" = None

    @property
    def entity_path(self) -> str:
        """The path below /config, e.g. users/alice/clients/<default>."""
        if self.name is None:
            name = _DEFAULT
        else:
            name = self.name if self.kind in _PLAIN_KINDS else sanitize(self.name)
        below = f"/{self.client.entity_path}" if self.client else ""
        return f"{self.kind}/{name}{below}"

    @property
    def path(self) -> str:
        """The full path of its config znode."""
        return f"{paths.CONFIG}/{self.entity_path}"


class ConfigZnode(msgspec.Struct, frozen=True):
    """The configs of one entity; `extra` holds keys that we do not know, written again."""

    config: Mapping[str, str] = msgspec.field(default_factory=dict)
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class _Json(msgspec.Struct):
    config: dict[str, str] | None = None
    version: Any = None


class _ChangeJson(msgspec.Struct):
    version: int
    entity_path: str | None = None
    entity_type: str | None = None
    entity_name: str | None = None


_SHAPE = Shape(_Json)
_CHANGE = msgspec.json.Decoder(_ChangeJson)


def decode_config(data: bytes | None, path: str) -> ConfigZnode:
    """Read an entity's configs; no data means none. Raises ZnodeError."""
    if not data:
        return ConfigZnode()
    fields, extra = _SHAPE.read(data, path)
    return ConfigZnode(fields.config or {}, extra)


def encode_config(znode: ConfigZnode) -> bytes:
    """Write an entity's configs."""
    return dump({**znode.extra, "version": 1, "config": dict(znode.config)})


def decode_config_change(data: bytes | None, path: str) -> ConfigEntity:
    """Read whose configs have changed, in version 2 or 1; raises ZnodeError."""
    fields = parse(_CHANGE, data, path)
    if fields.version == 1:
        entity_path = f"{fields.entity_type}/{fields.entity_name}"
        known = fields.entity_type in ("topics", "clients") and fields.entity_name is not None
    else:
        entity_path = fields.entity_path or ""
        known = fields.version == 2
    entity = parse_entity_path(entity_path) if known else None
    if entity is None:
        raise ZnodeError(path, f"version {fields.version} names no entity: {entity_path!r}")
    return entity


def encode_config_change(entity: ConfigEntity) -> bytes:
    """Write, in version 2, whose configs have changed."""
    return dump({"version": 2, "entity_path": entity.entity_path})


def parse_entity_path(entity_path: str) -> ConfigEntity | None:
    """Read a path below /config; return None if it is not that of an entity."""
    parts = entity_path.split("/")
    if len(parts) not in (2, 4) or "" in parts:
        return None
    kind = _KINDS.get(parts[0])
    client = None
    if len(parts) == 4:
        if (kind, parts[2]) != ("users", "clients"):
            return None
        client = ConfigEntity("clients", _name("clients", parts[3]))
    return ConfigEntity(kind, _name(kind, parts[1]), client) if kind else None


def _name(kind: EntityKind, part: str) -> str | None:
    if part == _DEFAULT:
        return None
    return part if kind in _PLAIN_KINDS else desanitize(part)
