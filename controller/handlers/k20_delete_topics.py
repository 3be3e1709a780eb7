"""DeleteTopics (key 20).

Behaviour
    * One result per entry, in request order; topics are named, or from version 6 on also given by
      their ids. An entry that is refused does not stop the others.
    * Not the active controller: NOT_CONTROLLER per topic, as there is no top level.
    * delete.topic.enable=false: TOPIC_DELETION_DISABLED per topic, INVALID_REQUEST before
      version 3.
    * Without DELETE on the topic: TOPIC_AUTHORIZATION_FAILED, whether or not it exists; who may not
      even describe it is not told the name of an id.
    * An entry with a name and an id, or with neither, is INVALID_REQUEST; an unknown id
      UNKNOWN_TOPIC_ID, an unknown name UNKNOWN_TOPIC_OR_PARTITION. A topic that occurs twice is
      deleted once, and every entry of it tells so.
    * The response comes when the wish is durable and Metadata shows the topic no more; logs and
      znodes go later. A topic that moves is queued until its move ends; when `timeout_ms` is over
      it is answered REQUEST_TIMED_OUT, and the deletion goes on by itself.
    Source: Kafka 3.9, KafkaApis.handleDeleteTopicsRequest, ZkAdminManager.deleteTopics.

Versions 0-6
    3     TOPIC_DELETION_DISABLED
    5     error messages
    6     ids

Left out: nothing.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from klamm.controller.core.deletion import UNKNOWN
from klamm.controller.core.events import DeleteTopic
from klamm.controller.core.results import NOT_CONTROLLER, Done, Fault, Refusal, Result
from klamm.controller.handlers.api import (
    TOPIC_DENIED_TEXT,
    Answer,
    Context,
    Outcome,
    Submit,
    Timeout,
    error_code,
)
from klamm.controller.security.acls import Operation, ResourceType
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from klamm.protocol.generated.delete_topics_response import (
    DeletableTopicResult,
    DeleteTopicsResponse,
)
from klamm.protocol.message import Message
from klamm.protocol.primitives import ZERO_UUID

API_KEY = 20
VERSIONS = range(7)

#: Before this version INVALID_REQUEST stands for TOPIC_DELETION_DISABLED.
FIRST_WITH_DISABLED = 3


def handle(context: Context, request: DeleteTopicsRequest, version: int) -> Outcome:
    """Find the topics that are meant, refuse those that cannot be, hand the rest to the core."""
    asked = request.topics or tuple(DeleteTopicState(name) for name in request.topic_names)
    if context.state is None:
        return Answer(_response(_refused(topic, ErrorCode.NOT_CONTROLLER) for topic in asked))
    names = _names_by_id(context) if request.topics else {}
    meant = [names.get(topic.topic_id, topic.name) for topic in asked]
    refusals = [_check(context, topic, name) for topic, name in zip(asked, meant, strict=True)]
    wanted = dict.fromkeys(
        name
        for name, refusal in zip(meant, refusals, strict=True)
        if refusal is None and name is not None
    )

    def respond(results: Sequence[Result]) -> Message:
        found = dict(zip(wanted, results, strict=True))
        return _response(
            refusal or _result(topic, name, found[name or ""], version)
            for topic, name, refusal in zip(asked, meant, refusals, strict=True)
        )

    known = context.state.topics.keys()

    def late(now: Context) -> Message:
        return respond([_after_timeout(now, name) if name in known else UNKNOWN for name in wanted])

    events = tuple(DeleteTopic(name) for name in wanted)
    if not events:
        return Answer(respond(()))
    return Submit(events, respond, Timeout(request.timeout_ms / 1000, late))


def _after_timeout(now: Context, name: str) -> Result:
    """Tell what has become of a topic that was to be deleted: whether clients still see it."""
    if now.state is None:
        return NOT_CONTROLLER
    if name in now.state.topics and not now.state.vanishing(name):
        text = f"Topic '{name}' is marked for deletion, which waits for its reassignment to end."
        return Refusal(Fault.REQUEST_TIMED_OUT, text)
    return Done()


def _names_by_id(context: Context) -> dict[UUID, str]:
    """The topics that clients can know by an id."""
    topics = context.metadata.topics.values()
    return {topic.topic_id: topic.name for topic in topics if topic.topic_id is not None}


def _check(
    context: Context, topic: DeleteTopicState, name: str | None
) -> DeletableTopicResult | None:
    """Return the refusal of an entry that does not name one topic that may be deleted, or None."""
    by_id = topic.topic_id != ZERO_UUID
    if by_id and topic.name is not None:
        text = "Topic name and topic ID can not both be specified."
        return _refused(topic, ErrorCode.INVALID_REQUEST, text)
    if not by_id and topic.name is None:
        text = "Neither a topic name nor a topic ID is specified."
        return _refused(topic, ErrorCode.INVALID_REQUEST, text)
    if name is None:
        text = "This server does not host this topic ID."
        return _refused(topic, ErrorCode.UNKNOWN_TOPIC_ID, text)
    denied = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    if by_id and not context.allows(Operation.DESCRIBE, ResourceType.TOPIC, name):
        return DeletableTopicResult(None, topic.topic_id, denied, TOPIC_DENIED_TEXT)
    if not context.allows(Operation.DELETE, ResourceType.TOPIC, name):
        return DeletableTopicResult(name, topic.topic_id, denied, TOPIC_DENIED_TEXT)
    return None


def _result(
    topic: DeleteTopicState, name: str | None, result: Result, version: int
) -> DeletableTopicResult:
    if not isinstance(result, Refusal):
        return DeletableTopicResult(name, topic.topic_id)
    code = error_code(result.fault)
    if result.fault is Fault.NOT_CONTROLLER:
        return _refused(topic, code)
    if result.fault is Fault.TOPIC_DELETION_DISABLED and version < FIRST_WITH_DISABLED:
        code = ErrorCode.INVALID_REQUEST
    return DeletableTopicResult(name, topic.topic_id, code, result.message)


def _refused(
    topic: DeleteTopicState, code: ErrorCode, message: str | None = None
) -> DeletableTopicResult:
    return DeletableTopicResult(topic.name, topic.topic_id, code, message)


def _response(results: Iterable[DeletableTopicResult]) -> DeleteTopicsResponse:
    return DeleteTopicsResponse(responses=tuple(results))
