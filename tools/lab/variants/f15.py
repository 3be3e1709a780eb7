"""F15: a cancel that nobody asks whether it leaves anybody with the data."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core import decide as klamm
from klamm.controller.core.events import Cause
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.tools.lab.variant import Variant


def decide(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but refuse nothing because nobody in sync would remain."""
    rules = replace(settings.rules, refuse_unclean=False)
    return klamm.decide(state, causes, replace(settings, rules=rules))


VARIANT = Variant(
    id="F15",
    story="A partition was moving when all of its original brokers died; what had been copied was"
    " on a broker that the move had added, which was leading. The operator cancelled the move."
    " Targets must be alive to be accepted, but what a cancel goes back to was not looked at: the"
    " leader was stopped, its data deleted, and the partition had no leader, not even when the"
    " original brokers came back, for the list of who is in sync still named the one that was"
    " gone. Kafka's ZooKeeper controller was never mended; KRaft refuses such a cancel.",
    reference="KAFKA-14424; linkedin/kafka#422, #442, #445",
    exposed_by="E6",
    decide=decide,
)
