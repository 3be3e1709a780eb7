"""N4: an order that names a broker twice lowers the number of replicas, and is never done."""

import json

from klamm.controller.core import admin_entries
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AdminReassignmentsRead, BeginEntry, Cause
from klamm.controller.znodes.admin import Reassignment, Rejection
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import begin_unjudged, lenient, order
from klamm.tools.lab.variants._ways import deciding_each


def _doubled(rejection: Rejection) -> Reassignment | None:
    fields = json.loads(rejection.entry)
    replicas = fields.get("replicas", [])
    if len(set(replicas)) == len(replicas):
        return None
    return Reassignment(fields["topic"], fields["partition"], tuple(replicas))


def _read(draft: Draft, cause: Cause, event: AdminReassignmentsRead) -> None:
    admin_entries.reassignments_read(draft, cause, lenient(event, _doubled))


def _begin(draft: Draft, cause: Cause, event: BeginEntry) -> None:
    target = draft.admin.target(event.partition) or ()
    if len(set(target)) < len(target):
        begin_unjudged(draft, cause, event)
    else:
        admin_entries.begin(draft, cause, event)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 3 and 3.")
    order(world, ("t", 0, (3, 3)))
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [1, 2], "t-0 has two replicas, as before")


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="N4",
    story="A slip of the pen in a file of assignments: the same broker twice. Clients are refused"
    " for that, orders by znode are not. The controller makes a list of replicas without doubles,"
    " so the partition ends with fewer replicas than before. And as these are never what the entry"
    " says, the entry is never done and holds the znode. klamm refuses it.",
    reference="Kafka 3.9, KafkaController.scala, processZkPartitionReassignment (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deciding_each({AdminReassignmentsRead: _read, BeginEntry: _begin}),
)
