"""N14: a topic's deletion starts during its move because a broker of it came."""

from klamm.controller.core import deletion, facts
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import BrokersRead, Cause
from klamm.controller.core.model import Topic
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import delete
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import move_and_deletion_end, move_held_up
from klamm.tools.lab.variants._ways import deciding


def _brokers_read(draft: Draft, cause: Cause, event: BrokersRead) -> None:
    """Take brokers as klamm does, and go on with deletions for which one of them was missing."""
    before = draft.brokers
    facts.brokers_read(draft, cause, event)
    started = {
        id_
        for id_, broker in event.brokers.items()
        if id_ not in before or before[id_].epoch != broker.epoch
    }
    for name, queued in tuple(draft.deleting.items()):
        topic = draft.topic(name)
        if topic is None or queued.started or not topic.moving:
            continue
        if not started.isdisjoint(_replicas(topic)):
            deletion.start(draft, topic, queued)


def _replicas(topic: Topic) -> set[int]:
    return {id_ for each in topic.partitions.values() for id_ in each.assignment.replicas}


def _script(stage: Stage) -> None:
    world = stage.world
    move_held_up(stage)
    world.ask("n1", delete("t"))
    world.settle()
    stage.say("While the topic's deletion waits for the move, broker 1 starts anew.")
    world.do("bounce b1")
    world.settle()
    stage.claim(stage.exists(paths.topic("t")), "the deletion still waits for the move")
    move_and_deletion_end(stage)


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="N14",
    story="A topic was queued for deletion and marked to wait for a move. When any broker with a"
    " replica of it started, the mark went: it stands for everything that a deletion can wait for,"
    " a dead replica as well as a move, and the start of a broker was taken for the end of the"
    " waiting. The deletion began in the middle of the move. klamm looks at what moves each time.",
    reference="Kafka 3.9, TopicDeletionManager.scala, resumeDeletionForTopics",
    exposed_by=OWN_SCRIPT,
    decide=deciding(BrokersRead, _brokers_read),
)
