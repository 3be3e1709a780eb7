"""Unclean elections: an operator wants a leader more than the records that only the ISR has.

Source: Kafka 3.9, Election.scala (leaderForOffline with allowUnclean), KafkaController.scala
(processReplicaLeaderElection), PartitionStateMachine.scala (collectUncleanLeaderElectionState).
"""

from collections.abc import Iterator

from klamm.controller.core.draft import Draft
from klamm.controller.core.election import first_eligible
from klamm.controller.core.events import Cause, ElectUnclean
from klamm.controller.core.model import NO_LEADER, ClusterState, TopicPartition
from klamm.controller.core.moves import bring_in_line, note
from klamm.controller.core.preferred import NOT_NEEDED, missing
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.znodes.state import RECOVERING


def elect(draft: Draft, cause: Cause, event: ElectUnclean) -> None:
    """Give the lead to the first live replica, which is the whole ISR then.

    It is recovering, where brokers know what that is (KIP-704). Refused are partitions unknown or
    about to be deleted, a leader that is alive, and partitions without a live replica.
    """
    name = event.partition
    draft.settle(cause, _elect(draft, name) or Done(), name)


def _elect(draft: Draft, name: TopicPartition) -> Refusal | None:
    bring_in_line(draft, name)
    partition = draft.partition(name)
    refusal = missing(draft, name)
    if refusal is not None or partition is None:
        return refusal
    leadership = partition.leadership
    if leadership is None or draft.unreadable_of(name):
        return _impossible(name)
    if leadership.leader != NO_LEADER and leadership.leader in draft.online:
        return NOT_NEEDED
    # Nobody in sync is alive, or would have been elected by now.
    replicas = partition.hosted
    leader = first_eligible(replicas, replicas, draft.alive_of(name))
    if leader == NO_LEADER or not draft.lead(name, leader, (leader,)):
        return _impossible(name)
    if draft.settings.leader_recovery:
        draft.alter_isr(name, (leader,), RECOVERING)
    draft.tell(name, replicas)
    note(draft, name, "elect-unclean")
    draft.unit(name).check_later = True
    return None


def leaderless(state: ClusterState) -> Iterator[TopicPartition]:
    """Every partition that clients can see and that nobody alive leads."""
    for name, partition in state.partitions():
        if partition.leader not in state.brokers and not state.vanishing(name.topic):
            yield name


def _impossible(name: TopicPartition) -> Refusal:
    return Refusal(
        Fault.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        f"Failed to elect leader for partition {name.topic}-{name.partition} under strategy "
        "OfflinePartitionLeaderElectionStrategy(true)",
    )
