"""Keys 50 and 51: credentials of users for SCRAM (KIP-554)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import IntEnum

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from klamm.protocol.generated.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
)
from klamm.protocol.generated.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from klamm.protocol.generated.describe_user_scram_credentials_response import (
    DescribeUserScramCredentialsResponse,
)
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import AdminError, error_of, raise_for
from klamm.tools.admin.routing import Session

_DESCRIBE = api(
    "describeUserScramCredentials",
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
)
_ALTER = api(
    "alterUserScramCredentials",
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
)

_SALT_BYTES = 32
#: What kafka-configs takes unless told otherwise.
ITERATIONS = 4096


class ScramMechanism(IntEnum):
    """The two mechanisms, with Kafka's codes (ScramMechanism.java of the admin client)."""

    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2

    @property
    def hash_name(self) -> str:
        """The hash function, as hashlib calls it."""
        return "sha256" if self is ScramMechanism.SCRAM_SHA_256 else "sha512"


@dataclass(frozen=True, slots=True)
class ScramCredentialInfo:
    """What may be known of a credential."""

    mechanism: ScramMechanism
    iterations: int


@dataclass(frozen=True, slots=True)
class ScramUpsertion:
    """A password for a user; the cluster gets what it is salted and hashed to, never itself."""

    user: str
    mechanism: ScramMechanism
    password: str = field(repr=False)
    iterations: int = ITERATIONS
    salt: bytes = field(
        default_factory=lambda: secrets.token_bytes(_SALT_BYTES), repr=False, compare=False
    )

    @property
    def salted_password(self) -> bytes:
        """Hi(password, salt, iterations) of RFC 5802, which is PBKDF2; slow on purpose."""
        return hashlib.pbkdf2_hmac(
            self.mechanism.hash_name, self.password.encode(), self.salt, self.iterations
        )


@dataclass(frozen=True, slots=True)
class ScramDeletion:
    """The credential of a user for a mechanism, to be deleted."""

    user: str
    mechanism: ScramMechanism


async def describe(
    session: Session, users: Collection[str] | None
) -> dict[str, tuple[ScramCredentialInfo, ...]]:
    """Return what is known of the credentials of users, of all without names."""
    names = None if users is None else tuple(UserName(user) for user in users)
    answer = await session.ask(
        _DESCRIBE, Place.ANY, lambda _: DescribeUserScramCredentialsRequest(names)
    )
    raise_for(answer.error_code, answer.error_message)
    found = {}
    for result in answer.results:
        if result.error_code == ErrorCode.RESOURCE_NOT_FOUND:
            continue
        raise_for(result.error_code, result.error_message)
        found[result.user] = tuple(
            ScramCredentialInfo(ScramMechanism(info.mechanism), info.iterations)
            for info in result.credential_infos
        )
    return found


async def alter(
    session: Session, changes: Collection[ScramUpsertion | ScramDeletion]
) -> dict[str, AdminError | None]:
    """Set and delete credentials; the outcome of each user."""
    request = AlterUserScramCredentialsRequest(
        tuple(
            ScramCredentialDeletion(change.user, change.mechanism)
            for change in changes
            if isinstance(change, ScramDeletion)
        ),
        tuple(
            ScramCredentialUpsertion(
                change.user,
                change.mechanism,
                change.iterations,
                change.salt,
                change.salted_password,
            )
            for change in changes
            if isinstance(change, ScramUpsertion)
        ),
    )
    answer = await session.ask(
        _ALTER,
        Place.CONTROLLER,
        lambda _: request,
        lambda response: [result.error_code for result in response.results],
    )
    return {
        result.user: error_of(result.error_code, result.error_message)
        if result.error_code
        else None
        for result in answer.results
    }
