"""Reading the hints about moves in steps, and removing them when nothing limits moves any more."""

from dataclasses import replace

from klamm.controller.core.changes import SetBelow, SetHasHints, SetHints
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import Cause, HintsListRead, HintsRead, RemoveHints
from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.core.pace import StepHints
from klamm.controller.core.pacing import hints_learned
from klamm.controller.core.removal import clearing
from klamm.controller.znodes import paths

_ROOT = paths.REASSIGNMENT_STEPS


def list_read(draft: Draft, cause: Cause, event: HintsListRead) -> None:
    """Note whether the parent of the hints is there, and what would go with it."""
    draft.settle(cause)
    draft.learn_has_hints(event.topics is not None)
    below = tuple(f"{_ROOT}/{topic}" for topic in event.topics or ())
    draft.learn_below(_ROOT, below if draft.limits.none else ())


def read(draft: Draft, cause: Cause, event: HintsRead) -> None:
    """Take a topic's hints as ZooKeeper holds them."""
    draft.settle(cause)
    if event.version is None:
        draft.learn_below(paths.reassignment_steps(event.topic), ())
    draft.hints_read[event.topic] = None
    hints_learned(draft, event.topic, StepHints(event.version, event.steps, event.hidden))


def tidy(draft: Draft) -> None:
    """Have all hints removed, in the next turn, if there are any and nothing limits moves."""
    if draft.has_hints and draft.limits.none:
        draft.step_orders[RemoveHints()] = None


def remove(draft: Draft, cause: Cause, event: RemoveHints) -> None:
    """Remove the hints of all topics and their parent, after whatever else is below them."""
    if not (draft.has_hints and draft.limits.none) or _ROOT in draft.removed:
        draft.settle(cause)
        return
    draft.removed.add(_ROOT)
    hinted = {paths.reassignment_steps(topic): topic for topic in draft.hinted()}
    if hinted and not draft.below.get(_ROOT):
        draft.learn_below(_ROOT, tuple(hinted))
    for path in draft.below:
        if path.startswith(f"{_ROOT}/") and (step := clearing(draft, cause, path, event)):
            draft.steps.append(step)
            return
    if draft.below.get(_ROOT, ()) is None:
        draft.settle(cause)
        draft.learn_below(_ROOT, ())
        draft.learn_has_hints(False)
        return
    step = clearing(draft, cause, _ROOT, event)
    if step is None:
        gone = (SetBelow(_ROOT, ()), SetHasHints(False))
        step = Step((cause.id,), (Delete(_ROOT, ANY_VERSION),), gone)
    forgotten = (SetHints(hinted[op.path], StepHints()) for op in step.ops if op.path in hinted)
    draft.steps.append(replace(step, changes=(*step.changes, *forgotten)))
