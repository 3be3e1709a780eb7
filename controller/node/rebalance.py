"""The automatic rebalance of leads: from time to time they go back to where they were placed.

Source: Kafka 3.9, KafkaController.scala, onControllerFailover (a first look after 5 s) and
processAutoPreferredReplicaLeaderElection.
"""

from klamm.controller.core.events import ElectPreferred
from klamm.controller.core.origins import FromTimer
from klamm.controller.core.preferred import imbalanced
from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import SetTimer

REBALANCE_TIMER = "leader rebalance"
FIRST_SECONDS = 5.0


def on_office_taken(node: NodeData) -> None:
    """Set the timer, which goes on for as long as the office is held."""
    if node.config.auto_leader_rebalance:
        node.do(SetTimer(REBALANCE_TIMER, FIRST_SECONDS))


def on_rebalance(node: NodeData) -> None:
    """Elect the preferred leaders of brokers that lead too little; decided in the next turn.

    A timer of an office that is over says nothing, and the next one sets its own.
    """
    state = node.state
    if state is None or node.turns is None:
        return
    names = imbalanced(state, node.config.leader_imbalance_percentage)
    node.turns.add((ElectPreferred(name) for name in names), FromTimer(REBALANCE_TIMER))
    node.do(SetTimer(REBALANCE_TIMER, float(node.config.leader_imbalance_check_seconds)))
