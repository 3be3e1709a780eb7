"""DescribeUserScramCredentials (key 50).

Behaviour
    * Per user the mechanisms and iterations of its credentials, never a key. No users, or null,
      ask for all that have one.
    * CLUSTER_AUTHORIZATION_FAILED without DESCRIBE on the cluster.
    * DUPLICATE_RESOURCE for a user named twice, RESOURCE_NOT_FOUND for one without credentials.
    * Any node answers, from ZooKeeper: what was altered shows at once.
    Source: Kafka 3.9, KafkaApis.handleDescribeUserScramCredentialsRequest, ZkAdminManager.
    describeUserScramCredentials.

Version 0.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from klamm.controller.core.results import Refusal, shortened
from klamm.controller.handlers.api import Answer, Context, Outcome, Transact, error_code
from klamm.controller.security.acls import Operation
from klamm.controller.security.credentials import DescribeCredentials, Iterations, ListUsers
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from klamm.protocol.generated.describe_user_scram_credentials_response import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from klamm.protocol.message import Message

API_KEY = 50
VERSIONS = range(1)


def handle(context: Context, request: DescribeUserScramCredentialsRequest, version: int) -> Outcome:
    """Read the users asked for, or first who there is."""
    if not context.allows_cluster(Operation.DESCRIBE):
        code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        return Answer(DescribeUserScramCredentialsResponse(error_code=code, error_message=None))
    asked = [user.name for user in request.users or ()]
    if not asked:
        return Transact((ListUsers(),), _describe_all)
    counts = Counter(asked)
    users = tuple(user for user, count in counts.items() if count == 1)

    def respond(decided: Sequence[Any]) -> Message:
        [found] = decided
        if isinstance(found, Refusal):
            return _refused(found)
        results = tuple(_result(user, found) for user in counts)
        return DescribeUserScramCredentialsResponse(error_message=None, results=results)

    return Transact((DescribeCredentials(users),), respond)


def _describe_all(results: Sequence[Any]) -> Message | Transact:
    [users] = results
    if isinstance(users, Refusal):
        return _refused(users)
    return Transact((DescribeCredentials(users),), _all)


def _all(results: Sequence[Any]) -> Message:
    [found] = results
    if isinstance(found, Refusal):
        return _refused(found)
    some = (user for user, credentials in found.items() if credentials)
    results = tuple(_result(user, found) for user in some)
    return DescribeUserScramCredentialsResponse(error_message=None, results=results)


def _result(user: str, found: Mapping[str, Iterations]) -> DescribeUserScramCredentialsResult:
    if user not in found:
        text = (
            f"Cannot describe SCRAM credentials for the same user twice in a single request: {user}"
        )
        return DescribeUserScramCredentialsResult(
            user, ErrorCode.DUPLICATE_RESOURCE, shortened(text)
        )
    if not found[user]:
        text = f"Attempt to describe a user credential that does not exist: {user}"
        return DescribeUserScramCredentialsResult(
            user, ErrorCode.RESOURCE_NOT_FOUND, shortened(text)
        )
    return DescribeUserScramCredentialsResult(
        user,
        error_message=None,
        credential_infos=tuple(CredentialInfo(*each) for each in found[user].items()),
    )


def _refused(refusal: Refusal) -> DescribeUserScramCredentialsResponse:
    return DescribeUserScramCredentialsResponse(
        error_code=error_code(refusal.fault), error_message=refusal.message
    )
