"""AlterPartition: a leader asks for another ISR, and the controller writes it.

Source: KIP-497, KIP-704; Kafka 3.9, KafkaController.scala, tryProcessAlterPartition. Kafka does
not ask whether the sender leads and whether the ISR is within the replicas (N6); here both are
refused as KRaft refuses them (ReplicationControlManager.java, validateAlterPartitionData).
"""

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterPartition, Cause
from klamm.controller.core.facts import isr_kind
from klamm.controller.core.model import Leadership, Partition
from klamm.controller.core.moves import bring_in_line, note
from klamm.controller.core.results import Fault, IsrAltered, Refusal

RECOVERED = 0
RECOVERING = 1


def alter_partition(draft: Draft, cause: Cause, event: AlterPartition) -> None:
    """Give the partition this ISR at the leader's word, in the same leader epoch, or say why not.

    Clients and brokers learn it by UpdateMetadata, the leader by its answer; then the move of the
    partition, if there is one, may end. What another cause of the turn has overtaken is refused
    when the turn is cut into Commits, see `klamm.controller.core.packing`.
    """
    name = event.partition
    bring_in_line(draft, name)
    found = _find(draft, event)
    if isinstance(found, Refusal):
        draft.settle(cause, found, name)
        return
    partition, leadership = found
    if _is_present(event, leadership):
        draft.settle(cause, IsrAltered(leadership), name)
        return
    refusal = _check_versions(event, leadership) or _check_isr(draft, event, partition)
    if refusal:
        draft.settle(cause, refusal, name)
        return
    altered = draft.alter_isr(name, event.isr, event.leader_recovery_state)
    note(draft, name, isr_kind(leadership, altered))
    draft.unit(name).check_later = True
    draft.settle(cause, IsrAltered(altered), name)


def _find(draft: Draft, event: AlterPartition) -> tuple[Partition, Leadership] | Refusal:
    """Return what the leader speaks of, if it is the one that leads it by the epochs it knows."""
    name = event.partition
    registered = draft.brokers.get(event.broker)
    if registered is None or registered.epoch != event.broker_epoch:
        text = f"broker {event.broker} is not registered with epoch {event.broker_epoch}"
        return Refusal(Fault.STALE_BROKER_EPOCH, text)
    unreadable = draft.unreadable_of(name)
    if unreadable:
        # Brokers try this one again with their next fetch, neither at once nor never.
        text = f"{name} is left alone, for its znode cannot be read: {unreadable}"
        return Refusal(Fault.OPERATION_NOT_ATTEMPTED, text)
    if draft.vanishing(name.topic) and not draft.state.vanishing(name.topic):
        # Told that the topic is gone it would never ask again, and the deletion may yet fail.
        text = f"{name}: its topic is being deleted in this very moment"
        return Refusal(Fault.OPERATION_NOT_ATTEMPTED, text)
    topic = draft.topic(name.topic)
    if event.topic_id is not None and (topic is None or topic.topic_id != event.topic_id):
        return Refusal(Fault.UNKNOWN_TOPIC_ID, f"no topic has the id {event.topic_id}")
    partition, unit = draft.partition(name), draft.units.get(name)
    # A leader of this very turn cannot know of it yet, whoever names its epochs.
    is_new = unit is not None and unit.before.leadership is None
    if partition is None or partition.leadership is None or is_new or draft.vanishing(name.topic):
        return Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, f"{name} has no leader to ask for it")
    leadership = partition.leadership
    if event.partition_epoch > leadership.version or event.leader_epoch > leadership.leader_epoch:
        # The leader has heard of a later controller.
        text = f"{name} is not known in leader epoch {event.leader_epoch}"
        text += f" and partition epoch {event.partition_epoch}: this is an earlier controller"
        return Refusal(Fault.NOT_CONTROLLER, text)
    if event.leader_epoch < leadership.leader_epoch:
        text = f"{name} is in leader epoch {leadership.leader_epoch}, not {event.leader_epoch}"
        return Refusal(Fault.FENCED_LEADER_EPOCH, text)
    if event.broker != leadership.leader:
        text = f"{name} is led by broker {leadership.leader}, not by {event.broker}"
        return Refusal(Fault.INVALID_REQUEST, text)
    return partition, leadership


def _is_present(event: AlterPartition, leadership: Leadership) -> bool:
    """Tell whether nothing would change, as when a leader repeats what was answered too late."""
    present = (leadership.isr, leadership.leader_recovery_state)
    return (event.isr, event.leader_recovery_state) == present


def _check_versions(event: AlterPartition, leadership: Leadership) -> Refusal | None:
    name = event.partition
    if event.partition_epoch < leadership.version:
        text = f"{name} is in partition epoch {leadership.version}, not {event.partition_epoch}"
        return Refusal(Fault.INVALID_UPDATE_VERSION, text)
    wanted = event.leader_recovery_state
    if wanted not in (RECOVERED, RECOVERING):
        text = f"{name}: there is no leader recovery state {wanted}"
        return Refusal(Fault.INVALID_REQUEST, text)
    if wanted == RECOVERING and len(event.isr) > 1:
        text = f"{name}: a leader that is recovering is the only member of its ISR"
        return Refusal(Fault.INVALID_REQUEST, text)
    if wanted == RECOVERING and leadership.leader_recovery_state == RECOVERED:
        text = f"{name}: its leader has recovered, which only an election takes back"
        return Refusal(Fault.INVALID_REQUEST, text)
    return None


def _check_isr(draft: Draft, event: AlterPartition, partition: Partition) -> Refusal | None:
    name, isr, replicas = event.partition, event.isr, partition.hosted
    if event.broker not in isr or len(set(isr)) < len(isr) or not set(isr).issubset(replicas):
        text = f"{name}: an ISR holds the leader {event.broker} and others of {list(replicas)},"
        return Refusal(Fault.INVALID_REQUEST, f"{text} each once, not {list(isr)}")
    # A leader that is shutting down stays in: it leads as long as nobody else can.
    joining = set(isr) - {event.broker}
    ineligible = sorted(joining - draft.alive_of(name))
    if ineligible:
        text = f"{name}: of the ISR {list(isr)} the brokers {ineligible} are not alive"
        return Refusal(Fault.INELIGIBLE_REPLICA, text)
    return None
