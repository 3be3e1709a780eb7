"""What calls fail with: one class per error code that a caller may want to tell from others.

::

    AdminError
    +-- ApiError                    a node answered with an error code: `.code`, `.message`
    |   +-- NoReassignmentInProgressError, NotControllerError, ...   one per code of the table
    +-- AuthenticationError         TLS or SASL failed: wrong name, password or certificate
    +-- DisconnectedError           a node ended the connection before it answered
    +-- TimeoutError_               no answer within the time of the call
    +-- UnsupportedVersionError     no version of the request is known to both sides
    +-- UnsendableError             a value is given that no request can carry
    +-- ClosedError                 the client was closed before there was an answer

What was behind an error is its `__cause__`. The texts are those of Kafka's
`org.apache.kafka.common.protocol.Errors`, where a node sends none; tools print them.
"""

from __future__ import annotations

from typing import ClassVar

from klamm.protocol.error_codes import ErrorCode

_KNOWN: frozenset[int] = frozenset(ErrorCode)


class AdminError(Exception):
    """A call failed; the text says why."""

    @property
    def message(self) -> str:
        """What tools print."""
        return str(self)


class AuthenticationError(AdminError):
    """A node does not take our credentials, or we not its certificate; trying again is in vain."""


class DisconnectedError(AdminError):
    """A node ended the connection, or broke the protocol, before it answered."""


class ClosedError(AdminError):
    """The client was closed before there was an answer."""


class TimeoutError_(AdminError, TimeoutError):
    """There was no answer within the time of the call; the request may have been done."""


class UnsupportedVersionError(AdminError):
    """No version of the request is known to both sides, or none that can say what is asked."""


class UnsendableError(AdminError, ValueError):
    """A value is given that no request can carry; the text names it."""


class ApiError(AdminError):
    """A node answered with an error code.

    >>> error_of(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, None)
    NoReassignmentInProgressError('No partition reassignment is in progress.')
    >>> error_of(ErrorCode.NOT_CONTROLLER, "node 3 is").code
    <ErrorCode.NOT_CONTROLLER: 41>
    """

    #: The code of a class that has one; a plain ApiError has that of its instance.
    CODE: ClassVar[ErrorCode] = ErrorCode.UNKNOWN_SERVER_ERROR
    TEXT: ClassVar[str] = "The server experienced an unexpected error when processing the request."

    def __init__(
        self, message: str | None = None, code: int | None = None, cause: Exception | None = None
    ) -> None:
        super().__init__(message or self.TEXT)
        number = self.CODE if code is None else code
        self.code: int = ErrorCode(number) if number in _KNOWN else number
        if cause is not None:
            self.__cause__ = cause


class UnknownTopicOrPartitionError(ApiError):
    """There is no such topic or partition, or none that this client may see."""

    CODE = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    TEXT = "This server does not host this topic-partition."


class LeaderNotAvailableError(ApiError):
    """The partition has no leader now."""

    CODE = ErrorCode.LEADER_NOT_AVAILABLE
    TEXT = "There is no leader for this topic-partition now."


class RequestTimedOutError(ApiError):
    """The node could not finish within the time that the request gave it."""

    CODE = ErrorCode.REQUEST_TIMED_OUT
    TEXT = "The request timed out."


class ReplicaNotAvailableError(ApiError):
    """The broker has no such replica."""

    CODE = ErrorCode.REPLICA_NOT_AVAILABLE
    TEXT = "The replica is not available for the requested topic-partition."


class InvalidTopicError(ApiError):
    """A topic cannot have that name, or is being deleted."""

    CODE = ErrorCode.INVALID_TOPIC_EXCEPTION
    TEXT = "The request attempted to perform an operation on an invalid topic."


class TopicAuthorizationFailedError(ApiError):
    """This client may not do that to the topic."""

    CODE = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    TEXT = "Topic authorization failed."


class ClusterAuthorizationFailedError(ApiError):
    """This client may not do that to the cluster."""

    CODE = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    TEXT = "Cluster authorization failed."


class TopicAlreadyExistsError(ApiError):
    """There is a topic of that name."""

    CODE = ErrorCode.TOPIC_ALREADY_EXISTS
    TEXT = "Topic with this name already exists."


class InvalidPartitionsError(ApiError):
    """A topic cannot have that many partitions."""

    CODE = ErrorCode.INVALID_PARTITIONS
    TEXT = "Number of partitions is below 1."


class InvalidReplicationFactorError(ApiError):
    """A topic cannot have that many replicas, or was not to get them."""

    CODE = ErrorCode.INVALID_REPLICATION_FACTOR
    TEXT = "Replication factor is below 1 or larger than the number of available brokers."


