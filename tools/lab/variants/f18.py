"""F18: a move ends when what it adds is in sync, whatever the rest of the target does."""

from dataclasses import replace

from klamm.controller.core.reassignment import additions_in_sync
from klamm.controller.core.rules import Rules
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import lose_broker


def ends_with_additions(rules: Rules) -> Rules:
    """Return rules by which a move may end when its additions are in sync."""
    return replace(rules, complete=additions_in_sync)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 2 dies, and leaves the ISR of t-0.")
    lose_broker(world, 2)
    world.settle()
    stage.say("t-0 is moved from brokers 1 and 2 to 2 and 3. Broker 3 catches up.")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    world.advance(5.0)
    replicas, isr = stage.replicas("t", 0), stage.leadership("t", 0)[1]
    stage.claim(len(isr) == 2, f"two are in sync: replicas {replicas}, ISR {isr}")
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [2, 3], "with broker 2 back in sync the move has ended")


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F18",
    story="A partition was moved, and a broker that it was to keep was out of sync. The"
    " test for the end of a move looked at the replicas that were added, and they were in sync, so"
    " the leaving ones, which were in sync as well, were dropped. The partition was left with fewer"
    " replicas in sync than min.insync.replicas, and producers were refused. The fix waits for the"
    " whole target, as the ZooKeeper controller always did.",
    reference="KAFKA-15665, 756f44a3e58 (3.8.0, KRaft)",
    exposed_by=OWN_SCRIPT,
    rules=ends_with_additions,
)
