"""Steps of the node's door: open in every phase, as long as there is a session."""

from __future__ import annotations

from collections.abc import Iterable

from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import Effect, Journal, Severity, Transacted
from klamm.controller.node.inputs import Audited, Transactions
from klamm.controller.node.notices import OWN_REQUEST
from klamm.controller.store.port import CommitDone, ReadDone, WatchDone


def on_transactions(node: NodeData, event: Transactions) -> None:
    """Carry out what a client asks for."""
    _do(node, node.door.enter(event.id, event.transactions, event.origin))


def on_answer(node: NodeData, event: ReadDone | CommitDone) -> None:
    """Hand the store's answer to the door that asked."""
    _do(node, node.door.answered(event))


def on_connected(node: NodeData) -> None:
    """Go on after a lost connection, or begin with a new session."""
    _do(node, node.door.connected(node.office.session))
    if node.permissions is not None:
        node.do(*node.permissions.connected())
    node.do(*node.notices.start())


def on_disconnected(node: NodeData) -> None:
    """Hold everything back until the connection is there again."""
    node.door.disconnected()
    if node.permissions is not None:
        node.permissions.disconnected()


def on_lost(node: NodeData, reason: str) -> None:
    """Answer what is open: the session is over."""
    if node.permissions is not None:
        node.permissions.disconnected()
    _do(node, node.door.lost(reason))


def on_audited(node: NodeData, event: Audited) -> None:
    """Write into the journal who has altered what."""
    node.do(Journal(Severity.INFO, "audit", event.text, origin=event.origin))


def on_permissions(node: NodeData, event: ReadDone | WatchDone) -> None:
    """Hand the store's answer to who keeps the access control lists."""
    if node.permissions is not None:
        if isinstance(event, WatchDone):
            node.do(*node.permissions.armed(event))
        else:
            node.do(*node.permissions.answered(event))


def read_permissions_again(node: NodeData) -> None:
    """Read lists that could not be read."""
    if node.permissions is not None:
        node.do(*node.permissions.again())


def on_list_changed(node: NodeData, path: str) -> None:
    """Read the access control list at a path, if there is one."""
    if node.permissions is not None:
        node.do(*node.permissions.touched(path))


def look_for_old_notices(node: NodeData) -> None:
    """Remove old notices of changed configs, if this node is controller."""
    _do(node, node.notices.look(node.door, node.active))


def _do(node: NodeData, effects: Iterable[Effect]) -> None:
    """Pass on what the door asks for; what it answers to the node itself stays here."""
    for effect in effects:
        if isinstance(effect, Transacted) and node.permissions is not None:
            node.permissions.learn(effect.results)
        if isinstance(effect, Transacted) and effect.request == OWN_REQUEST:
            node.do(*node.notices.looked(effect))
        else:
            node.do(effect)
