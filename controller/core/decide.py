"""decide: the one door to all decisions. Pure; the same input gives the same Plan."""

from collections.abc import Callable, Iterable
from typing import Any

from klamm.controller.core import facts, moves, topics
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    AlterReassignment,
    BrokersRead,
    Cause,
    CheckPartition,
    ConfigRead,
    CounterRead,
    CreateTopic,
    FaultFound,
    LeaderAcknowledged,
    NodesRead,
    NotificationsRead,
    StateRead,
    TopicRead,
)
from klamm.controller.core.model import ClusterState
from klamm.controller.core.packing import plan_of
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings

#: By kind of event: when in a turn it is decided, and by what. Facts come first, then follow-ups
#: of the turn before, then requests; within each in order of arrival.
DECISIONS: dict[type, tuple[int, Callable[[Draft, Cause, Any], None]]] = {
    BrokersRead: (0, facts.brokers_read),
    NodesRead: (0, facts.nodes_read),
    TopicRead: (0, facts.topic_read),
    StateRead: (0, facts.state_read),
    FaultFound: (0, facts.fault_found),
    ConfigRead: (0, facts.config_read),
    CounterRead: (0, facts.counter_read),
    NotificationsRead: (0, facts.notifications_read),
    LeaderAcknowledged: (0, facts.leader_acknowledged),
    CheckPartition: (1, moves.check),
    CreateTopic: (2, topics.create),
    AlterReassignment: (2, moves.alter),
}


def decide(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Fold the causes of one turn over a draft of the state, and cut the outcome into Commits."""
    draft = Draft(state, settings)
    for cause in sorted(causes, key=lambda cause: DECISIONS[type(cause.event)][0]):
        DECISIONS[type(cause.event)][1](draft, cause, cause.event)
    return plan_of(draft)
