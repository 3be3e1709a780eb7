"""Controlled shutdown: a broker is relieved of what it leads before it stops.

Source: KIP-143, KIP-380; Kafka 3.9, KafkaController.scala, doControlledShutdown.
"""

from klamm.controller.core.draft import Draft
from klamm.controller.core.election import relieved
from klamm.controller.core.events import UNSET, Cause, ShutDownBroker
from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.moves import bring_in_line, note
from klamm.controller.core.plan import Stop
from klamm.controller.core.results import Fault, Refusal, ShutDownAllowed


def shut_down(draft: Draft, cause: Cause, event: ShutDownBroker) -> None:
    """Take the broker for leaving from now on, and others for leaders where there are any.

    It stays out of every election and new ISR until it is gone or back with another epoch. What
    it follows it stops to fetch, and it leaves those ISRs. A partition with one replica has
    nobody else, and a topic that is to be deleted needs nobody: both are left alone. Asking again
    does what could not be done before. The result is true once all of it is durable.
    """
    refusal = _check(draft, event)
    if refusal:
        draft.settle(cause, refusal)
        return
    concerned = [
        name
        for topic in draft.topics()
        for number, partition in topic.partitions.items()
        if _concerns(draft, name := TopicPartition(topic.name, number), partition, event.broker)
    ]
    # Whoever is gone by the facts goes first: this broker may be the one that can take its lead.
    for name in concerned:
        bring_in_line(draft, name)
    draft.shut(event.broker)
    remaining = [name for name in concerned if _relieve(draft, cause, name, event.broker)]
    text = f"broker {event.broker} leaves; {len(remaining)} partitions remain"
    draft.conclude(cause, ShutDownAllowed(tuple(remaining)), "shutdown", text)


def _check(draft: Draft, event: ShutDownBroker) -> Refusal | None:
    registered = draft.brokers.get(event.broker)
    if registered is None:
        return Refusal(
            Fault.BROKER_NOT_AVAILABLE,
            f"Broker {event.broker} cannot leave: it is not registered. Registered are"
            f" {sorted(draft.online)}.",
        )
    if event.broker_epoch != UNSET and event.broker_epoch < registered.epoch:
        return Refusal(
            Fault.STALE_BROKER_EPOCH,
            f"Broker {event.broker} has been registered anew: its epoch is {registered.epoch}, not"
            f" {event.broker_epoch}.",
        )
    return None


def _concerns(draft: Draft, name: TopicPartition, partition: Partition, leaving: int) -> bool:
    replicas = partition.hosted
    return (
        partition.leadership is not None
        and leaving in replicas
        and len(replicas) > 1
        and name.topic not in draft.deleting
        and not draft.unreadable_of(name)
    )


def _relieve(draft: Draft, cause: Cause, name: TopicPartition, leaving: int) -> bool:
    """Move the lead, or end the broker's part as a follower; tell whether it leads on."""
    partition = draft.existing(name)
    leadership, replicas = partition.leadership, partition.hosted
    if leadership is None:
        return False
    leader, isr = relieved(replicas, leadership, leaving, draft.alive_of(name))
    led = leadership.leader == leaving
    changes = (leader, isr) != (leadership.leader, leadership.isr)
    if changes and draft.lead(name, leader, isr):
        draft.tell(name, replicas if led else (broker for broker in replicas if broker != leaving))
        unit = draft.unit(name)
        unit.check_later = True
        unit.parts.append(cause.id)
        note(draft, name, "elect" if led else "isr-shrink")
    if not led:
        if partition.pace is not None:
            # A step that adds it would keep its slot until the broker is gone at last.
            draft.check_later(name)
        if name in draft.units:
            draft.units[name].stopped.add(leaving)
        else:
            draft.messages.append(Stop(name, leaving, delete=False))
    return draft.existing(name).leader == leaving
