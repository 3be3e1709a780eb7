"""F44: a fetch of a follower's former life brings it into the ISR."""

from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import lose_broker


class TakesOldFetches(BrokerModel):
    """A leader that still has a follower's last fetch in hand when that one restarts."""

    def _update_metadata(
        self, now: float, request: UpdateMetadataRequest
    ) -> UpdateMetadataResponse:
        before = self.metadata.brokers
        response = super()._update_metadata(now, request)
        returned = self.metadata.brokers.keys() - before.keys()
        for name, replica in self.replicas.items():
            for follower in sorted(returned & replica.followers.keys()):
                end = replica.followers[follower].end
                if replica.leads and end is not None:
                    self.fetched(now, name, follower, end, stays=False)
        return response


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 2 dies, and leaves the ISR of t-0. It comes back, and fetches nothing yet.")
    lose_broker(world, 2)
    world.settle()
    stage.claim(stage.leadership("t", 0) == (1, [1]), "broker 1 is alone in sync")
    world.do("start b2")
    world.do("stall b2")
    world.settle()
    stage.claim(stage.leadership("t", 0) == (1, [1]), "broker 2 has to fetch first")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F44",
    story="A follower was in sync, asked its leader for more, and was restarted at that moment,"
    " with the loss of what it had not flushed. The leader took the request up when the follower"
    " was registered again: it saw a broker that is alive and has everything, and asked for it to"
    " join the ISR. Had the leader died then, records that were acknowledged would have been lost."
    " In the fix fetches carry the broker's epoch, and the leader names it.",
    reference="KAFKA-15221, d46781d4db3 (3.7.0)",
    exposed_by=OWN_SCRIPT,
    broker=TakesOldFetches,
)
