"""Who leads and who is in the ISR once some brokers are offline or leave. Pure functions.

Online are the registered brokers; alive are those of them that are not shutting down, and only
they are given a lead. A leader that is shutting down leads on until somebody else can.

Source: Kafka 3.9, Election.scala (leaderForOffline, leaderForReassign,
leaderForControlledShutdown) and ReplicaStateMachine.scala (removeReplicasFromIsr).
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from klamm.controller.core.model import NO_LEADER, Leadership


def first_eligible(candidates: Sequence[int], isr: Collection[int], alive: AbstractSet[int]) -> int:
    """Return the first candidate that is in the ISR and alive, or NO_LEADER."""
    return next((broker for broker in candidates if broker in isr and broker in alive), NO_LEADER)


def without_offline(isr: tuple[int, ...], online: AbstractSet[int]) -> tuple[int, ...]:
    """Drop offline members; an ISR that would become empty stays, for it says who has the data."""
    return tuple(broker for broker in isr if broker in online) or isr


def is_in_line(replicas: Sequence[int], leadership: Leadership, online: AbstractSet[int]) -> bool:
    """Tell, by what is quickly seen, that there is nothing to repair."""
    leader, isr = leadership.leader, leadership.isr
    within = isr == replicas or all(broker in replicas for broker in isr)
    return leader in online and leader in replicas and within and online >= set(isr)


def repaired(
    replicas: Sequence[int],
    leadership: Leadership,
    online: AbstractSet[int],
    alive: AbstractSet[int],
) -> tuple[int, tuple[int, ...]]:
    """Return leader and ISR as they should be, given who is online and who is alive.

    A leader that is online stays. Otherwise the first of RS that is alive and in the ISR leads,
    adding replicas included; if there is none the partition has no leader. Who is no replica, as
    after a cancel that a stock controller did not come to finish, counts as offline.
    """
    isr = without_offline(leadership.isr, online & set(replicas))
    if leadership.leader in online and leadership.leader in replicas:
        return leadership.leader, isr
    return first_eligible(replicas, isr, alive), isr


def relieved(
    replicas: Sequence[int], leadership: Leadership, leaving: int, alive: AbstractSet[int]
) -> tuple[int, tuple[int, ...]]:
    """Return leader and ISR without a broker that is shutting down, as far as that can be.

    What it leads goes to the first of RS that is alive and in the ISR, and with it all that are
    shutting down leave the ISR; if there is nobody it leads on, and nothing changes.
    """
    leader, isr = leadership.leader, leadership.isr
    if leader != leaving:
        return leader, tuple(broker for broker in isr if broker != leaving) or isr
    successor = first_eligible(replicas, isr, alive)
    if successor == NO_LEADER:
        return leader, isr
    return successor, tuple(broker for broker in isr if broker in alive)
