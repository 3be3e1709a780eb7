"""Deleting a topic: queue it, tell brokers, wait for their logs to go, remove the znodes.

A topic is queued by its child of /admin/delete_topics, which a request or anybody else makes. It
waits while a partition of it moves (R455-95). Then the deletion starts: clients see the topic no
more (leader -2 in UpdateMetadata), brokers delete their replicas, and those that are offline are
told when they return; former replicas that owe a delete are waited for, too. When no log is left,
and whoever answers clients has heard of the end, the znodes go, from below to above, and the child
of /admin/delete_topics last: a controller that finds a part of it does the same again.

Brokers keep of a topic what they are not told to forget, and without the znodes no later controller
knows what to tell them. So every registered broker and other klamm node has to acknowledge an
UpdateMetadata of this office that takes the partitions back: a request that is lost with its link
or refused is sent again, one that is gone is not waited for, and one that comes meanwhile is, for
it may be the same process in a new session. One that stays registered and never answers holds the
deletion up, as one that has a replica does. Kafka does not wait for UpdateMetadata: if it fails
over before a broker has taken that, the broker shows clients the topic until it restarts.

Source: Kafka 3.9, TopicDeletionManager.scala; KafkaController.scala, processTopicDeletion;
KafkaZkClient.scala, deleteTopicZNode. Other than there a topic is looked at after it was queued,
so that its first deletion waits for moves too (behaviour: N5), and whenever a broker returns
(N14); nothing of a deleted topic stays in the state (N15).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from klamm.controller.core.changes import SetDeletion
from klamm.controller.core.debts import deletes_made
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import (
    Cause,
    CheckDeletion,
    ReplicasDeleted,
    WithdrawalsHeard,
)
from klamm.controller.core.model import Deletion, Topic, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.core.plan import Entry, Message, Publish, Stop
from klamm.controller.core.removal import clearing, removal
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.topic_checks import debts_unreadable, is_moving, unreadable
from klamm.controller.znodes import paths

UNKNOWN = Refusal(
    Fault.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition."
)


def replicas_deleted(draft: Draft, cause: Cause, event: ReplicasDeleted) -> None:
    """Cross off the logs that a broker has deleted."""
    draft.settle(cause)
    deletes_made(draft, event)
    deletion = draft.deleting.get(event.topic)
    if deletion is None or deletion.logs is None or event.broker not in deletion.logs:
        return
    logs = _crossed_off(deletion.logs, event.broker, event.partitions)
    _progress(draft, event.topic, replace(deletion, logs=logs))


def withdrawals_heard(draft: Draft, cause: Cause, event: WithdrawalsHeard) -> None:
    """Cross off the partitions that a broker or klamm node shows clients no more."""
    draft.settle(cause)
    for name, numbers in event.partitions.items():
        deletion = draft.deleting.get(name)
        if deletion is not None and event.peer in deletion.unheard:
            unheard = _crossed_off(deletion.unheard, event.peer, numbers)
            _progress(draft, name, replace(deletion, unheard=unheard))


def _crossed_off(
    left: Mapping[int, frozenset[int]], id_: int, done: frozenset[int]
) -> Mapping[int, frozenset[int]]:
    after = {**left, id_: left[id_] - done}
    if not after[id_]:
        del after[id_]
    return after


def _progress(draft: Draft, name: str, deletion: Deletion) -> None:
    """Take a deletion to have come so far; whoever was the last to be waited for ends it."""
    draft.queue(name, deletion)
    if deletion.awaits_nobody:
        draft.deletion_checks[name] = CheckDeletion(name)


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


def peers_changed(draft: Draft, gone: Collection[int], fresh: Collection[int]) -> None:
    """Wait no more for peers that are gone to hear of deletions, but for those that have come.

    Those are told by a Refill what is being deleted; brokers among them delete what they hold.
    """
    for name, deletion in tuple(draft.deleting.items()):
        if deletion.logs is None:
            continue
        unheard = {p: left for p, left in deletion.unheard.items() if p not in gone}
        unheard.update(_unheard(draft.topic(name), fresh))
        logs = {broker: deletion.logs[broker] for broker in fresh if broker in deletion.logs}
        draft.messages.extend(_stops(name, logs))
        if unheard != deletion.unheard:
            _progress(draft, name, replace(deletion, unheard=unheard))


def check(draft: Draft, cause: Cause, event: CheckDeletion) -> None:
    """Go on with a deletion: start it, or remove znodes once it awaits nobody."""
    name = event.topic
    deletion, topic = draft.deleting.get(name), draft.topic(name)
    if deletion is None or paths.delete_topic(name) in draft.removed:
        draft.settle(cause)
    elif refusal := unreadable(draft, name) or debts_unreadable(draft, name):
        draft.settle(cause)
        _answer(draft, name, deletion, refusal)
    elif topic is None:
        _forget_unknown(draft, cause, name, deletion)
    elif deletion.logs is None:
        draft.settle(cause)
        if is_changing(draft, name):
            draft.deletion_checks[name] = event
        elif not is_moving(draft, topic):
            start(draft, topic, deletion)
    elif not deletion.awaits_nobody:
        draft.settle(cause)
    else:
        draft.removed.add(paths.delete_topic(name))
        draft.steps.append(removal(draft, cause, topic, deletion))


def start(draft: Draft, topic: Topic, deletion: Deletion) -> None:
    """Begin a deletion that is queued; whether something of the topic moves was asked before."""
    started = begun(draft, topic, deletion.listed)
    draft.queue(topic.name, started)
    for name in draft.owing(topic.name):
        draft.release(name)
    draft.messages.extend(farewell(draft, topic, started))
    draft.results.extend((waiter, Done()) for waiter in deletion.waiters)
    draft.note("deletion-started", topic=topic.name)
    if started.awaits_nobody:
        draft.deletion_checks[topic.name] = CheckDeletion(topic.name)


def is_changing(draft: Draft, name: str) -> bool:
    """Tell whether this turn changes the topic in a way that is not durable yet."""
    return name in draft.rewrites or any(unit.topic == name for unit in draft.units)


def begun(draft: Draft, topic: Topic, listed: bool = True) -> Deletion:
    """Return the deletion of the topic as it starts, when nobody has done or heard anything."""
    peers = draft.brokers.keys() | (draft.nodes.keys() - {draft.state.controller_id})
    return Deletion(_logs_of(draft, topic), listed, unheard=_unheard(topic, peers))


def _unheard(topic: Topic | None, peers: Iterable[int]) -> Mapping[int, frozenset[int]]:
    """What peers have to hear of: all partitions, one set of them for all."""
    if topic is None or not topic.partitions:
        return {}
    return dict.fromkeys(peers, frozenset(topic.partitions))


def _logs_of(draft: Draft, topic: Topic) -> Mapping[int, frozenset[int]]:
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
