"""Steps of hearing, and of being asked, how far followers have come."""

from klamm.controller.core.fact_events import FetchProgress
from klamm.controller.node.data import NodeData
from klamm.controller.node.inputs import CopiesWanted, ProgressHeard


def on_progress_heard(node: NodeData, event: ProgressHeard) -> None:
    """Keep what was heard; it is a matter of a turn only if the status of a request hangs on it."""
    turns = node.turns
    if turns is None:
        return
    node.copies.take(event.reports, event.at_ms, turns.state)
    status = turns.state.status
    awaited = tuple(report for report in event.reports if status.is_about(report.partition))
    if awaited:
        turns.add((FetchProgress(awaited, event.at_ms),))


def on_copies_wanted(node: NodeData, event: CopiesWanted) -> None:
    """Keep what is heard of these for a while, though they may not move."""
    node.copies.want(event.names, node.now.wall_ms)
