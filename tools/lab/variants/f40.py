"""F40: a new controller does not take brokers out of ISRs that died before its time."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.decide import decide
from klamm.controller.core.events import BrokersRead, Cause, CheckPartition, FollowUp
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.settings import Settings
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import bury, lose_broker
from klamm.tools.lab.variants._ways import after


def looks_at_leaders(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but look only at leaders when an office begins."""
    causes = tuple(causes)
    plan = decide(state, causes, settings)
    begins = not state.brokers and any(isinstance(c.event, BrokersRead) for c in causes)
    if not begins:
        return plan
    loaded = after(state, plan)
    return tuple(_without_shrinks(commit, loaded) for commit in plan)


def _without_shrinks(commit: Commit, state: ClusterState) -> Commit:
    kept = tuple(check for check in commit.follow_ups if not _is_led(check, state))
    return replace(commit, follow_ups=kept)


def _is_led(check: FollowUp, state: ClusterState) -> bool:
    if not isinstance(check, CheckPartition):
        return False
    partition = state.partition(check.partition)
    return (
        partition is not None
        and partition.leader in state.brokers
        and not partition.assignment.moving
    )


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("n1 and broker 2, a follower of t-0, end at the same moment.")
    world.do("crash n1")
    lose_broker(world, 2)
    bury(world, "n1")
    stage.say("n2 takes over; broker 2 was gone before its time.")
    world.settle()
    isr = stage.leadership("t", 0)[1]
    stage.claim(isr == [1], f"nobody counts on broker 2: the ISR is {isr}")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F40",
    story="A broker was killed that was the controller and a follower of many partitions. The next"
    " controller read which brokers there are and looked for partitions without a leader, but the"
    " dead broker had never died in its time, so nothing took it out of the ISRs. Producers that"
    " wait for all replicas waited for a dead one, and a later election could choose it. The fix"
    " treats replicas on brokers that are not there as offline when a controller starts.",
    reference="KAFKA-3143, KAFKA-3096, d77bac1c930 (2.3.0)",
    exposed_by=OWN_SCRIPT,
    decide=looks_at_leaders,
)
