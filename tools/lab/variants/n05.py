"""N5: the first request to delete a topic does not wait for its moves."""

from klamm.controller.core import deletion
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, CheckDeletion
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import delete
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import move_and_deletion_end, move_held_up
from klamm.tools.lab.variants._ways import deciding


def _check(draft: Draft, cause: Cause, event: CheckDeletion) -> None:
    """Begin a deletion as soon as the topic is queued for it."""
    queued, topic = draft.deleting.get(event.topic), draft.topic(event.topic)
    free = not deletion.is_changing(draft, event.topic) and not draft.unreadable
    if queued is not None and topic is not None and not queued.started and topic.moving and free:
        draft.settle(cause)
        deletion.start(draft, topic, queued)
    else:
        deletion.check(draft, cause, event)


def _script(stage: Stage) -> None:
    world = stage.world
    move_held_up(stage)
    stage.say("Somebody wants the topic deleted.")
    world.ask("n1", delete("t"))
    world.settle()
    stage.claim(stage.exists(paths.topic("t")), "the deletion waits for the move")
    move_and_deletion_end(stage)


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
