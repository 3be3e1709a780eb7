"""F13: a cancelled replica does not obey, for the leader epoch is the one that it has."""

from klamm.controller.core import moves
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import Partition, TopicPartition
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.brokers import control
from klamm.tools.brokers.hosting import Hosting
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.settings import BrokerSettings
from klamm.tools.brokers.storage import Disks
from klamm.tools.lab.clients import cancel, move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import LEADERS_ASK
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._ways import deciding


def _alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Decide on a request; a cancel that drops nobody in sync begins no leader epoch."""
    name = event.partition
    before = draft.partition(name)
    moves.alter(draft, cause, event)
    after = draft.units.get(name)
    if event.target is not None or before is None or after is None:
        return
    held, now = before.leadership, after.after.leadership
    if held is not None and now is not None and (held.leader, held.isr) == (now.leader, now.isr):
        after.after = Partition(after.after.assignment, held)


class KeepsWhatItHas(Hosting):
    """Replicas that a stop of their own leader epoch does not concern."""

    def stop(self, name: TopicPartition, stop: control.Stop) -> ErrorCode:
        """Decide on one partition of StopReplica."""
        hosted = self.replicas.get(name)
        if hosted is not None and stop.leader_epoch == hosted.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        return super().stop(name, stop)


class Disobeys(BrokerModel):
    """A broker with such replicas."""

    def __init__(self, settings: BrokerSettings, disks: Disks, now: float) -> None:
        super().__init__(settings, disks, now)
        hosting = KeepsWhatItHas(settings.id, disks, settings.born_with)
        hosting.replicas = self.hosting.replicas
        self.hosting = hosting


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves to brokers 1 and 3. Broker 3 fetches nothing, and the move is cancelled.")
    world.do("stall b3")
    world.ask("n1", move("t", 0, 1, 3))
    world.settle()
    world.ask("n1", cancel("t", 0))
    world.settle()
    stage.claim(stage.replicas("t", 0) == [1, 2], "t-0 is where it was")
    stage.rest()


SCRIPT = Case("klamm", LEADERS_ASK, _script)
VARIANT = Variant(
    id="F13",
    story="A move was cancelled before its new replica had caught up. Nobody left the ISR by that,"
    " so the leader epoch stayed as it was, and the new replica was told to stop with the very"
    " epoch that it had. Brokers take a stop only if it is of a newer epoch, so this one was"
    " ignored. The log stayed on the disk, and when the topic was deleted and made anew its id did"
    " not match. The fix raises the epoch with each cancel; klamm does so for every change of the"
    " replicas.",
    reference="KAFKA-13972, apache/kafka#13107, 653e284fcce (3.4.1)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(AlterReassignment, _alter),
    broker=Disobeys,
)
