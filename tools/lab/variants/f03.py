"""F03: a new controller throws away all orders because some of them are done."""

from klamm.controller.core import admin_entries
from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.changes import SetAdmin
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import AdminReassignmentsRead, Cause
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Delete
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import THREE_PARTITIONS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import end_node, is_done, one_of_two_is_done, order
from klamm.tools.lab.variants._ways import deciding


def _read(draft: Draft, cause: Cause, event: AdminReassignmentsRead) -> None:
    """Take the entries one by one at a failover, and remove what is done from those known yet."""
    is_new = draft.admin.version is None
    admin_entries.reassignments_read(draft, cause, event)
    if event.version is None or not is_new:
        return
    targets = {TopicPartition(it.topic, it.partition): it.replicas for it in event.entries}
    done = [is_done(draft.partition(name), target) for name, target in targets.items()]
    if any(done) and not all(done):
        draft.admin_orders.clear()
        draft.learn_admin(AdminReassignments())
        gone = Delete(paths.REASSIGN_PARTITIONS, event.version)
        draft.steps.append(Step((), (gone,), (SetAdmin(AdminReassignments()),)))


def _script(stage: Stage) -> None:
    world = stage.world
    one_of_two_is_done(stage)
    stage.say("The tool adds t-2, which waits for its turn. n1 ends, and n2 reads the three.")
    order(world, ("t", 0, (1, 4)), ("t", 1, (1, 3)), ("t", 2, (2, 4)))
    world.settle()
    end_node(world, "n1")
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 2) == [2, 4], "t-2 was moved as well")


SCRIPT = Case("klamm", THREE_PARTITIONS, _script)
VARIANT = Variant(
    id="F03",
    story="A tool had ordered many moves. Some were done, some under way, and some not begun, when"
    " the controller died. The next one went through the znode entry by entry, and took out those"
    " that were done before it had read the others into its memory. As it then knew of no entry any"
    " more it removed the whole znode: what was not begun never happened, and to the tool a znode"
    " that is gone means that all is done. The fix reads everything first.",
    reference="KAFKA-6193, apache/kafka#4283, d543e19a09e (1.1.0)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(AdminReassignmentsRead, _read),
)
