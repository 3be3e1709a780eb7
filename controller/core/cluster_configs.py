"""Configs of the whole cluster and of its topics, as far as decisions about moves need them."""

from klamm.controller.core.changes import SetLimits, SetMinIsr, SetRetention
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, LimitsRead, MinIsrRead, RetentionRead
from klamm.controller.core.model import ClusterState
from klamm.controller.core.pace import UNLIMITED, Limits, MinIsr
from klamm.controller.core.pacing import limits_changed, look_again


def limits_read(draft: Draft, cause: Cause, event: LimitsRead) -> None:
    """Take these as the limits of moves; steps that run go on under those they were chosen by."""
    draft.settle(cause)
    if event.limits != draft.limits:
        draft.note("configs-read", f"{shown(draft.limits)}, now {shown(event.limits)}")
        before, draft.limits = draft.limits, event.limits
        draft.changes.append(SetLimits(event.limits))
        limits_changed(draft, before)


def min_isr_read(draft: Draft, cause: Cause, event: MinIsrRead) -> None:
    """Take this as what topics need in sync."""
    draft.settle(cause)
    min_isr = _with(draft.min_isr, event)
    if min_isr != draft.min_isr:
        draft.min_isr = min_isr
        draft.changes.append(SetMinIsr(min_isr))
        look_again(draft, draft.slots.waiting)


def retention_read(draft: Draft, cause: Cause, event: RetentionRead) -> None:
    """Take this as how long the status of a completed request is kept."""
    draft.settle(cause)
    if event.status_retention_ms != draft.status_retention_ms:
        draft.status_retention_ms = event.status_retention_ms
        draft.changes.append(SetRetention(event.status_retention_ms))


CONFIGS_READ = LimitsRead | MinIsrRead | RetentionRead


def is_known(state: ClusterState, fact: LimitsRead | MinIsrRead | RetentionRead) -> bool:
    """Tell whether the state has all that was read."""
    match fact:
        case LimitsRead(limits):
            return limits == state.limits
        case MinIsrRead():
            return _with(state.min_isr, fact) == state.min_isr
        case RetentionRead(status_retention_ms):
            return status_retention_ms == state.status_retention_ms


def _with(known: MinIsr, read: MinIsrRead) -> MinIsr:
    default = known.default if read.default is None else read.default
    topics = {**({} if read.complete else known.topics), **read.topics}
    return MinIsr(default, {name: count for name, count in topics.items() if count is not None})


def shown(limits: Limits) -> str:
    """Return limits as a reader of the journal is told of them."""
    named = (
        ("replicas in a step", limits.replicas),
        ("steps at once", limits.partitions),
        ("leader steps at once", limits.leaders),
    )
    told = [f"{name} {limit}" for name, limit in named if limit != UNLIMITED]
    return f"limits: {', '.join(told) or 'none'}"
