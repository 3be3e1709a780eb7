"""What a run of a rehearsal is given, and what it gives back: values that travel as JSON."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from klamm.controller.core.pace import UNLIMITED, Limits
from klamm.tools.lab.evidence.policies import Policy, stepwise

DONE: Final = "done"
STUCK: Final = "stuck"
#: An invariant of the lab did not hold: a bug of the controller, or of the lab.
BROKEN: Final = "broken"

_COUNTED = re.compile(r"(batch|incremental):([1-9][0-9]{0,8})")
_STEPS = re.compile(r"steps:([0-9]+|INF)/([0-9]+|INF)/([0-9]+|INF)", re.IGNORECASE)


class StagePartition(msgspec.Struct, frozen=True):
    """A partition of the plan, as it is before it moves. `target` are its replicas afterwards."""

    topic: str
    partition: int
    replicas: tuple[int, ...]
    target: tuple[int, ...]
    size_bytes: int = 0
    bytes_in_per_s: float = 0.0
    min_isr: int = 1

    @property
    def name(self) -> str:
        """The partition as people write it."""
        return f"{self.topic}-{self.partition}"


class Reserved(msgspec.Struct, frozen=True):
    """What one broker does for partitions that the plan leaves alone.

    `into` and `out` are bytes per second of replication, `leads` how many of them it leads.
    """

    broker: int
    into: float = 0.0
    out: float = 0.0
    leads: int = 0


class Stage(msgspec.Struct, frozen=True):
    """A cluster as far as a plan concerns it: see `klamm.tools.rehearsal.stage`.

    `brokers` are the ids of those that hold, or are to hold, a replica of a partition that moves;
    `dead` are those of them that were not alive. All are sorted.
    """

    brokers: tuple[int, ...]
    dead: tuple[int, ...]
    partitions: tuple[StagePartition, ...]
    reserved: tuple[Reserved, ...] = ()
    plan_hash: str = ""


class RunSpec(msgspec.Struct, frozen=True):
    """One run: a plan on its stage, a pacing and a fault model by name, and a seed.

    A broker replicates `bandwidth` bytes per second each way, a replica that lags fetches at most
    `copy_rate`, and `throttle` is the rate of KIP-73 that the tool sets for the plan. A run that
    has not ended after `give_up_s` of the cluster's time does not end. Equal specs give equal rows.
    """

    stage: Stage
    pacing: str = "all"
    fault: str = "none"
    seed: int = 0
    bandwidth: float = 100e6
    copy_rate: float | None = None
    throttle: int | None = None
    give_up_s: float = 7 * 86_400.0
    checked: bool = False


class Traffic(msgspec.Struct, frozen=True):
    """Bytes that a broker has fetched and served for replication, in stretches of equal length."""

    broker: int
    into: tuple[float, ...] = ()
    out: tuple[float, ...] = ()


class RunRow(msgspec.Struct, frozen=True):
    """What a run was and cost; the first fields are those of the table `runs` of the same name.

    `verdict` is done, stuck or broken, and `text` says why. `finish_s` is from the first request to
    the end of the last move, None if it did not end; `virtual_s` is how long the cluster was looked
    at. `max_urp` is how many partitions were under-replicated at most at once, not counting
    replicas that were being added (KIP-352). `min_isr_breach_s` and `leaderless_s` are the longest
    that any one partition was without a break below min.insync.replicas, or without a leader, and
    `min_isr_partition_s` all such times of all partitions together. `bytes_moved` are those that
    replicas fetched while they were being added, `bytes_wasted` those of them that were fetched
    again or thrown away. `worst_wait_s` is how long a record has waited for a member of the ISR, as
    seen at looks some seconds apart. A skew is the most partitions that a living broker leads over
    the mean of the living ones: 1 is even.
    """

    pacing: str
    fault_model: str
    seed: int
    plan_hash: str
    verdict: str
    violated: tuple[str, ...]
    text: str
    steps: int
    virtual_s: float
    finish_s: float | None
    max_urp: int
    min_isr_breach_s: float
    leaderless_s: float
    bytes_moved: int
    bytes_wasted: int
    trace_hash: str
    min_isr_partition_s: float = 0.0
    worst_wait_s: float = 0.0
    skew_before: float = 1.0
    skew_worst: float = 1.0
    skew_after: float = 1.0
    peak_in: float = 0.0
    peak_out: float = 0.0
    requests: int = 0
    restarts: int = 0
    #: What went wrong, in words; empty if nothing did.
    fault: str = ""
    bucket_s: float = 0.0
    traffic: tuple[Traffic, ...] = ()


def pacing(text: str) -> Policy:
    """Read a pacing: all, batch:N, incremental:N (KIP-1335) or steps:R/P/L (KIP-435).

    Raises ValueError, with the forms that there are.
    """
    if text == "all":
        return Policy("all")
    if found := _COUNTED.fullmatch(text):
        return Policy(text, int(found[2]), found[1] == "incremental")
    if found := _STEPS.fullmatch(text):
        numbers = [UNLIMITED if each.upper() == "INF" else int(each) for each in found.groups()]
        limits = Limits(*numbers)
        if all(1 <= number <= UNLIMITED for number in numbers) and not limits.none:
            return Policy(text, limits=stepwise(limits).limits)
    raise ValueError(
        f"{text!r} is no pacing: give all, batch:N, incremental:N, or steps:R/P/L with limits of"
        " replicas, partitions and leaders, such as steps:1/10/5; INF is no limit, in two at most"
    )
