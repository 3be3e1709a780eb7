"""H9: orders that nobody can read stay where they are."""

from klamm.controller.core import admin_entries
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, TidyEntries
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import order_text
from klamm.tools.lab.variants._ways import deciding


def tidy_nothing_unread(draft: Draft, cause: Cause, event: TidyEntries) -> None:
    """Take out what is finished; a znode without an entry is not looked at."""
    if draft.admin.entries:
        admin_entries.tidy(draft, cause, event)
    else:
        draft.settle(cause)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool breaks off in the middle of what it writes.")
    order_text(world, b'{"version":1,"partitions":[{"topic"')
    world.settle()
    stage.rest()
    stage.claim(not stage.exists(paths.REASSIGN_PARTITIONS), "the next tool can give orders")


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="H9",
    story="A tool, or somebody at a shell, wrote into /admin/reassign_partitions what cannot be"
    " read. The controller logs that and takes it for no orders, so there is nothing to finish and"
    " nothing to remove. The znode stays, and every tool that finds it says that moves are under"
    " way. klamm puts the reason into its journal and removes the znode.",
    reference="Kafka 3.9, KafkaZkClient.scala, getPartitionReassignment (read)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(TidyEntries, tidy_nothing_unread),
)
