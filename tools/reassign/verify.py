"""--verify: how far a plan is, and away with the throttles once nothing moves.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (verifyAssignment); the words for a
finished partition differ in Kafka 2.6's ReassignPartitionsCommand.scala.
"""

from __future__ import annotations

from collections.abc import Iterable

from klamm.tools.admin import Admin
from klamm.tools.reassign import log_dirs, plan_files, throttles
from klamm.tools.reassign.options import Dialect
from klamm.tools.reassign.output import Output
from klamm.tools.reassign.state import PartitionState, read_states
from klamm.tools.reassign.throttles import Alter


def verify(
    admin: Admin,
    plan_json: str,
    output: Output,
    *,
    preserve_throttles: bool = False,
    dialect: Dialect = Dialect.KAFKA_3_9,
    alter: Alter = throttles.plainly,
) -> None:
    """Print how far each partition and log directory of the plan is.

    Throttles go only when nothing in the cluster moves, and no log directory of the plan: those
    that others have set for a running move cannot be told from ours. Raises CommandError and
    AdminError.
    """
    plan = plan_files.parse_plan(plan_json)
    states = read_states(admin, plan.targets)
    say_states(states.partitions.values(), output, dialect)
    moves = log_dirs.read(admin, plan.log_dirs)
    output.say("\n".join(move.text for move in moves))
    log_dirs_move = any(move.moving for move in moves)
    output.put(
        moving=len(states.moving),
        log_dirs=[
            {
                "replica": str(move.replica),
                "target": move.target,
                "current": move.current,
                "future": move.future,
            }
            for move in moves
        ],
    )
    if not (states.moving or log_dirs_move or preserve_throttles):
        throttles.clear(admin, plan, output, alter=alter)


def say_states(states: Iterable[PartitionState], output: Output, dialect: Dialect) -> None:
    """Print the state of each partition."""
    ordered = sorted(states, key=lambda state: state.name)
    lines = ["Status of partition reassignment:", *(state_text(one, dialect) for one in ordered)]
    output.say("\n".join(lines))
    output.put(
        partitions=[
            {
                "topic": state.name.topic,
                "partition": state.name.partition,
                "target": list(state.target),
                "current": list(state.current),
                "verdict": state.verdict.value,
            }
            for state in ordered
        ]
    )


def state_text(state: PartitionState, dialect: Dialect) -> str:
    """Return one of the three lines that scripts know."""
    if state.moving:
        return f"Reassignment of partition {state.name} is still in progress."
    if not state.is_placed:
        return state.inconsistency
    done = "complete" if dialect is Dialect.KAFKA_2_6 else "completed"
    return f"Reassignment of partition {state.name} is {done}."
