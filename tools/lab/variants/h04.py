"""H4: a controller ends between taking an order out of the znode and writing the new move."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from klamm.controller.core.changes import SetAdmin
from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import end_node, order, ordered


def in_two_writes(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but write the admin znode first, and then all else."""
    plan = decide(state, causes, settings)
    return tuple(part for commit in plan for part in _parted(commit))


def _parted(commit: Commit) -> Iterator[Commit]:
    ops = tuple(op for op in commit.ops if op.path == paths.REASSIGN_PARTITIONS)
    if not ops or len(ops) == len(commit.ops):
        yield commit
        return
    changes = tuple(change for change in commit.changes if isinstance(change, SetAdmin))
    yield Commit(ops=ops, changes=changes, parts=(*commit.parts, *commit.causes))
    yield replace(
        commit,
        ops=tuple(op for op in commit.ops if op not in ops),
        changes=tuple(change for change in commit.changes if change not in changes),
    )


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 3 and 4, and u-0 to 2 and 3. Broker 3 fetches nothing.")
    world.do("stall b3")
    order(world, ("t", 0, (3, 4)), ("u", 0, (2, 3)))
    world.settle()
    stage.say(
        "A client asks for t-0 on 2 and 4. n1 ends when the order for t-0 has left the znode."
    )
    world.ask("n1", move("t", 0, 2, 4))
    world.until(lambda: "t-0" not in ordered(stage))
    end_node(world, "n1")
    world.settle()
    stage.rest()
    stage.claim(
        stage.replicas("t", 0) == [2, 4],
        f"what replaced the order has happened: t-0 is on {stage.replicas('t', 0)}",
    )


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="H4",
    story="When a client asks for a move of a partition that the znode orders elsewhere, the"
    " controller first takes the entry out of the znode, and then writes the new move into the"
    " topic's. If it dies in between, neither is true: the new request is lost, its client sees a"
    " connection break, and the old target, which is in the topic's znode already, goes on. klamm"
    " writes both in one multi.",
    reference="Kafka 3.9, KafkaController.scala, maybeRemoveFromZkReassignment (read)",
    exposed_by=OWN_SCRIPT,
    decide=in_two_writes,
)
