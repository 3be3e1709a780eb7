"""The moves of a plan on their way to the cluster: in portions, with waits, and after a restart.

Source of the order of requests: Kafka 3.9, tools, ReassignPartitionsCommand.java
(executeAssignment); for portions KIP-1335.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import NoReturn

from klamm.tools.admin import Admin, TopicPartition
from klamm.tools.reassign import health, log_dirs, resume, texts
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.option import Dialect
from klamm.tools.reassign.output import Output, TerseError
from klamm.tools.reassign.pacing import (
    Order,
    PacedRunError,
    Pacing,
    Refused,
    Targets,
    arranged,
    submit_paced,
)
from klamm.tools.reassign.plan_files import Plan
from klamm.tools.reassign.resume import NOTHING_BEGUN, Begun
from klamm.tools.reassign.rollback import Place
from klamm.tools.reassign.sizes import partition_bytes
from klamm.tools.reassign.starts import Starts
from klamm.tools.reassign.state import PartitionState, read_states
from klamm.tools.reassign.throttles import Alter, plainly
from klamm.tools.reassign.waiting import DeadlineError, InconsistentError, Patience, await_complete


@dataclass(frozen=True, slots=True)
class ExecuteOptions:
    """How a plan is started; throttles are in bytes per second, below 0 none.

    `rollback` is where the way back is written, None for nowhere; `alter` changes throttles. The
    dialect says which requests start moves.
    """

    additional: bool = False
    throttle: int = -1
    log_dir_throttle: int = -1
    timeout_ms: int = 10_000
    allow_replication_factor_change: bool = True
    pacing: Pacing = field(default_factory=Pacing)
    rollback: Place | None = None
    plan_check: bool = False
    alter: Alter = plainly
    dialect: Dialect = Dialect.KAFKA_3_9

    @property
    def sets_throttles(self) -> bool:
        """Tell whether a throttle is set or changed, which takes no move that starts."""
        return self.throttle >= 0 or self.log_dir_throttle >= 0


@dataclass(frozen=True, slots=True)
class Submission:
    """Sends a plan by `starts`. `begun` is what of it an earlier run has sent."""

    admin: Admin
    plan: Plan
    options: ExecuteOptions
    output: Output
    patience: Patience
    starts: Starts
    begun: Begun = NOTHING_BEGUN

    def run(self) -> None:
        """Send all that is not begun, and wait for the end if that is wanted.

        All at once, moves between log directories come after the success line, as in the stock
        tool; in portions each portion's come right after it. Raises TerseError, CommandError and
        AdminError.
        """
        pacing = self.options.pacing
        targets = self._arranged()
        gate = self._gate()
        self._catch_up()
        unsent = self._unsent(targets)
        try:
            submit_paced(
                targets,
                pacing,
                submit=self._alter,
                read=self._read,
                patience=self.patience,
                before=gate,
                after=self._move_log_dirs if pacing.batch_size else _later,
                in_flight=self.begun.in_flight,
                complete=self.begun.complete,
            )
        except PacedRunError as ended:
            self._tell(ended)
            self._fail(ended.__cause__)
        if started := [name for name in targets if name not in unsent]:
            self.output.say(texts.started(started))
        self.output.put(started=[str(name) for name in sorted(started)])
        if not pacing.batch_size:
            self._move_log_dirs(self.begun.not_in(targets))
        if pacing.wait:
            self._wait(targets)

    def _unsent(self, targets: Targets) -> Set[TopicPartition]:
        """Return what this run does not say to have started, and tell what of it moves already.

        Kafka's request is repeated for what moves, and what an earlier run has begun counts as
        started. Those of KIP-179 are not: whoever waits for an id shall read none where none is.
        """
        if not self.options.dialect.is_kip_179:
            return frozenset()
        begun = {*self.begun.in_flight, *self.begun.complete}
        running = self.starts.running(targets) - begun
        if running:
            self.output.warn(texts.not_submitted(running))
        self.output.put(not_submitted=[str(name) for name in sorted(running)])
        return running | begun

    def _arranged(self) -> Targets:
        targets, order = self.plan.targets, self.options.pacing.order
        if order is Order.SORTED:
            return arranged(targets, order)
        return arranged(targets, order, partition_bytes(self.admin, targets, self.output.warn))

    def _gate(self) -> Callable[[], None]:
        """Return what each group but the first has to pass; looks at the cluster as it is now."""
        if not self.options.pacing.pause_when_unhealthy:
            return lambda: None
        targets = self.plan.targets
        return health.HealthGate(
            lambda: health.look(self.admin, targets), self.patience, self.output.warn
        )

    def _catch_up(self) -> None:
        """Ask for those moves between log directories that the earlier run had no time for."""
        begun = (*self.begun.in_flight, *self.begun.complete)
        left = resume.log_dirs_left(self.admin, self.plan.log_dirs_of(begun))
        if left:
            log_dirs.start(
                self.admin, left, self.options.timeout_ms, self.patience.clock, self.output
            )

    def _read(self, group: Targets) -> dict[TopicPartition, PartitionState]:
        return {**read_states(self.admin, group).partitions}

    def _alter(self, group: Targets) -> None:
        """Send one request; raises Refused with what the cluster says of each partition."""
        if refused := self.starts.send(group):
            raise Refused(refused)

    def _move_log_dirs(self, group: Targets) -> None:
        folders = self.plan.log_dirs_of(group)
        if folders:
            log_dirs.start(
                self.admin, folders, self.options.timeout_ms, self.patience.clock, self.output
            )

    def _wait(self, targets: Targets) -> None:
        """Look until all is where the plan wants it; nothing is cancelled if it takes too long."""
        try:
            await_complete(targets, self._read, self.patience)
            self._await_log_dirs()
        except (Exception, KeyboardInterrupt) as error:
            self._tell(PacedRunError([*targets], []))
            self._fail(error)
        count = len(targets)
        self.output.say(f"Completed partition reassignment{texts.plural(count)} of the whole plan")
        self.output.put(completed=True)

    def _await_log_dirs(self) -> None:
        while True:
            left = []
            for state in log_dirs.read(self.admin, self.plan.log_dirs):
                if state.target not in (state.current, state.future):
                    raise TerseError(state.text)
                if state.moving:
                    left.append(state.replica)
            if not left:
                return
            self.patience.sleep(left)

    def _tell(self, ended: PacedRunError) -> None:
        """Say how far a run in portions has come."""
        if self.options.pacing.batch_size:
            self.output.warn(f"Submitted: {texts.names(ended.submitted) or 'none'}")
            self.output.warn(f"Not submitted: {texts.names(ended.unsubmitted) or 'none'}")
        self.output.put(
            submitted=[str(name) for name in ended.submitted],
            unsubmitted=[str(name) for name in ended.unsubmitted],
        )

    def _fail(self, cause: BaseException | None) -> NoReturn:
        """Raise what has ended the run as the action does."""
        assert cause is not None, "a run ends early for a reason"
        if isinstance(cause, Refused):
            self.output.put(errors={str(name): str(error) for name, error in cause.errors.items()})
        if isinstance(cause, DeadlineError):
            raise TerseError(str(cause), Exit.NOT_FINISHED) from cause
        if isinstance(cause, Refused | InconsistentError):
            raise TerseError(str(cause)) from cause
        raise cause


def _later(_: Targets) -> None:
    """Leave the moves between log directories for after the success line."""
