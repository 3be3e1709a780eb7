"""Credentials of users in /config/users, read and altered: keys 50 and 51, and logins.

    /config/users/alice  {"version":1,"config":{"SCRAM-SHA-256":"salt=...,stored_key=...,
                          server_key=...,iterations=4096"}}

Quotas and whatever else is set for a user stay. Each change leaves a notice in /config/changes, by
which Kafka's brokers learn of it; klamm itself reads a credential when somebody logs in.
Source: Kafka 3.9, ZkAdminManager.scala (describeUserScramCredentials, alterUserScramCredentials),
AdminZkClient.changeUserOrUserClientIdConfig.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.security.scram import (
    SCRAM_MECHANISMS,
    ScramCredential,
    ScramMechanism,
    decode_credential,
    encode_credential,
)
from klamm.controller.store.port import Children, Missing, Read, ReadChildren, ReadData, Znode
from klamm.controller.store.transaction import Decision, Found, Note
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import (
    ConfigEntity,
    ConfigZnode,
    decode_config,
    encode_config,
    encode_config_change,
)
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.text import desanitize

#: The folder of all users' znodes.
USERS = f"{paths.CONFIG}/users"


def _entity(user: str) -> ConfigEntity:
    return ConfigEntity("users", user)


def _config(found: Found, path: str) -> ConfigZnode:
    return decode_config(found.data if isinstance(found, Znode) else None, path)


@dataclass(frozen=True, slots=True)
class FindCredential:
    """Reads the credential of a user for a mechanism; None if there is none."""

    user: str
    mechanism: ScramMechanism

    @property
    def reads(self) -> tuple[Read, ...]:
        """The user's znode."""
        return (ReadData(_entity(self.user).path),)

    def decide(self, found: tuple[Found, ...]) -> Decision[ScramCredential | None]:
        """Return it; raises ZnodeError if it cannot be understood."""
        path = _entity(self.user).path
        text = _config(found[0], path).config.get(self.mechanism.name)
        if text is None:
            return Decision(None)
        try:
            return Decision(decode_credential(text))
        except ValueError as error:
            raise ZnodeError(path, f"{self.mechanism.name}: {error}") from error


#: The iterations of each of a user's credentials, by the mechanism's number.
Iterations = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class DescribeCredentials:
    """Reads which credentials users have, None for one that has none."""

    users: tuple[str, ...]

    @property
    def reads(self) -> tuple[Read, ...]:
        """The users' znodes, and their folder, so that there is at least one."""
        return (ReadChildren(USERS), *(ReadData(_entity(user).path) for user in self.users))

    def decide(self, found: tuple[Found, ...]) -> Decision[Mapping[str, Iterations]]:
        """Return them by user; raises ZnodeError."""
        return Decision(
            {
                user: _iterations(_config(znode, _entity(user).path), _entity(user).path)
                for user, znode in zip(self.users, found[1:], strict=True)
            }
        )


@dataclass(frozen=True, slots=True)
class ListUsers:
    """Reads which users have configs of any kind."""

    @property
    def reads(self) -> tuple[Read, ...]:
        """The folder."""
        return (ReadChildren(USERS),)

    def decide(self, found: tuple[Found, ...]) -> Decision[tuple[str, ...]]:
        """Return their names, the default's left out."""
        [folder] = found
        names = folder.names if isinstance(folder, Children) else ()
        return Decision(tuple(sorted(desanitize(name) for name in names if name != "<default>")))


def _iterations(znode: ConfigZnode, path: str) -> Iterations:
    try:
        return {
            mechanism.number: decode_credential(znode.config[name]).iterations
            for name, mechanism in SCRAM_MECHANISMS.items()
            if name in znode.config
        }
    except ValueError as error:
        raise ZnodeError(path, str(error)) from error


@dataclass(frozen=True, slots=True)
class AlterCredentials:
    """Changes one user's credentials; None deletes one."""

    user: str
    changes: tuple[tuple[ScramMechanism, ScramCredential | None], ...]

    @property
    def reads(self) -> tuple[Read, ...]:
        """The user's znode."""
        return (ReadData(_entity(self.user).path),)

    def decide(self, found: tuple[Found, ...]) -> Decision[Done | Refusal]:
        """Fold the changes in, all or none; raises ZnodeError."""
        [present] = found
        entity = _entity(self.user)
        znode = _config(present, entity.path)
        configs = dict(znode.config)
        for mechanism, credential in self.changes:
            if credential is not None:
                configs[mechanism.name] = encode_credential(credential)
            elif configs.pop(mechanism.name, None) is None:
                return Decision(
                    Refusal(
                        Fault.RESOURCE_NOT_FOUND,
                        "Attempt to delete a user credential that does not exist",
                    )
                )
        data = encode_config(ConfigZnode(configs, znode.extra))
        write: Op = Create(entity.path, data)
        if not isinstance(present, Missing):
            assert isinstance(present, Znode), "data was read"
            write = SetData(entity.path, data, present.version)
        notice = Create(paths.CONFIG_CHANGE_PREFIX, encode_config_change(entity), sequential=True)
        told = ", ".join(
            f"{'unset' if credential is None else 'set'} {mechanism.name}"
            for mechanism, credential in self.changes
        )
        return Decision(
            Done(), (write, notice), note=Note("config-altered", f"users/{self.user}: {told}")
        )
