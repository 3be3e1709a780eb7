"""F51: what a deletion left half done ends every new controller's start."""

from klamm.controller.core.model import ClusterState
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import bury, in_office, put_topic
from klamm.tools.lab.variants.n03 import FailsToStart as FailsWithoutState


class FailsToStart(FailsWithoutState):
    """A node that cannot take office while a move has no state to go on from."""

    @staticmethod
    def is_fatal(state: ClusterState) -> bool:
        """Tell whether a partition is said to move whose state znode is gone."""
        return any(partition.leadership is None for _, partition in state.moving())


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A controller died while it deleted t during a move: the state of t-0 is gone.")
    world.do("crash n1")
    put_topic(world, "t", {0: (3, 1, 2)}, {0: (3,)}, {0: (1, 2)})
    world.write(
        "is what a dead controller left",
        Create(paths.delete_topic("t"), None),
        Delete(paths.state("t", 0), ANY_VERSION),
        Delete(paths.partition("t", 0), ANY_VERSION),
    )
    bury(world, "n1")
    stage.say("n2 is elected.")
    world.settle()
    stage.claim(in_office(world) == ["n2"], "n2 is in office")
    if stage.violation is not None:
        return  # nobody ever will be
    world.advance(60.0)
    stage.claim(not stage.exists(paths.topic("t")), "the topic is gone")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F51",
    story="A topic was deleted while one of its partitions moved, and the controller died while it"
    " removed the topic's znodes one by one: the partition's state was gone, the topic's own znode"
    " with its adding and removing replicas was not. The next controller found a reassignment to"
    " resume, had no state to resume it from, and failed its start; so did all after it, until"
    " somebody removed the znode by hand. klamm removes a topic from below to above in multis, and"
    " nothing that it finds keeps it from taking office.",
    reference="linkedin/kafka #596, #597 (open)",
    exposed_by=OWN_SCRIPT,
    node_factory=FailsToStart,
)
