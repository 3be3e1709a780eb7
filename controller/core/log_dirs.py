"""Log directories that fail: the replicas on them are offline, though their broker is not.

A broker whose directory has failed says so in /log_dir_event_notification, without saying what was
on it. So it is told again what it hosts, and answers 56 (KAFKA_STORAGE_ERROR) for each replica that
it cannot use. Such a replica counts as one whose broker is gone: it does not lead, is not in sync,
and no move ends with it, until the broker answers otherwise or has restarted.

The marks are volatile: whoever takes office tells brokers everything, and hears of it again.

Source: KIP-112; Kafka 3.9, KafkaController.scala, processLogDirEventNotification and
processLeaderAndIsrResponseReceived; ControllerContext.scala, replicasOnOfflineDirs.
"""

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, LogDirEventsRead, RemoveZnode, ReplicasFound
from klamm.controller.core.model import NO_REPLICAS
from klamm.controller.core.plan import Publish, Relead


def log_dir_events_read(draft: Draft, cause: Cause, event: LogDirEventsRead) -> None:
    """Ask the brokers about all that they host, and remove their notices."""
    draft.settle(cause)
    draft.messages.extend(Relead(broker) for broker in sorted(event.brokers & draft.online))
    draft.removals.update({path: RemoveZnode(path) for path in event.paths})


def replicas_found(draft: Draft, cause: Cause, event: ReplicasFound) -> None:
    """Take replicas as offline, or as online again, and look at their partitions.

    A lead that was handed over to one of them makes room for others.
    """
    draft.settle(cause)
    registered = draft.brokers.get(event.broker)
    if registered is None or registered.epoch != event.broker_epoch:
        return
    for name in sorted(event.offline):
        awaiting = draft.awaiting(name)
        if awaiting is not None and awaiting.leader == event.broker:
            draft.end_handover(name)
    known = draft.offline_replicas.get(event.broker, NO_REPLICAS)
    found = (known | event.offline) - event.online
    if found == known:
        return
    draft.learn_offline(event.broker, found)
    changed = sorted(found ^ known)
    for name in changed:
        draft.check_later(name)
        draft.messages.append(Publish(name))
    text = f"broker {event.broker} cannot use {len(found)} of its replicas"
    draft.note("log-dir", f"{text}; changed: {changed[0]} and {len(changed) - 1} more")
