"""Deletes that former replicas owe: durable from the write that drops a replica until it is done.

A broker that is dropped from a partition's replicas has to delete its log, and may be offline by
then, or the controller may be another one before it is told. So /klamm/replica_deletions/TOPIC
says who owes what, written with the very Commit that drops the replica (H7), and a Commit that
makes the broker a replica again takes it out. Whoever owes is told to delete while it is none of
the replicas, and once the present leader has said that it knows so; that much is volatile
(`ClusterState.awaiting`) and asked for again by the next controller, who may repeat a delete and
skips none. What was done is written down a little later, for many at once.

A topic's deletion waits for those that owe, too. One that never comes back keeps the topic until
its line, or the znode, is removed by hand: then nothing is owed any more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    Cause,
    CheckDeletion,
    ClearDebts,
    DebtsRead,
    ReplicasDeleted,
)
from klamm.controller.core.ledgers import without_empty
from klamm.controller.core.model import (
    NO_LEADER,
    NOBODY,
    Awaiting,
    ClusterState,
    Ledger,
    Topic,
    TopicPartition,
)
from klamm.controller.core.plan import Lead, Stop
from klamm.controller.core.removal import clearing
from klamm.controller.znodes import paths


def debts_read(draft: Draft, cause: Cause, event: DebtsRead) -> None:
    """Take what is owed as ZooKeeper holds it: at the begin of an office, or changed by others.

    Where that says nothing that can be read, what was known still holds, and the next write, or
    the end of the topic, replaces the znode. What ZooKeeper does not show at all is a `FaultFound`:
    as long as it stands nothing is dropped, for nobody could write it down.
    """
    draft.settle(cause)
    name, known = event.topic, draft.ledger(event.topic)
    if draft.take_up(paths.replica_deletions(name)):
        _go_on(draft, name)
    if event.version is None:
        draft.learn_below(paths.replica_deletions(name), ())
    owed = known.owed if event.owed is None else event.owed
    if (known.version, known.owed) == (event.version, owed):
        return
    paid = {n: known.paid[n] & owed.get(n, NOBODY) for n in known.paid}
    draft.learn_ledger(name, Ledger(event.version, owed, without_empty(paid)))
    if owed:
        count = sum(map(len, owed.values()))
        draft.note("debts-read", f"{count} deletes are owed", topic=name)
    deletion = draft.deleting.get(name)
    if deletion is not None and deletion.started:
        # Others have to delete than those who were told.
        draft.queue(name, replace(deletion, logs=None))
        draft.deletion_checks[name] = CheckDeletion(name)
    else:
        demand_all(draft, name)


def _go_on(draft: Draft, topic_name: str) -> None:
    """Look again at what waited for the debts to become readable: ends of moves, a deletion."""
    if topic_name in draft.deleting:
        draft.deletion_checks[topic_name] = CheckDeletion(topic_name)
    topic = draft.topic(topic_name)
    for number in topic.moving if topic else ():
        draft.check_later(TopicPartition(topic_name, number))


def demand_all(draft: Draft, topic_name: str) -> None:
    """Have all deletes made that are owed for a topic, after it or they were read.

    What a replica owes is void: somebody else has given it the partition again.
    """
    ledger = draft.ledger(topic_name)
    if not ledger.owed or draft.vanishing(topic_name):
        return
    void = {}
    for number in ledger.owed:
        partition = draft.partition(TopicPartition(topic_name, number))
        replicas = partition.assignment.replicas if partition else ()
        void[number] = ledger.due(number).intersection(replicas)
    _pay(draft, topic_name, void)
    for number in sorted(ledger.owed):
        demand(draft, TopicPartition(topic_name, number))


def demand(draft: Draft, name: TopicPartition) -> None:
    """Have the deletes made that are owed for a partition, as soon as its leader agrees.

    The leader is asked even if an earlier controller, or this one, has heard it say so. A partition
    that there is no more has none, and one that cannot be read is left alone.
    """
    debtors = draft.ledger(name.topic).due(name.partition)
    if not debtors or draft.vanishing(name.topic):
        return
    partition = draft.partition(name)
    if partition is None:
        if not draft.unreadable_of(name):
            online = sorted(debtors & draft.online)
            draft.messages.extend(Stop(name, broker, delete=True) for broker in online)
        return
    held = partition.leadership
    leader, epoch = (held.leader, held.leader_epoch) if held else (NO_LEADER, 0)
    draft.wait_for(name, Awaiting(leader, epoch, tuple(sorted(debtors))))
    check = draft.follow_ups.get(name)
    has_restarted = check is not None and leader in check.restarted
    if leader in draft.online and not has_restarted:
        draft.messages.append(Lead(name, (leader,)))


def deletes_made(draft: Draft, event: ReplicasDeleted) -> None:
    """Note who owes nothing any more; `clear` writes it down."""
    owing = {
        number: frozenset({event.broker} & draft.ledger(event.topic).due(number))
        for number in event.partitions
    }
    _pay(draft, event.topic, owing)


def _pay(draft: Draft, topic: str, brokers: Mapping[int, frozenset[int]]) -> None:
    """Take these brokers, by partition, as owing nothing any more."""
    if not any(brokers.values()):
        return
    ledger = draft.ledger(topic)
    paid = dict(ledger.paid)
    for number, done in brokers.items():
        paid[number] = paid.get(number, NOBODY) | done
    draft.learn_ledger(topic, replace(ledger, paid=without_empty(paid)))


def clear(draft: Draft, cause: Cause, event: ClearDebts) -> None:
    """Write down what is not owed any more; of a topic that is being deleted its end does that.

    A znode that goes with the last debt goes after whatever somebody else has put below it.
    """
    name = event.topic
    ledger = draft.ledger(name)
    if not _is_to_clear(draft, name, ledger, draft.topic(name)):
        draft.settle(cause)
        return
    path = paths.replica_deletions(name)
    owes = any(ledger.due(number) for number in ledger.owed)
    strays = None if owes else clearing(draft, cause, path, event)
    if strays is not None:
        draft.steps.append(strays)
    else:
        draft.clearings.setdefault(name, []).append(cause.id)


def to_clear(state: ClusterState) -> Iterator[str]:
    """The topics whose znode holds what is not owed any more, or nothing, and nobody's."""
    for name, ledger in state.ledgers.items():
        if _is_to_clear(state, name, ledger, state.topics.get(name)):
            yield name


def _is_to_clear(
    known: ClusterState | Draft, name: str, ledger: Ledger, topic: Topic | None
) -> bool:
    """Tell whether the topic's znode should be written, or removed, for what it holds.

    One that cannot be made out is left, while there is the topic, for somebody to mend.
    """
    if known.vanishing(name) or paths.replica_deletions(name) in known.unreadable:
        return False
    if ledger.paid:
        return True
    is_empty = ledger.version is not None and not ledger.owed
    return is_empty and topic is None and paths.topic(name) not in known.unreadable


def may_be_told(state: ClusterState, broker: int) -> Iterator[TopicPartition]:
    """The partitions whose logs this broker owes to delete, and may be told to at once.

    Not while it is one of the replicas, while the leader has not answered, or while nobody can
    say who is a replica.
    """
    for topic, ledger in state.ledgers.items():
        if paths.topic(topic) in state.unreadable and topic not in state.topics:
            continue
        for number in ledger.owed:
            name = TopicPartition(topic, number)
            if broker in ledger.due(number) and not (
                state.is_replica(name, broker) or state.must_wait(name, broker)
            ):
                yield name
