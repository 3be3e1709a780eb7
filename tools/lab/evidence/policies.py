"""The ways to carry a plan out that are compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from klamm.controller.core.pace import UNLIMITED, Limits


@dataclass(frozen=True, slots=True)
class Policy:
    """One way: what the tool holds back (KIP-1335), and what the controller does (KIP-435).

    With a `batch` of 0 the tool sends the whole plan at once.
    """

    name: str
    batch: int = 0
    incremental: bool = False
    limits: Limits = Limits()


def stepwise(limits: Limits) -> Policy:
    """Return the policy in which the controller moves in steps, within these limits."""
    numbers = (limits.replicas, limits.partitions, limits.leaders)
    shown = "/".join("INF" if each == UNLIMITED else str(each) for each in numbers)
    return Policy(f"KIP-435 {shown}", limits=limits)


#: One after the other, several at once, and the first of these without an end of partitions.
LIMITS = (Limits(1, 10, 5), Limits(2, 20, 10), Limits(1))
BATCH = 10


def policies(batch: int = BATCH, limits: Sequence[Limits] = LIMITS) -> tuple[Policy, ...]:
    """Return all ways: at once, in batches of so many partitions, and within each of the limits."""
    return (
        Policy("all at once"),
        Policy(f"KIP-1335 batches of {batch}", batch),
        Policy(f"KIP-1335 incremental {batch}", batch, incremental=True),
        *map(stepwise, limits),
    )
