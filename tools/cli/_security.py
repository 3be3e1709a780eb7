"""The security of a local cluster: keys, certificates and users of its own, gone when it ends."""

import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from klamm.controller.core.ops import Create
from klamm.controller.runtime.properties import format_properties
from klamm.controller.runtime.sessions import Calls, OpenStore
from klamm.controller.security.credentials import USERS
from klamm.controller.security.plain import PLAIN
from klamm.controller.security.scram import SCRAM_MECHANISMS, credential_of, encode_credential
from klamm.controller.security.settings import ACL_AUTHORIZER, AUTHORIZER, SUPER_USERS
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import ConfigEntity, ConfigZnode, encode_config
from klamm.tools.certificates import Authority

#: As whom nodes and brokers log in to each other, and as whom people do.
INSIDE, OUTSIDE = "klamm", "admin"
#: As whom people log in who may do what access control lists allow.
GUEST = "guest"
#: What its tools are given, beside the administrator's file.
GUEST_FILE = "guest.properties"

_HOSTS = ("127.0.0.1", "localhost")
_MODULES = "org.apache.kafka.common.security"
_SALT_BYTES = 20


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for: TLS, certificates of clients, a login by a mechanism of SASL.

    With `authorizer`, which needs a login, access control lists count: nodes, brokers and the
    administrator are super users, and the guest is nobody in particular.
    """

    tls: bool = False
    client_certificates: bool = False
    sasl: str | None = None
    authorizer: bool = False

    @property
    def protocol(self) -> str:
        """Kafka's name of it, which is the listener's too."""
        below = "SSL" if self.tls else "PLAINTEXT"
        return f"SASL_{below}" if self.sasl else below


@dataclass(frozen=True, slots=True)
class LocalSecurity:
    """What nodes, brokers and clients are given; `users` have these passwords."""

    protocol: str = "PLAINTEXT"
    properties: Mapping[str, str] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    client_file: Path | None = None
    sasl: str | None = None
    users: Mapping[str, str] = field(default_factory=dict, repr=False)


@contextmanager
def local_security(wish: Wish) -> Iterator[LocalSecurity]:
    """Make what is asked for, in a folder that only its owner can read, while the block runs."""
    if wish.protocol == "PLAINTEXT":
        yield LocalSecurity()
        return
    with tempfile.TemporaryDirectory(prefix="klamm-security-") as name:
        folder = Path(name)
        properties = {"security.inter.broker.protocol": wish.protocol}
        client = {"security.protocol": wish.protocol}
        if wish.tls:
            _write_certificates(folder, wish, properties, client)
        names = (INSIDE, OUTSIDE, *([GUEST] if wish.authorizer else [])) if wish.sasl else ()
        users = {user: secrets.token_urlsafe(18) for user in names}
        if wish.sasl is not None:
            properties |= _sasl(wish.sasl, wish.protocol, users)
            client["sasl.mechanism"] = wish.sasl
            client["sasl.jaas.config"] = _jaas(wish.sasl, OUTSIDE, users)
        known = (INSIDE, OUTSIDE) if wish.sasl else (f"CN={INSIDE}", f"CN={OUTSIDE}")
        properties[SUPER_USERS] = ";".join(f"User:{each}" for each in known)
        if wish.authorizer:
            properties[AUTHORIZER] = ACL_AUTHORIZER
        file = folder / "client.properties"
        file.write_text(format_properties(client), encoding="iso-8859-1")
        if wish.sasl is not None and GUEST in users:
            as_guest = {**client, "sasl.jaas.config": _jaas(wish.sasl, GUEST, users)}
            file.with_name(GUEST_FILE).write_text(format_properties(as_guest), "iso-8859-1")
        yield LocalSecurity(wish.protocol, properties, client, file, wish.sasl, users)


def _write_certificates(
    folder: Path, wish: Wish, properties: dict[str, str], client: dict[str, str]
) -> None:
    authority = Authority.create()
    trust, inside, outside = (
        folder / name for name in ("authority.pem", "klamm.pem", "client.pem")
    )
    trust.write_text(authority.pem)
    inside.write_text(authority.issue(INSIDE, _HOSTS).pem)
    for given in (properties, client):
        given |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(trust)}
    properties |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(inside)}
    if wish.client_certificates:
        outside.write_text(authority.issue(OUTSIDE).pem)
        client |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(outside)}
        properties[f"listener.name.{wish.protocol.lower()}.ssl.client.auth"] = "required"


def _sasl(mechanism: str, protocol: str, users: Mapping[str, str]) -> dict[str, str]:
    known = users if mechanism == PLAIN else {}
    key = f"listener.name.{protocol.lower()}.{mechanism.lower()}.sasl.jaas.config"
    return {
        "sasl.enabled.mechanisms": mechanism,
        "sasl.mechanism.inter.broker.protocol": mechanism,
        key: _jaas(mechanism, INSIDE, users, known),
    }


def _jaas(
    mechanism: str, user: str, users: Mapping[str, str], known: Mapping[str, str] | None = None
) -> str:
    plain = mechanism == PLAIN
    module = f"{_MODULES}.{'plain.PlainLoginModule' if plain else 'scram.ScramLoginModule'}"
    options = {"username": user, "password": users[user]}
    options |= {f"user_{name}": password for name, password in (known or {}).items()}
    given = " ".join(f'{key}="{value}"' for key, value in options.items())
    return f"{module} required {given};"


async def create_users(security: LocalSecurity, open_store: OpenStore) -> None:
    """Give the users of a cluster their credentials, before anybody logs in."""
    if security.sasl is None or security.sasl == PLAIN:
        return
    mechanism = SCRAM_MECHANISMS[security.sasl]
    async with Calls(open_store) as calls:
        for path in (paths.CONFIG, USERS):
            await calls.update(Create(path, None))
        for user, password in security.users.items():
            credential = credential_of(mechanism, password, secrets.token_bytes(_SALT_BYTES))
            config = ConfigZnode({mechanism.name: encode_credential(credential)})
            path = ConfigEntity("users", user).path
            await calls.update(Create(path, encode_config(config)))
