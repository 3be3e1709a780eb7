"""F06: what a second tool writes over the orders under way is never carried out."""

from klamm.controller.core import admin_entries
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, TidyEntries
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import is_done, order, order_held_up
from klamm.tools.lab.variants._ways import deciding


def _tidy(draft: Draft, cause: Cause, event: TidyEntries) -> None:
    """Take out what is done, but leave alone for ever what came later."""
    admin, state = draft.admin, draft.state
    done = (is_done(state.partition(name), to) for name, to in admin.accepted.items())
    if admin.beyond() and all(done):
        draft.settle(cause)
    else:
        admin_entries.tidy(draft, cause, event)


def _script(stage: Stage) -> None:
    world = stage.world
    order_held_up(stage)
    stage.say("A second tool writes the znode again: t-0 as it was, and u-0 to brokers 1 and 2.")
    order(world, ("t", 0, (2, 3)), ("u", 0, (1, 2)))
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("u", 0) == [1, 2], "u-0 was moved when t-0 was there")
    stage.claim(not stage.exists(paths.REASSIGN_PARTITIONS), "the next tool can give orders")


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="F06",
    story="While moves were under way a second tool wrote more of them into the same znode. The"
    " controller had read the znode once, and finished what it knew. It took that out, but the rest"
    " stayed: nobody acted on it, the znode was never empty and so never removed, and as it was"
    " never made anew nothing told the controller of it. All later orders were refused until"
    " somebody removed /controller. It is so in Kafka 3.9 still; klamm watches the data.",
    reference="KAFKA-9478, apache/kafka#8196 (closed; not fixed)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(TidyEntries, _tidy),
)