class InvalidReplicaAssignmentError(ApiError):
    """A partition cannot have those replicas."""

    CODE = ErrorCode.INVALID_REPLICA_ASSIGNMENT
    TEXT = "Replica assignment is invalid."


class InvalidConfigError(ApiError):
    """A config cannot have that value."""

    CODE = ErrorCode.INVALID_CONFIG
    TEXT = "Configuration is invalid."


class NotControllerError(ApiError):
    """The node is not the controller; clients look for the one that is, and ask again."""

    CODE = ErrorCode.NOT_CONTROLLER
    TEXT = "This is not the correct controller for this cluster."


class InvalidRequestError(ApiError):
    """A request contradicts itself or cannot be done in this way."""

    CODE = ErrorCode.INVALID_REQUEST
    TEXT = (
        "This most likely occurs because of a request being malformed by the client library or"
        " the message was sent to an incompatible broker. See the broker logs for more details."
    )


class PolicyViolationError(ApiError):
    """The cluster's policy forbids it."""

    CODE = ErrorCode.POLICY_VIOLATION
    TEXT = "Request parameters do not satisfy the configured policy."


class SecurityDisabledError(ApiError):
    """The cluster has no authorizer."""

    CODE = ErrorCode.SECURITY_DISABLED
    TEXT = "Security features are disabled."


class KafkaStorageError(ApiError):
    """A disk of the broker failed."""

    CODE = ErrorCode.KAFKA_STORAGE_ERROR
    TEXT = "Disk error when trying to access log file on the disk."


class LogDirNotFoundError(ApiError):
    """The broker has no such log directory."""

    CODE = ErrorCode.LOG_DIR_NOT_FOUND
    TEXT = "The user-specified log directory is not found in the broker config."


class ReassignmentInProgressError(ApiError):
    """A reassignment of the partition or topic stands in the way."""

    CODE = ErrorCode.REASSIGNMENT_IN_PROGRESS
    TEXT = "A partition reassignment is in progress."


class TopicDeletionDisabledError(ApiError):
    """The cluster deletes no topics."""

    CODE = ErrorCode.TOPIC_DELETION_DISABLED
    TEXT = "Topic deletion is disabled."


class PreferredLeaderNotAvailableError(ApiError):
    """The first replica is not alive and in sync."""

    CODE = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    TEXT = "The preferred leader was not available."


class EligibleLeadersNotAvailableError(ApiError):
    """No replica is alive that could lead."""

    CODE = ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    TEXT = "Eligible topic partition leaders are not available."


class ElectionNotNeededError(ApiError):
    """The partition has the leader that was asked for."""

    CODE = ErrorCode.ELECTION_NOT_NEEDED
    TEXT = "Leader election not needed for topic partition."


class NoReassignmentInProgressError(ApiError):
    """There is nothing to cancel: the partition is not being moved."""

    CODE = ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    TEXT = "No partition reassignment is in progress."


class ResourceNotFoundError(ApiError):
    """There is no such resource, such as the credentials of a user."""

    CODE = ErrorCode.RESOURCE_NOT_FOUND
    TEXT = "A request illegally referred to a resource that does not exist."


class DuplicateResourceError(ApiError):
    """A request names a resource twice."""

    CODE = ErrorCode.DUPLICATE_RESOURCE
    TEXT = "A request illegally referred to the same resource twice."


class UnacceptableCredentialError(ApiError):
    """Credentials cannot be kept as they are: too few iterations, no name."""

    CODE = ErrorCode.UNACCEPTABLE_CREDENTIAL
    TEXT = "Requested credential would not meet criteria for acceptability."


_CLASSES: dict[int, type[ApiError]] = {kind.CODE: kind for kind in ApiError.__subclasses__()}


def error_of(code: int, message: str | None, cause: Exception | None = None) -> AdminError:
    """Return the error of a code other than 0; without a message it has Kafka's own."""
    if code == ErrorCode.UNSUPPORTED_VERSION:
        error = UnsupportedVersionError(message or "The version of API is not supported.")
        error.__cause__ = cause
        return error
    if kind := _CLASSES.get(code):
        return kind(message, cause=cause)
    return ApiError(message or _plain(code), code, cause)


def raise_for(code: int, message: str | None = None) -> None:
    """Raise the error of a code unless it is 0."""
    if code != ErrorCode.NONE:
        raise error_of(code, message)


def _plain(code: int) -> str | None:
    if code == ErrorCode.UNKNOWN_SERVER_ERROR:
        return None
    return f"error {code} ({ErrorCode(code).name if code in _KNOWN else 'unknown to klamm'})"
