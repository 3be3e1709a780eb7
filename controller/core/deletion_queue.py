"""Which topics are to be deleted: requests, and the children of /admin/delete_topics.

Source: Kafka 3.9, ZkAdminManager.scala (deleteTopics) and KafkaController.scala,
processTopicDeletion. What becomes of a queued topic is decided in `core.deletion`.
"""

from dataclasses import replace

from klamm.controller.core.changes import SetAwaiting, SetDeletion
from klamm.controller.core.deletion import (
    UNKNOWN,
    begun,
    farewell,
    is_changing,
)
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import (
    Cause,
    CheckDeletion,
    DeleteTopic,
    DeletionsRead,
    RemoveZnode,
)
from klamm.controller.core.model import Deletion, Topic
from klamm.controller.core.ops import Create
from klamm.controller.core.plan import Entry, Message
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.topic_checks import debts_unreadable, is_moving, unreadable
from klamm.controller.znodes import paths

DISABLED = Refusal(Fault.TOPIC_DELETION_DISABLED, "Topic deletion is disabled.")


def delete(draft: Draft, cause: Cause, event: DeleteTopic) -> None:
    """Queue the topic, and start at once if nothing of it moves; or say why not.

    Whoever asks is answered when it starts: until then clients see the topic. One whose deletion
    has started is unknown to them, and one that is created in this very turn is not known yet.
    One that is queued already is fine.
    """
    name = event.name
    topic, queued = draft.topic(name), draft.deleting.get(name)
    refusal = _check(draft, name, topic)
    if name in draft.queued:
        _queue_with(draft, cause, name, draft.deleting[name])
    elif refusal or topic is None:
        draft.settle(cause, refusal)
    elif queued is not None:
        draft.queue(name, replace(queued, waiters=(*queued.waiters, cause.id)))
        draft.deletion_checks[name] = CheckDeletion(name)
        draft.settle(cause)
    elif is_moving(draft, topic) or is_changing(draft, name):
        _queue(draft, cause, name, Deletion(waiters=(cause.id,)))
    else:
        deletion = begun(draft, topic)
        messages = tuple(farewell(draft, topic, deletion))
        _queue(draft, cause, name, deletion, messages, ((cause.id, Done()),))


def _check(draft: Draft, name: str, topic: Topic | None) -> Refusal | None:
    if not draft.settings.delete_topic_enable:
        return DISABLED
    if topic is None or name in draft.creations or draft.vanishing(name):
        return unreadable(draft, name) or UNKNOWN
    return unreadable(draft, name) or debts_unreadable(draft, name)


def _queue(
    draft: Draft,
    cause: Cause,
    name: str,
    deletion: Deletion,
    messages: tuple[Message, ...] = (),
    results: tuple[tuple[int, Done | Refusal], ...] = (),
) -> None:
    """Record the wish in ZooKeeper; what else follows from it is true with that."""
    kind = "deletion-started" if deletion.started else "deletion-queued"
    released = draft.owing(name) if deletion.started else ()
    draft.queued[name] = len(draft.steps)
    draft.deleting[name] = deletion
    draft.steps.append(
        Step(
            (cause.id,),
            (Create(paths.delete_topic(name), None),),
            (SetDeletion(name, deletion), *(SetAwaiting(tp, None) for tp in released)),
            messages,
            results,
            (Entry(kind, "", cause.id, None, name),),
            (CheckDeletion(name),),
        )
    )


def _queue_with(draft: Draft, cause: Cause, name: str, deletion: Deletion) -> None:
    """Let a second request of one turn for the same topic share what comes of the first."""
    place = draft.queued[name]
    step = draft.steps[place]
    changes = step.changes
    if not step.results:
        deletion = replace(deletion, waiters=(*deletion.waiters, cause.id))
        draft.deleting[name] = deletion
        changes = (SetDeletion(name, deletion),)
    draft.steps[place] = replace(
        step,
        causes=(*step.causes, cause.id),
        changes=changes,
        results=(*step.results, *((cause.id, result) for _, result in step.results[:1])),
    )


def deletions_read(draft: Draft, cause: Cause, event: DeletionsRead) -> None:
    """Take the children of /admin/delete_topics: others write and remove them too.

    A topic whose child is removed before its deletion starts is not deleted. Where nothing may be
    deleted the children are removed, or they would be obeyed when that is changed.
    """
    if not draft.settings.delete_topic_enable:
        children = map(paths.delete_topic, sorted(event.names))
        draft.removals.update({path: RemoveZnode(path) for path in children})
        draft.settle(cause)
        return
    draft.settle(cause)
    for name in sorted(event.names):
        queued = draft.deleting.get(name)
        if queued is None:
            draft.queue(name, Deletion())
            draft.deletion_checks[name] = CheckDeletion(name)
            draft.note("deletion-queued", topic=name)
        elif not queued.listed:
            draft.queue(name, replace(queued, listed=True))
    for name, queued in sorted(draft.deleting.items()):
        if name in event.names or not queued.listed:
            continue
        draft.learn_below(paths.delete_topic(name), ())
        if queued.started:
            draft.queue(name, replace(queued, listed=False))
        else:
            draft.queue(name, None)
            withdrawn = Refusal(Fault.UNKNOWN_SERVER_ERROR, "The deletion was withdrawn.")
            draft.results.extend((waiter, withdrawn) for waiter in queued.waiters)
            draft.note("deletion-withdrawn", topic=name)
