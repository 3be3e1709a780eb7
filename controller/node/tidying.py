"""The timer by which finished entries leave /admin/reassign_partitions, at most once a second.

It runs while the znode is there. One write takes out all that is finished by then: a write for
each would be the square of the entries in bytes (F27).
"""

from klamm.controller.core.events import TidyEntries
from klamm.controller.core.origins import FromTimer
from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import SetTimer

TIDY_TIMER = "admin entries"
TIDY_SECONDS = 1.0


def tidy_later(node: NodeData) -> None:
    """Set the timer if the znode is there and it is not set."""
    turns = node.turns
    if turns is not None and turns.state.admin.version is not None and not turns.tidying:
        turns.tidying = True
        node.do(SetTimer(TIDY_TIMER, TIDY_SECONDS))


def on_tidy(node: NodeData) -> None:
    """Tidy in the next turn, unless an earlier time has not come to be decided yet.

    A timer of an office that is over says nothing to the next, which sets its own.
    """
    turns = node.turns
    if turns is None or not turns.tidying:
        return
    turns.tidying = False
    if not any(isinstance(cause.event, TidyEntries) for cause in turns.open):
        turns.add((TidyEntries(),), FromTimer(TIDY_TIMER))
