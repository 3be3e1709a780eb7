"""Steps of the node's door: open in every phase, as long as there is a session."""

from __future__ import annotations

from collections.abc import Iterable

from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import Effect, Transacted
from klamm.controller.node.inputs import Transactions
from klamm.controller.node.notices import OWN_REQUEST
from klamm.controller.store.port import CommitDone, ReadDone


def on_transactions(node: NodeData, event: Transactions) -> None:
    """Carry out what a client asks for."""
    _do(node, node.door.enter(event.id, event.transactions, event.origin))


def on_answer(node: NodeData, event: ReadDone | CommitDone) -> None:
    """Hand the store's answer to the door that asked."""
    _do(node, node.door.answered(event))


def on_connected(node: NodeData) -> None:
    """Go on after a lost connection, or begin with a new session."""
    _do(node, node.door.connected(node.office.session))
    node.do(*node.notices.start())


def on_lost(node: NodeData, reason: str) -> None:
    """Answer what is open: the session is over."""
    _do(node, node.door.lost(reason))


def look_for_old_notices(node: NodeData) -> None:
    """Remove old notices of changed configs, if this node is controller."""
    _do(node, node.notices.look(node.door, node.active))


def _do(node: NodeData, effects: Iterable[Effect]) -> None:
    """Pass on what the door asks for; what it answers to the node itself stays here."""
    for effect in effects:
        if isinstance(effect, Transacted) and effect.request == OWN_REQUEST:
            node.do(*node.notices.looked(effect))
        else:
            node.do(effect)
