"""H7: nobody remembers which deletions are owed."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.changes import Change, SetLedger
from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import end_node
from klamm.tools.lab.variants._scripts import lose_broker


def forgets(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but keep debts in memory alone."""
    return tuple(map(_without_debts, decide(state, causes, settings)))


def _without_debts(commit: Commit) -> Commit:
    below = f"{paths.REPLICA_DELETIONS}/"
    return replace(
        commit,
        ops=tuple(op for op in commit.ops if not op.path.startswith(below)),
        changes=tuple(map(_unwritten, commit.changes)),
    )


def _unwritten(change: Change) -> Change:
    if isinstance(change, SetLedger):
        return replace(change, ledger=replace(change.ledger, version=None))
    return change


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 2 dies. t-0, which it has a replica of, is moved to brokers 1 and 3.")
    lose_broker(world, 2)
    world.settle()
    world.ask("n1", move("t", 0, 1, 3))
    world.settle()
    world.advance(1.0)
    stage.claim(stage.replicas("t", 0) == [1, 3], "the move has ended without broker 2")
    stage.say("n1 ends, and n2 is elected. Then broker 2 comes back, with its log of t-0.")
    end_node(world, "n1")
    world.settle()
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="H7",
    story="At the end of a move the replicas that leave are told to stop and to delete their logs."
    " Nothing but the controller's memory knows of it: if the broker is down at that moment, or the"
    " controller dies before it has sent the request, nobody says it again. The broker keeps a log"
    " that no topic has, and finds it in its way if the topic comes back. klamm writes what is owed"
    " into ZooKeeper, with the end of the move.",
    reference="KAFKA-7362, apache/kafka#7741 (not merged)",
    exposed_by=OWN_SCRIPT,
    decide=forgets,
)
