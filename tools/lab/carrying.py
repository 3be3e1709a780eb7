"""What a node asks for is done on its host, one effect at a time, as a driver does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from klamm.controller.node.effects import (
    ArmWatch,
    CloseLink,
    Commit,
    Effect,
    Journal,
    ReadZnodes,
    Reply,
    Resign,
    Send,
    SetTimer,
    Transacted,
    Update,
)

if TYPE_CHECKING:
    from klamm.tools.lab.nodes import NodeHost


def carry_out(host: NodeHost, effect: Effect) -> None:
    """Do what an effect asks for; the journal is told from the effects themselves."""
    match effect:
        case Journal():
            pass
        case Commit(request, ops, fence):
            host.opened().commit(request, ops, fence)
        case Update(request, op):
            host.opened().update(request, op)
        case ReadZnodes(request, reads, sync):
            host.opened().read(request, reads, sync)
        case ArmWatch(request, watches):
            host.opened().watch(request, watches)
        case Send():
            host.send(effect)
        case CloseLink(broker):
            host.close_link(broker)
        case Reply(request, results) | Transacted(request, results):
            host.desk.reply(request, results)
        case SetTimer(name, seconds):
            host.timers[name] = host.world.now + seconds
        case Resign():
            host.resign()
