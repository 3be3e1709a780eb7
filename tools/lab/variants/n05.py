"""N5: the first request to delete a topic does not wait for its moves."""

from klamm.controller.core import deletion
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, CheckDeletion
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import delete, move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._deletions import begin
from klamm.tools.lab.variants._ways import deciding


def _check(draft: Draft, cause: Cause, event: CheckDeletion) -> None:
    """Begin a deletion as soon as the topic is queued for it."""
    queued, topic = draft.deleting.get(event.topic), draft.topic(event.topic)
    free = not deletion.is_changing(draft, event.topic) and not draft.unreadable
    if queued is not None and topic is not None and not queued.started and topic.moving and free:
        draft.settle(cause)
        begin(draft, topic, queued)
    else:
        deletion.check(draft, cause, event)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 3 fetches nothing, so that a move to it takes its time.")
    world.do("stall b3")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    stage.say("Somebody wants the topic deleted.")
    world.ask("n1", delete("t"))
    world.settle()
    stage.claim(stage.exists(paths.topic("t")), "the deletion waits for the move")
    stage.say("Broker 3 fetches again, the move ends, and the topic goes.")
    world.do("b3 fetches again")
    world.advance(60.0)
    stage.claim(not stage.exists(paths.topic("t")), "the topic is gone")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="N5",
    story="A topic that is to be deleted should wait until none of its partitions moves. Kafka"
    " marks the topics that must wait before it queues them for deletion, and only what is queued"
    " can be marked: so a DeleteTopics during a move starts at once. The move loses its topic in"
    " the middle, and with it whoever waits for its end. klamm looks at what moves after the topic"
    " is queued.",
    reference="Kafka 3.9, TopicDeletionManager.scala, markTopicIneligibleForDeletion (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(CheckDeletion, _check),
)
