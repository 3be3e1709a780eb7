"""F08: the controller writes the orders back over what a tool has written meanwhile."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause
from klamm.controller.core.model import ClusterState
from klamm.controller.core.ops import ANY_VERSION, Delete, Op, SetData
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import THREE_PARTITIONS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import one_of_two_is_done, order
from klamm.tools.lab.variants._scripts import is_of_n1
from klamm.tools.lab.variants._timing import wait


def overwrites(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but write the admin znode whatever its version is."""
    return tuple(map(_at_any_version, decide(state, causes, settings)))


def _at_any_version(commit: Commit) -> Commit:
    return replace(commit, ops=tuple(_unchecked(op) for op in commit.ops))


def _unchecked(op: Op) -> Op:
    if isinstance(op, SetData | Delete) and op.path == paths.REASSIGN_PARTITIONS:
        return replace(op, version=ANY_VERSION)
    return op


def _script(stage: Stage) -> None:
    world = stage.world
    one_of_two_is_done(stage)
    stage.say("The tool adds t-2. Before n1 has heard of it, n1 takes t-0 out of the znode.")
    order(world, ("t", 0, (1, 4)), ("t", 1, (1, 3)), ("t", 2, (2, 4)))
    wait(world, lambda: world.can("n1 turn"), but=is_of_n1)
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 2) == [2, 4], "t-2 was moved as well")


SCRIPT = Case("klamm", THREE_PARTITIONS, _script)
VARIANT = Variant(
    id="F08",
    story="To take a finished move out of /admin/reassign_partitions the controller reads it,"
    " leaves the entry out, and writes the rest back. It does not say which version it has read. If"
    " a tool writes the znode in between, to add a move, that entry is gone before anybody has seen"
    " it, and the tool takes that for done. It is so in Kafka 3.9 still. klamm writes by version.",
    reference="Cruise Control #461 (not fixed in Kafka)",
    exposed_by=OWN_SCRIPT,
    decide=overwrites,
)
