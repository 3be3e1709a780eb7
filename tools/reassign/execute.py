"""--execute: check a plan, set its throttles, start its moves.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (executeAssignment); for portions KIP-1335.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition
from klamm.tools.reassign import check, described, plan_files, resume, rollback, texts, throttles
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.output import CommandError, Output, TerseError
from klamm.tools.reassign.plan_files import Plan
from klamm.tools.reassign.resume import NOTHING_BEGUN, Begun
from klamm.tools.reassign.rollback import Place
from klamm.tools.reassign.starts import starts_of
from klamm.tools.reassign.state import read_states
from klamm.tools.reassign.submission import ExecuteOptions as ExecuteOptions
from klamm.tools.reassign.submission import Submission
from klamm.tools.reassign.waiting import SYSTEM_CLOCK, Clock


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
    patience = options.pacing.patience(clock)
    plan = plan_files.parse_plan(plan_json)
    plan_files.check_executable(plan)
    moving, begun = _running(admin, plan, options, output)
    live = admin.describe_cluster().result().brokers
    check_brokers(plan, live)
    current = described.of_partitions(admin, plan.targets)
    starts = starts_of(
        options.dialect,
        admin,
        output,
        moving,
        clock,
        allow_replication_factor_change=options.allow_replication_factor_change,
        in_portions=options.pacing.batch_size > 0,
    )
    starts.check(plan, current)
    has_more = options.sets_throttles or options.pacing.resume or bool(plan.log_dirs)
    if not has_more and starts.running(plan.targets) == plan.targets.keys():
        raise TerseError(texts.not_submitted(plan.targets))
    if options.plan_check:
        check.before_execute(admin, plan, output)
    _tell_way_back(begun.not_in(current), options.rollback, output)
    _throttle(admin, plan, moving, current, list(live), options, output)
    Submission(admin, plan, options, output, patience, starts, begun).run()


def _running(
    admin: Admin, plan: Plan, options: ExecuteOptions, output: Output
) -> tuple[Mapping[TopicPartition, PartitionReassignment], Begun]:
    """Return all that moves, and what an earlier run has begun of the plan if this one resumes.

    Raises TerseError if others move, unless additional moves are wanted. It is asked once: the
    plan's own groups never count as others (KIP-1335).
    """
    begun = NOTHING_BEGUN
    if options.pacing.resume:
        states = read_states(admin, plan.targets)
        moving = states.moving
        begun = resume.begun(states)
        output.warn(
            f"Resuming: {len(begun.complete)} complete, {len(begun.in_flight)} moving,"
            f" {len(begun.not_in(plan.targets))} to submit."
        )
    else:
        moving = admin.list_partition_reassignments().result()
    others = len(set(moving) - set(begun.in_flight))
    if others and not options.additional:
        raise TerseError(texts.EXISTING_179 if options.dialect.is_kip_179 else texts.EXISTING)
    if others and options.pacing.batch_size:
        output.warn(
            f"{others} partition{texts.plural(others)} move already, beside the"
            f" {options.pacing.batch_size} at a time of this plan."
        )
    return moving, begun


def _tell_way_back(current: Assignment, place: Place | None, output: Output) -> None:
    """Save and print where the partitions are that this run submits.

    Those that an earlier run has begun are half on their way; it has told of them.
    """
    if not current:
        return
    if place is not None:
        rollback.save(current, place, datetime.now(UTC), output)
    output.say(texts.for_rollback(plan_files.format_plan(current)))
    output.put(rollback=plan_files.as_facts(current))


def check_brokers(plan: Plan, live: Collection[int]) -> None:
    """Refuse a target that is not in the cluster; raises CommandError."""
    unknown = sorted(plan.brokers - set(live))
    if unknown:
        first = unknown[0]
        wanting = {name for name, target in plan.entries if first in target}
        raise CommandError(
            f"Unknown broker id {first}", f"Broker {first} is a target of {texts.names(wanting)}"
        )


def _throttle(
    admin: Admin,
    plan: Plan,
    moving: Mapping[TopicPartition, PartitionReassignment],
    current: Assignment,
    live: Collection[int],
    options: ExecuteOptions,
    output: Output,
) -> None:
    if not options.sets_throttles:
        return
    output.say(texts.RUN_VERIFY)
    if options.throttle >= 0:
        moves = throttles.proposed_moves(moving, plan.targets, current)
        throttles.set_inter_broker(admin, moves, options.throttle, live, output, options.alter)
    if options.log_dir_throttle >= 0:
        brokers = {name.broker for name in plan.log_dirs}
        rate = options.log_dir_throttle
        throttles.set_log_dirs(admin, brokers, rate, live, output, options.alter)
