"""--cancel: take moves back; or write down what could be taken back.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (cancelAssignment). Its 3.7 to 4.0.0 pass
over moves that only add replicas, and leave out a line end; neither is repeated here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition, errors
from klamm.tools.reassign import (
    first_origins,
    log_dirs,
    original_order,
    plan_files,
    texts,
    throttles,
    verdicts,
)
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.output import CommandError, Output, TerseError
from klamm.tools.reassign.pacing import SYSTEM_CLOCK, Clock
from klamm.tools.reassign.throttles import Alter
from klamm.tools.reassign.verdicts import CancelRule


def cancel(
    admin: Admin,
    plan_json: str,
    output: Output,
    *,
    preserve_throttles: bool = False,
    timeout_ms: int = 10_000,
    by_controller: bool = False,
    rule: CancelRule | None = None,
    restore_order: bool = False,
    alter: Alter = throttles.plainly,
    clock: Clock = SYSTEM_CLOCK,
) -> Exit:
    """Cancel what moves of the plan's partitions and log directories, and clear the throttles.

    `by_controller` says that the client asks controllers, which change any broker's configs, and
    know no ISR: then nobody judges beforehand. With a `rule` nothing is cancelled unless each move
    passes it. With `restore_order` replicas get back their order of before the move; Exit.FAILED if
    that is all that was not done. Raises TerseError, CommandError and AdminError.
    """
    plan = plan_files.parse_plan(plan_json)
    listed = admin.list_partition_reassignments(set(plan.targets)).result()
    active = {
        name: move
        for name, move in listed.items()
        if move.adding_replicas or move.removing_replicas
    }
    in_order = True
    if active:
        if not by_controller:
            _judge(admin, active, rule, output)
        told = first_origins.ask(admin, active)
        orders = original_order.of(told, active) if restore_order else None
        if orders is None or not isinstance(told, errors.AdminError):
            first_origins.warn(told, active, output)
        refused = _cancel(admin, active)
        if orders is not None:
            done = active.keys() - refused.keys()
            in_order = original_order.restore(admin, orders, done, output)
        if refused:
            output.put(errors={str(name): str(error) for name, error in sorted(refused.items())})
            raise TerseError(texts.not_cancelled(refused))
        output.say(texts.cancelled([*active]))
    else:
        output.say(texts.NONE_ACTIVE)
    output.put(cancelled=[str(name) for name in sorted(active)])
    states = log_dirs.read(admin, plan.log_dirs)
    back = {state.replica: state.current for state in states if state.moving and state.current}
    if back:
        # The way to cancel such a move is to move the replica to where it is.
        log_dirs.start(admin, back, timeout_ms, clock, output)
    else:
        output.say(texts.NO_MOVES_ACTIVE)
    if not preserve_throttles:
        throttles.clear(admin, plan, output, by_controller=by_controller, alter=alter)
    return Exit.DONE if in_order else Exit.FAILED


def _judge(
    admin: Admin,
    moves: Mapping[TopicPartition, PartitionReassignment],
    rule: CancelRule | None,
    output: Output,
) -> None:
    """Warn of what a cancel would lose, and refuse what the rule is against: all or nothing.

    Who may not look may cancel all the same, unless there is a rule.
    """
    try:
        found = verdicts.of_cancel(admin, moves, rule or CancelRule.ZK)
    except errors.AdminError as error:
        if rule is not None:
            raise
        output.warn(f"Nobody could see what the cancel would lose: {error}")
        return
    for each in found:
        if each.warning:
            output.warn(each.warning)
    output.put(
        verdicts=[
            {
                "partition": str(each.partition),
                "originals": list(each.originals),
                "left": list(each.left),
                "lost": list(each.lost),
                "stops_leader": each.stops_leader,
                "refused": each.refused,
            }
            for each in found
        ]
    )
    against = [f"{each.partition}: {each.refused}" for each in found if each.refused]
    if against:
        assert rule is not None, "without a rule nothing is refused"
        lines = [f"Nothing is cancelled, for --cancel-rule {rule.value} is against it:", *against]
        raise TerseError("\n".join(lines))


def _cancel(
    admin: Admin, active: Collection[TopicPartition]
) -> dict[TopicPartition, errors.AdminError]:
    """Cancel moves; return those that were refused."""
    refused = {}
    results = admin.alter_partition_reassignments(dict.fromkeys(active))
    for name, future in results.futures.items():
        try:
            future.result()
        except errors.AdminError as error:
            refused[name] = error
    return refused


def write_plan(admin: Admin, file: Path, output: Output) -> None:
    """Write everything that moves now to a new file, with the replicas it moves to.

    What begins to move later is not in it, and is not cancelled with it (KIP-455, the two steps
    of its `--cancel`). Raises CommandError if the file is there or cannot be written.
    """
    moving = admin.list_partition_reassignments().result()
    targets = {
        name: [broker for broker in move.replicas if broker not in move.removing_replicas]
        for name, move in moving.items()
    }
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(plan_files.format_plan(targets) + "\n")
    except FileExistsError as error:
        raise CommandError(f"{file} is there already; name another file") from error
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from error
    output.say(
        f"Wrote {len(targets)} partition reassignment{texts.plural(len(targets))} to {file}; they"
        f" go on until --cancel --reassignment-json-file {file}"
    )
    output.put(written=str(file), partitions=[str(name) for name in sorted(targets)])
