"""Who leads and who is in the ISR once some brokers are offline. Pure functions.

Source: Kafka 3.9, Election.scala (leaderForOffline, leaderForReassign) and
ReplicaStateMachine.scala (removeReplicasFromIsr).
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from klamm.controller.core.model import NO_LEADER, Leadership


def first_eligible(
    candidates: Sequence[int], isr: Collection[int], online: AbstractSet[int]
) -> int:
    """Return the first candidate that is in the ISR and online, or NO_LEADER."""
    return next((broker for broker in candidates if broker in isr and broker in online), NO_LEADER)


def without_offline(isr: tuple[int, ...], online: AbstractSet[int]) -> tuple[int, ...]:
    """Drop offline members; an ISR that would become empty stays, for it says who has the data."""
    return tuple(broker for broker in isr if broker in online) or isr


def repaired(
    replicas: Sequence[int], leadership: Leadership, online: AbstractSet[int]
) -> tuple[int, tuple[int, ...]]:
    """Return leader and ISR as they should be, given who is online.

    A leader that is online stays. Otherwise the first of RS that is online and in the ISR leads,
    adding replicas included; if there is none the partition has no leader.
    """
    isr = without_offline(leadership.isr, online)
    if leadership.leader in online:
        return leadership.leader, isr
    return first_eligible(replicas, isr, online), isr
