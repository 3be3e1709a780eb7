"""F09: an order for a topic that there is not stays for ever."""

from klamm.controller.core import admin_entries
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import BeginEntry, Cause
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import order
from klamm.tools.lab.variants._ways import deciding


def _begin(draft: Draft, cause: Cause, event: BeginEntry) -> None:
    """Begin what an entry asks for; one for an unknown partition is passed over."""
    if draft.partition(event.partition) is None:
        draft.settle(cause)
    else:
        admin_entries.begin(draft, cause, event)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 2 and 3, and a partition of a topic that there is not.")
    order(world, ("t", 0, (2, 3)), ("gone", 0, (1, 2)))
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [2, 3], "t-0 was moved")
    stage.claim(not stage.exists(paths.REASSIGN_PARTITIONS), "the next tool can give orders")


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="F09",
    story="A tool ordered the move of a partition whose topic had been deleted. The controller"
    " passed the entry over, as there was nothing to move, and waited for the others to be done;"
    " this one was never taken out. So the znode stayed, and each later order was refused because"
    " moves were still under way. The fix removes such an entry; klamm says so in its journal.",
    reference="KAFKA-2234, 5c2ca30f229 (0.9.0.0)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(BeginEntry, _begin),
)
