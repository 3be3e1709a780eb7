"""S1: a step drops old replicas before the new ones are in sync."""

from dataclasses import replace

from klamm.controller.core import checks
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, CheckPartition
from klamm.controller.core.moves import reassign
from klamm.controller.core.pacing import situation
from klamm.controller.core.steps import after_drop, drop_set
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import deciding


def _check(draft: Draft, cause: Cause, event: CheckPartition) -> None:
    """End a step as if those it adds were in sync; all else as klamm does."""
    name = event.partition
    partition = draft.partition(name)
    pace = partition.pace if partition is not None else None
    running = pace.running if pace is not None else None
    if partition is None or pace is None or running is None or draft.unreadable_of(name):
        checks.check(draft, cause, event)
        return
    now = situation(draft, name, partition)
    isr = tuple(dict.fromkeys((*now.isr, *running.adding)))
    drops = drop_set(replace(now, isr=isr), running.limit) if running.kind == "swap" else ()
    if not drops or isr == now.isr:
        checks.check(draft, cause, event)
        return
    told = tuple(broker for broker in pace.hosted if broker not in drops)
    ended = replace(pace, hosted=told, steps=pace.steps + 1, running=None)
    wanted = after_drop(partition.assignment, now.isr, drops)
    reassign(draft, name, wanted, ended if wanted.moving else None)
    draft.unit(name).check_later = True
    draft.settle(cause, None, name)


VARIANT = Variant(
    id="S1",
    story="KIP-435's algorithm adds replicas and drops others, and does not say that it waits in"
    " between. A controller that follows it to the letter drops old replicas as soon as the new"
    " ones were told to copy. So every step takes replicas out of sync, though its limits are there"
    " to spare them. klamm drops nobody before those who come are in the ISR.",
    reference='KIP-435, "Algorithm", steps 3 and 4; R435-19',
    exposed_by="steps-crash",
    decide=deciding(CheckPartition, _check),
)
