"""AlterUserScramCredentials (key 51).

Behaviour
    * One result per user; all that is asked of a user is done, or nothing.
    * NOT_CONTROLLER for each user on any other node; CLUSTER_AUTHORIZATION_FAILED for each without
      ALTER on the cluster.
    * UNACCEPTABLE_CREDENTIAL for a user without a name and for iterations below 4096 or above
      16384, UNSUPPORTED_SASL_MECHANISM for an unknown one, DUPLICATE_RESOURCE for a credential
      named twice, RESOURCE_NOT_FOUND for the deletion of what there is not.
    * The client salts the password; what comes is made a credential here and stored, with the
      notice by which brokers learn of it, as one multi.
    Source: Kafka 3.9, KafkaApis.handleAlterUserScramCredentialsRequest, ZkAdminManager.
    alterUserScramCredentials.

Version 0.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from klamm.controller.core.results import Refusal
from klamm.controller.handlers.api import (
    CLUSTER_DENIED_TEXT,
    NOT_CONTROLLER_TEXT,
    Answer,
    Context,
    Outcome,
    Transact,
    error_code,
)
from klamm.controller.security.acls import Operation
from klamm.controller.security.credentials import AlterCredentials
from klamm.controller.security.scram import (
    DEFAULT_ITERATIONS,
    SCRAM_MECHANISMS,
    ScramCredential,
    ScramMechanism,
    from_salted,
)
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from klamm.protocol.generated.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from klamm.protocol.message import Message

API_KEY = 51
VERSIONS = range(1)

_MOST_ITERATIONS = 16384
_BY_NUMBER = {mechanism.number: mechanism for mechanism in SCRAM_MECHANISMS.values()}

_Change = ScramCredentialDeletion | ScramCredentialUpsertion
_Fault = tuple[ErrorCode, str]


def handle(context: Context, request: AlterUserScramCredentialsRequest, version: int) -> Outcome:
    """Alter what the request alone does not show to be wrong."""
    changes: tuple[_Change, ...] = (*request.upsertions, *request.deletions)
    users = tuple(dict.fromkeys(change.name for change in changes))
    faults: dict[str, _Fault] = {}
    if context.state is None:
        faults = dict.fromkeys(users, (ErrorCode.NOT_CONTROLLER, NOT_CONTROLLER_TEXT))
    elif not context.allows_cluster(Operation.ALTER):
        denied = ErrorCode.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT
        faults = dict.fromkeys(users, denied)
    else:
        faults = _faults(changes)
    plans = tuple(_plan(user, changes) for user in users if user not in faults)

    def respond(results: Sequence[Any]) -> Message:
        rest = iter(results)
        return AlterUserScramCredentialsResponse(
            results=tuple(
                _result(user, faults[user] if user in faults else next(rest)) for user in users
            )
        )

    return Transact(plans, respond) if plans else Answer(respond(()))


def _faults(changes: Sequence[_Change]) -> dict[str, _Fault]:
    """Return what is wrong with each user's changes, whatever ZooKeeper holds."""
    faults: dict[str, _Fault] = {}
    for change in changes:
        fault = _fault(change)
        if fault is not None:
            faults.setdefault(change.name, fault)
    named = Counter((change.name, change.mechanism) for change in changes)
    for (user, _), count in named.items():
        if count > 1:
            text = "A user credential cannot be altered twice in the same request"
            faults.setdefault(user, (ErrorCode.DUPLICATE_RESOURCE, text))
    return faults


def _fault(change: _Change) -> _Fault | None:
    if not change.name:
        return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"
    if change.mechanism not in _BY_NUMBER:
        return ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"
    if isinstance(change, ScramCredentialUpsertion):
        if change.iterations > _MOST_ITERATIONS:
            return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations"
        if change.iterations < DEFAULT_ITERATIONS:
            return ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"
    return None


def _plan(user: str, changes: Sequence[_Change]) -> AlterCredentials:
    return AlterCredentials(
        user, tuple(_altered(change) for change in changes if change.name == user)
    )


def _altered(change: _Change) -> tuple[ScramMechanism, ScramCredential | None]:
    mechanism = _BY_NUMBER[change.mechanism]
    if isinstance(change, ScramCredentialDeletion):
        return mechanism, None
    return mechanism, from_salted(mechanism, change.salted_password, change.salt, change.iterations)


def _result(user: str, outcome: Any) -> AlterUserScramCredentialsResult:  # noqa: ANN401
    match outcome:
        case Refusal(fault, message):
            return AlterUserScramCredentialsResult(user, error_code(fault), message)
        case (code, text):
            return AlterUserScramCredentialsResult(user, code, text)
        case _:
            return AlterUserScramCredentialsResult(user, error_message=None)
