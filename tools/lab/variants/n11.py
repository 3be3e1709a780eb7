"""N11: any request removes orders that could not be read, unread as they are."""

from klamm.controller.core import moves
from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.changes import SetAdmin
from klamm.controller.core.decide import Decision
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import AlterReassignment, Cause, TidyEntries
from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import order, order_text
from klamm.tools.lab.variants._scripts import is_of_n1
from klamm.tools.lab.variants._ways import deciding_each
from klamm.tools.lab.variants.h09 import tidy_nothing_unread


def _alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Decide on a request, and remove the znode of orders if it seems to hold none."""
    moves.alter(draft, cause, event)
    admin = draft.admin
    if admin.version is not None and not admin.entries:
        draft.admin = AdminReassignments()
        gone = Delete(paths.REASSIGN_PARTITIONS, ANY_VERSION)
        draft.steps.append(Step((), (gone,), (SetAdmin(draft.admin),)))


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool breaks off in the middle of what it writes: n1 finds half a list of orders.")
    order_text(world, b'{"version":1,"partitions":[{"topic"')
    world.settle()
    stage.say("The tool writes the whole list. Before n1 has heard of it a client moves u-0.")
    order(world, ("t", 0, (2, 3)))
    world.settle(but=is_of_n1)
    world.ask("n1", move("u", 0, 1, 2))
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [2, 3], "t-0 was moved as ordered")


_OTHERS: dict[type, Decision] = {AlterReassignment: _alter, TidyEntries: tidy_nothing_unread}
SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="N11",
    story="What cannot be read of /admin/reassign_partitions counts as no orders, and stays. A"
    " request for a partition takes it out of the orders: out of none, so none are left, and the"
    " controller removes the znode, whatever it holds by now and whatever its version is. Nobody"
    " learns what stood there. If the tool has just corrected its mistake, the orders are gone"
    " before they were read. klamm says what it could not read, and removes by version.",
    reference="Kafka 3.9, KafkaController.scala, maybeRemoveFromZkReassignment (read)",
    exposed_by=OWN_SCRIPT,
    decide=deciding_each(_OTHERS),
)
