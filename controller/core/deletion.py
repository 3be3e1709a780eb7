"""Deleting a topic: queue it, tell brokers, wait for their logs to go, remove the znodes.

A topic is queued by its child of /admin/delete_topics, which a request or anybody else makes. It
waits while a partition of it moves (R455-95). Then the deletion starts: clients see the topic no
more (leader -2 in UpdateMetadata), brokers delete their replicas, and those that are offline are
told when they return; former replicas that owe a delete are waited for, too. When no log is left
the znodes go, from below to above, and the child of /admin/delete_topics last: a controller that
finds a part of it does the same again.

Source: Kafka 3.9, TopicDeletionManager.scala; KafkaController.scala, processTopicDeletion;
KafkaZkClient.scala, deleteTopicZNode. Other than there a topic is looked at after it was queued,
so that its first deletion waits for moves too (behaviour: N5), and whenever a broker returns
(N14); nothing of a deleted topic stays in the state (N15).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from klamm.controller.core.debts import deletes_made
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import Cause, CheckDeletion, ReplicasDeleted
from klamm.controller.core.model import Deletion, Topic, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.core.plan import Entry, Message, Publish, SetDeletion, Stop
from klamm.controller.core.removal import clearing, removal
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.topic_checks import is_moving, unreadable
from klamm.controller.znodes import paths

UNKNOWN = Refusal(
    Fault.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition."
)


def replicas_deleted(draft: Draft, cause: Cause, event: ReplicasDeleted) -> None:
    """Cross off the logs that a broker has deleted; the last one lets the znodes go."""
    draft.settle(cause)
    deletes_made(draft, event)
    deletion = draft.deleting.get(event.topic)
    if deletion is None or deletion.logs is None or event.broker not in deletion.logs:
        return
    logs = {**deletion.logs, event.broker: deletion.logs[event.broker] - event.partitions}
    if not logs[event.broker]:
        del logs[event.broker]
    draft.queue(event.topic, replace(deletion, logs=logs))
    if not logs:
        draft.deletion_checks[event.topic] = CheckDeletion(event.topic)


def topic_changed(draft: Draft, name: str, before: Topic | None) -> None:
    """Look again at a queued topic that somebody else has changed.

    One with replicas that nobody has told of the deletion begins it anew.
    """
    deletion, topic = draft.deleting.get(name), draft.topic(name)
    if deletion is None:
        return
    if deletion.started and topic is not None and before is not None:
        known = {number: p.assignment for number, p in before.partitions.items()}
        if any(known.get(n) != p.assignment for n, p in topic.partitions.items()):
            draft.queue(name, replace(deletion, logs=None))
    draft.deletion_checks[name] = CheckDeletion(name)


def brokers_returned(draft: Draft, fresh: Collection[int]) -> None:
    """Tell brokers that are back to delete what they hold."""
    for name, deletion in draft.deleting.items():
        logs = deletion.logs or {}
        draft.messages.extend(_stops(name, {b: logs[b] for b in fresh if b in logs}))


def check(draft: Draft, cause: Cause, event: CheckDeletion) -> None:
    """Go on with a deletion: start it, or remove znodes once no log is left."""
    name = event.topic
    deletion, topic = draft.deleting.get(name), draft.topic(name)
    if deletion is None or paths.delete_topic(name) in draft.removed:
        draft.settle(cause)
    elif refusal := unreadable(draft, name):
        draft.settle(cause)
        _answer(draft, name, deletion, refusal)
    elif topic is None:
        _forget_unknown(draft, cause, name, deletion)
    elif deletion.logs is None:
        draft.settle(cause)
        if is_changing(draft, name):
            draft.deletion_checks[name] = event
        elif not is_moving(draft, topic):
            _start(draft, topic, deletion)
    elif deletion.logs:
        draft.settle(cause)
    else:
        draft.removed.add(paths.delete_topic(name))
        draft.steps.append(removal(draft, cause, topic, deletion))


def _start(draft: Draft, topic: Topic, deletion: Deletion) -> None:
    started = replace(deletion, logs=logs_of(draft, topic), waiters=())
    draft.queue(topic.name, started)
    for name in draft.owing(topic.name):
        draft.release(name)
    draft.messages.extend(farewell(draft, topic, started))
    draft.results.extend((waiter, Done()) for waiter in deletion.waiters)
    draft.note("deletion-started", topic=topic.name)
    if not started.logs:
        draft.deletion_checks[topic.name] = CheckDeletion(topic.name)


def is_changing(draft: Draft, name: str) -> bool:
    """Tell whether this turn changes the topic in a way that is not durable yet."""
    return name in draft.rewrites or any(unit.topic == name for unit in draft.units)


def logs_of(draft: Draft, topic: Topic) -> Mapping[int, frozenset[int]]:
    """Whose logs must go, by broker: replicas, and former ones that still owe a delete.

    Offline ones too, or the log of one that comes back would meet a new topic of this name.
    """
    logs: dict[int, set[int]] = {}
    for number, partition in topic.partitions.items():
        for broker in partition.assignment.replicas:
            logs.setdefault(broker, set()).add(number)
    for number, broker in draft.ledger(topic.name).debtors():
        logs.setdefault(broker, set()).add(number)
    return {broker: frozenset(numbers) for broker, numbers in logs.items()}


def farewell(draft: Draft, topic: Topic, deletion: Deletion) -> Iterator[Message]:
    """Take the partitions back from all brokers, and let those that are online delete theirs."""
    for number in topic.partitions:
        yield Publish(TopicPartition(topic.name, number))
    logs = deletion.logs or {}
    yield from _stops(topic.name, {b: logs[b] for b in logs if b in draft.brokers})


def _stops(topic: str, logs: Mapping[int, Iterable[int]]) -> Iterator[Stop]:
    for broker, numbers in logs.items():
        for number in sorted(numbers):
            yield Stop(TopicPartition(topic, number), broker, delete=True)


def _forget_unknown(draft: Draft, cause: Cause, name: str, deletion: Deletion) -> None:
    """End the deletion of a topic that there is not, or is no more."""
    _answer(draft, name, deletion, UNKNOWN)
    if not deletion.listed:
        draft.queue(name, None)
        draft.settle(cause)
        return
    child = paths.delete_topic(name)
    draft.removed.add(child)
    step = clearing(draft, cause, child, CheckDeletion(name)) or Step(
        (cause.id,),
        (Delete(child, ANY_VERSION),),
        (SetDeletion(name, None),),
        entries=(Entry("deletion-withdrawn", "no such topic", cause.id, None, name),),
    )
    draft.steps.append(step)


def _answer(draft: Draft, name: str, deletion: Deletion, refusal: Refusal) -> None:
    """Tell whoever waits for the deletion to start that it does not."""
    if deletion.waiters:
        draft.queue(name, replace(deletion, waiters=()))
        draft.results.extend((waiter, refusal) for waiter in deletion.waiters)
