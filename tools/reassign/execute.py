"""--execute: check a plan, set its throttles, start its moves.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (executeAssignment); for portions KIP-1335.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition, errors
from klamm.tools.reassign import described, log_dirs, plan_files, texts, throttles
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.output import CommandError, Output, TerseError
from klamm.tools.reassign.pacing import (
    SYSTEM_CLOCK,
    Clock,
    InconsistentError,
    PacedRunError,
    Pacing,
    Refused,
    Targets,
    arranged,
    submit_paced,
)
from klamm.tools.reassign.plan_files import Plan
from klamm.tools.reassign.state import read_states


@dataclass(frozen=True, slots=True)
class ExecuteOptions:
    """How a plan is started; throttles are in bytes per second, below 0 none."""

    additional: bool = False
    throttle: int = -1
    log_dir_throttle: int = -1
    timeout_ms: int = 10_000
    allow_replication_factor_change: bool = True
    pacing: Pacing = field(default_factory=Pacing)


def execute(
    admin: Admin,
    plan_json: str,
    options: ExecuteOptions,
    output: Output,
    clock: Clock = SYSTEM_CLOCK,
) -> None:
    """Start the plan; raises TerseError, CommandError and AdminError.

    Partitions that were accepted before one was refused go on.
    """
    plan = plan_files.parse_plan(plan_json)
    plan_files.check_executable(plan)
    moving = admin.list_partition_reassignments().result()
    if moving and not options.additional:
        raise TerseError(texts.EXISTING)
    if moving and options.pacing.batch_size:
        output.warn(
            f"{len(moving)} partition{texts.plural(len(moving))} move already, beside the"
            f" {options.pacing.batch_size} at a time of this plan."
        )
    live = admin.describe_cluster().result().brokers
    check_brokers(plan, live)
    current = described.of_partitions(admin, plan.targets)
    output.say(texts.for_rollback(plan_files.format_plan(current)))
    output.put(rollback=plan_files.as_facts(current))
    _throttle(admin, plan, moving, current, list(live), options, output)
    _start(admin, plan, options, output, clock)


def check_brokers(plan: Plan, live: Collection[int]) -> None:
    """Refuse a target that is not in the cluster; raises CommandError."""
    unknown = sorted(plan.brokers - set(live))
    if unknown:
        raise CommandError(f"Unknown broker id {unknown[0]}")


def _throttle(
    admin: Admin,
    plan: Plan,
    moving: Mapping[TopicPartition, PartitionReassignment],
    current: Assignment,
    live: Collection[int],
    options: ExecuteOptions,
    output: Output,
) -> None:
    if options.throttle < 0 and options.log_dir_throttle < 0:
        return
    output.say(texts.RUN_VERIFY)
    if options.throttle >= 0:
        moves = throttles.proposed_moves(moving, plan.targets, current)
        throttles.set_inter_broker(admin, moves, options.throttle, live, output)
    if options.log_dir_throttle >= 0:
        brokers = {name.broker for name in plan.log_dirs}
        throttles.set_log_dirs(admin, brokers, options.log_dir_throttle, live, output)


def _start(admin: Admin, plan: Plan, options: ExecuteOptions, output: Output, clock: Clock) -> None:
    """Send the moves, all at once or in portions, and those between log directories.

    All at once, the latter come after the success line, as in the stock tool; in portions each
    portion's come right after it (KIP-1335).
    """
    targets = arranged(plan.targets, options.pacing.order)
    in_portions = options.pacing.batch_size > 0

    def submit(group: Targets) -> None:
        _alter(admin, group, options)
        if in_portions:
            move_log_dirs(group)

    def move_log_dirs(group: Targets) -> None:
        folders = plan.log_dirs_of(group)
        if folders:
            log_dirs.start(admin, folders, options.timeout_ms, clock, output)

    try:
        submit_paced(
            targets,
            options.pacing,
            submit=submit,
            read=lambda group: read_states(admin, group).partitions,
            clock=clock,
        )
    except PacedRunError as ended:
        if in_portions:
            output.warn(f"Submitted: {texts.names(ended.submitted) or 'none'}")
            output.warn(f"Not submitted: {texts.names(ended.unsubmitted) or 'none'}")
        cause = ended.__cause__
        assert isinstance(cause, Exception), "it says what has ended it"
        output.put(
            submitted=[str(name) for name in ended.submitted],
            unsubmitted=[str(name) for name in ended.unsubmitted],
        )
        if isinstance(cause, Refused):
            output.put(errors={str(name): str(error) for name, error in cause.errors.items()})
        if isinstance(cause, Refused | InconsistentError):
            raise TerseError(str(cause)) from cause
        raise cause from None
    output.say(texts.started([*targets]))
    output.put(started=[str(name) for name in sorted(targets)])
    if not in_portions:
        move_log_dirs(targets)


def _alter(admin: Admin, group: Targets, options: ExecuteOptions) -> None:
    """Send one request; raises Refused with what the cluster says of each partition."""
    results = admin.alter_partition_reassignments(
        group, allow_replication_factor_change=options.allow_replication_factor_change
    )
    refused = {}
    for name, future in results.futures.items():
        try:
            future.result()
        except errors.AdminError as error:
            refused[name] = error
    if refused:
        raise Refused(refused)
