"""S2: a cancel leaves the hint of a step behind."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.changes import SetHints
from klamm.controller.core.decide import decide
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import cancel, limit_moves, move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._ways import replanned

_HINT = paths.reassignment_steps("t")


def _decide(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm, but let hints be where a move is cancelled."""
    found = list(causes)
    plan = decide(state, found, settings)
    events = (cause.event for cause in found)
    if any(isinstance(event, AlterReassignment) and event.target is None for event in events):
        return replanned(plan, _without_hints)
    return plan


def _without_hints(commit: Commit) -> Commit:
    ops = tuple(op for op in commit.ops if not op.path.startswith(paths.REASSIGNMENT_STEPS))
    changes = tuple(each for each in commit.changes if not isinstance(each, SetHints))
    return replace(commit, ops=ops, changes=changes)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Moves are limited to one replica at a time, and broker 3 copies nothing.")
    world.ask("n1", limit_moves(1, 1, 1))
    world.settle()
    world.do("stall b3")
    world.ask("n1", move("t", 0, 3, 4))
    world.settle()
    stage.claim(stage.exists(_HINT), "a hint says which step of t-0's move runs")
    stage.say("A client cancels.")
    world.ask("n1", cancel("t", 0))
    world.settle()
    stage.claim(stage.replicas("t", 0) == [1, 2], "t-0 is where it was")
    stage.claim(
        not stage.exists(_HINT), "no hint is left, that another move would be taken to be in step"
    )
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="S2",
    story="How far a move in steps is stands in a znode beside the topic's. A controller removed"
    " it when a move had ended, and forgot to when one was cancelled. If the partition is given the"
    " same target again, and another controller is elected before the first step, that one takes a"
    " step for begun that nobody was told of. klamm writes hints in the Commit that changes the"
    " move, and removes them with it.",
    reference="KIP-435, which stores the target in the partition's state; R435-46",
    exposed_by=OWN_SCRIPT,
    decide=_decide,
)
