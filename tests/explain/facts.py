"""Facts by hand: a move of t-0 that is in order, and changes to it."""

from collections.abc import Mapping

from klamm.tools.admin import TopicPartition, TopicPartitionReplica
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.facts import Configs, Facts, Look, Partition
from klamm.tools.explain.findings import Cause, Finding

T0 = TopicPartition("t", 0)
ALIVE = frozenset({1, 2, 3, 4})

#: From 1, 2 to 1, 3: broker 3 is to come, 2 to go.
MOVE = Partition((1, 3, 2), (3,), (2,), leader=1, leader_epoch=5, isr=(1, 2), moving=True)

Sizes = Mapping[int, int]


def facts(
    partition: Partition = MOVE,
    before: Sizes | None = None,
    after: Sizes | None = None,
    *,
    alive: frozenset[int] = ALIVE,
    failed: Mapping[int, tuple[str, ...]] | None = None,
    topic: Configs | None = None,
    brokers: Mapping[int, Configs] | None = None,
    seconds: float = 2.0,
) -> Facts:
    """Two looks at t-0, so far apart, with the sizes of its logs by broker."""
    looks = [
        Look(
            at,
            {T0: partition},
            {TopicPartitionReplica(*T0, broker): size for broker, size in (sizes or {}).items()},
            failed=failed or {},
            answered=alive,
        )
        for at, sizes in ((10.0, before), (10.0 + seconds, after))
    ]
    first = looks[0] if seconds else looks[1]
    return Facts(first, looks[1], alive, {"t": topic or {}}, brokers or {})


def found(what: Facts) -> list[Finding]:
    """Return what is found at t-0."""
    [diagnosis] = diagnose(what).partitions
    return list(diagnosis.findings)


def causes(what: Facts) -> list[Cause]:
    """Return the causes at t-0, the worst first."""
    return [each.cause for each in found(what)]
