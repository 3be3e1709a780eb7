"""The timers by which the progress of replicas is written, and old requests are removed.

One write takes all that brokers have told in between: in the proposal each fetch is a write. What
completes a replica does not wait for a timer.
"""

from klamm.controller.core.events import WriteStatus
from klamm.controller.core.origins import FromTimer
from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import SetTimer
from klamm.controller.node.turns import Turns

STATUS_TIMER = "status"
SWEEP_TIMER = "old status"
SWEEP_SECONDS = 60.0


def keep_status(node: NodeData) -> None:
    """Set the timers for what there is to do, unless they are set."""
    turns = node.turns
    if turns is None:
        return
    if turns.state.status.has_progress and not turns.writes_status:
        turns.writes_status = True
        node.do(SetTimer(STATUS_TIMER, node.config.status_write_interval_ms / 1000))
    book = turns.state.status
    if (book.kept or book.partial) and not turns.sweeps_status:
        turns.sweeps_status = True
        node.do(SetTimer(SWEEP_TIMER, SWEEP_SECONDS))


def on_status_due(node: NodeData) -> None:
    """Write progress in the next turn.

    A timer of an office that is over says nothing to the next, which sets its own.
    """
    turns = node.turns
    if turns is not None and turns.writes_status:
        turns.writes_status = False
        _ask(turns, WriteStatus(progress=True), STATUS_TIMER)


def on_sweep_due(node: NodeData) -> None:
    """Remove in the next turn what has been kept for long enough.

    What could not be read somebody may have mended: nobody watches it.
    """
    turns = node.turns
    if turns is not None and turns.sweeps_status:
        turns.sweeps_status = False
        turns.stale.status |= turns.state.status.partial
        _ask(turns, WriteStatus(), SWEEP_TIMER)


def _ask(turns: Turns, event: WriteStatus, timer: str) -> None:
    if not any(cause.event == event for cause in turns.open):
        turns.add((event,), FromTimer(timer))
