"""A plan in portions: in steps, or as slots get free (KIP-1335, Proposed Changes).

The tool alone holds back; the cluster knows nothing of it. With a batch size of 0 the whole plan
is one request, as ever. In step mode a group follows when all of the group before is complete, and
the last one is not awaited. In incremental mode at most so many of the plan's partitions are in
flight as the tool sees them, and it returns when all were submitted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import islice

from klamm.tools.admin import TopicPartition
from klamm.tools.admin.errors import AdminError
from klamm.tools.reassign.waiting import SYSTEM_CLOCK as SYSTEM_CLOCK
from klamm.tools.reassign.waiting import Clock as Clock
from klamm.tools.reassign.waiting import Flight, Patience, Read
from klamm.tools.reassign.waiting import InconsistentError as InconsistentError
from klamm.tools.reassign.waiting import Targets as Targets


@unique
class Order(Enum):
    """In which order the partitions of a plan are submitted."""

    SORTED = "sorted"
    """By topic, then number, whatever the order of the file (KIP-1335)."""
    SMALL_FIRST = "small-first"
    """Those with the fewest bytes first, so that most are done early."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """How a plan is cut and awaited. Raises ValueError in the words of the option that is wrong.

    The first three are KIP-1335's. `wait` goes on looking after the last group until the whole
    plan is complete, `deadline_ms` gives up waiting, `pause_when_unhealthy` holds groups back while
    the cluster is worse off than at the start, and `resume` goes on with a plan that an earlier run
    has begun.
    """

    batch_size: int = 0
    incremental: bool = False
    poll_interval_ms: int = 1000
    order: Order = Order.SORTED
    wait: bool = False
    deadline_ms: int | None = None
    pause_when_unhealthy: bool = False
    resume: bool = False

    def __post_init__(self) -> None:
        """Refuse what KIP-1335 refuses, and what would do nothing."""
        if self.batch_size < 0:
            raise ValueError("--reassignment-batch-size must be greater than or equal to 0")
        if self.poll_interval_ms <= 0:
            raise ValueError("--reassignment-poll-interval-ms must be greater than 0")
        if self.incremental and not self.batch_size:
            raise ValueError(
                "--incremental requires --reassignment-batch-size to be greater than 0"
            )
        if self.pause_when_unhealthy and not self.batch_size:
            raise ValueError(
                "--pause-when-unhealthy requires --reassignment-batch-size to be greater than 0"
            )
        if self.deadline_ms is not None:
            if self.deadline_ms <= 0:
                raise ValueError("--deadline-ms must be greater than 0")
            if not (self.batch_size or self.wait):
                raise ValueError("--deadline-ms requires --wait or --reassignment-batch-size")

    def patience(self, clock: Clock) -> Patience:
        """Start to count the time."""
        return Patience(clock, self.poll_interval_ms, self.deadline_ms)


class Refused(Exception):
    """The cluster has refused partitions of a group; the others of it were accepted."""

    def __init__(self, errors: Mapping[TopicPartition, AdminError]) -> None:
        lines = (f"{name}: {error}" for name, error in sorted(errors.items()))
        super().__init__("\n".join(["Error reassigning partition(s):", *lines]))
        self.errors = errors


class PacedRunError(Exception):
    """A run that ended early: by its cause, with what was submitted and what was not.

    Both are in the order of submission. Where nobody knows whether the last request has arrived,
    its partitions count as not submitted.
    """

    def __init__(
        self, submitted: Sequence[TopicPartition], unsubmitted: Sequence[TopicPartition]
    ) -> None:
        super().__init__(f"{len(submitted)} submitted, {len(unsubmitted)} not submitted")
        self.submitted = submitted
        self.unsubmitted = unsubmitted


Submit = Callable[[Targets], None]


def arranged(
    targets: Targets, order: Order, sizes: Mapping[TopicPartition, int] | None = None
) -> Targets:
    """Return the plan in the order of submission; `sizes` in bytes, unknown ones come last."""
    names = sorted(targets)
    if order is Order.SMALL_FIRST:
        known = sizes or {}
        names.sort(key=lambda name: (name not in known, known.get(name, 0)))
    return {name: targets[name] for name in names}


def submit_paced(
    targets: Targets,
    pacing: Pacing,
    *,
    submit: Submit,
    read: Read,
    patience: Patience,
    before: Callable[[], None] = lambda: None,
    after: Callable[[Targets], None] = lambda _: None,
    in_flight: Collection[TopicPartition] = (),
    complete: Collection[TopicPartition] = (),
) -> None:
    """Submit the plan, in the order that it is in; return when the last partition was submitted.

    `submit` sends one group and raises Refused; `read` looks at partitions (see state.py). `before`
    is called before each group but the first, and may wait; `after` gets each group that was
    accepted. `in_flight` and `complete` are partitions of the plan that an earlier run has
    submitted: neither are sent again, and the former count. Raises PacedRunError from the cause.
    """
    flight = Flight(read, patience.clock)
    flight.add({name: targets[name] for name in in_flight})
    begun = {*in_flight, *complete}
    pending = deque(name for name in targets if name not in begun)
    run = _Run(targets, pending, flight, patience, submit, before, after)
    try:
        if not pacing.batch_size:
            run.send(len(run.pending))
        elif pacing.incremental:
            run.incremental(pacing.batch_size)
        else:
            run.steps(pacing.batch_size)
    except (Exception, KeyboardInterrupt) as error:
        left = set(run.pending)
        submitted = [name for name in targets if name not in left]
        raise PacedRunError(submitted, [*run.pending]) from error


@dataclass
class _Run:
    """A plan on its way: what of it is pending, and what in flight."""

    targets: Targets
    pending: deque[TopicPartition]
    flight: Flight
    patience: Patience
    submit: Submit
    before: Callable[[], None]
    after: Callable[[Targets], None]
    sent: bool = False

    def steps(self, size: int) -> None:
        """Send group after group, each when the one before is complete."""
        while self.pending:
            while self.flight:
                self.flight.look()
                if self.flight:
                    self._sleep()
            self.send(size)

    def incremental(self, size: int) -> None:
        """Refill what has got free at each look."""
        while True:
            if self.flight:
                self.flight.look()
            if not self.flight.is_doubtful:
                self.send(size - len(self.flight))
            if not self.pending:
                return
            self._sleep()

    def send(self, most: int) -> None:
        """Send the next ones in one request, if there is room for any."""
        group = {name: self.targets[name] for name in islice(self.pending, max(most, 0))}
        if not group:
            return
        if self.sent:
            self.before()
        try:
            self.submit(group)
        except Refused as refused:
            accepted = set(group) - set(refused.errors)
            self.pending = deque(name for name in self.pending if name not in accepted)
            raise
        for _ in group:
            self.pending.popleft()
        self.flight.add(group)
        self.sent = True
        self.after(group)

    def _sleep(self) -> None:
        self.patience.sleep(self.flight.targets)
