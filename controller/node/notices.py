"""Old notices of changed configs and access control lists are removed, by the controller.

Kafka's brokers remove notices that are older than 15 minutes whenever they read the others (Kafka
3.9, ZkNodeChangeNotificationListener.purgeObsoleteNotifications). Where no broker does that, they
would pile up for ever; so the controller looks every 15 minutes, and what was there the last time
is old enough. That needs nobody's clock but our own, and brokers that purge as well are in
nobody's way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from klamm.controller.core.ops import Delete
from klamm.controller.core.results import Refusal
from klamm.controller.node.door import Door
from klamm.controller.node.effects import Effect, Journal, SetTimer, Severity, Transacted
from klamm.controller.store.port import Children, Read, ReadChildren, ReadData, Znode
from klamm.controller.store.transaction import Decision, Found
from klamm.controller.znodes import paths

NOTICES_TIMER = "config changes"
NOTICES_SECONDS = 15 * 60.0

#: The door's number for what the node itself asks; those of clients' requests begin at 1.
OWN_REQUEST = 0

PARENTS = (paths.CONFIG_CHANGES, paths.ACL_CHANGES, paths.EXTENDED_ACL_CHANGES)

#: As many deletes as fit into one multi, with room to spare; the rest is for the next look.
MOST_DELETES = 5_000


@dataclass(frozen=True, slots=True)
class PurgeNotices:
    """Delete the notices that were there before; comes to the paths of those that stay."""

    before: frozenset[str]

    @property
    def reads(self) -> tuple[Read, ...]:
        """The lists of notices, and those that are old, the oldest of each first."""
        old = sorted(self.before)[:MOST_DELETES]
        return (*map(ReadChildren, PARENTS), *map(ReadData, old))

    def decide(self, found: tuple[Found, ...]) -> Decision[frozenset[str]]:
        """Delete what is old; a notice that somebody else has deleted begins it again."""
        lists = [each for each in found if isinstance(each, Children)]
        present = {f"{each.path}/{name}" for each in lists for name in each.names}
        old = [each for each in found if isinstance(each, Znode)]
        deletes = tuple(Delete(znode.path, znode.version) for znode in old)
        return Decision(frozenset(present.difference(znode.path for znode in old)), deletes)


@dataclass(slots=True)
class Notices:
    """What a node knows of the notices: those that were there when it looked last."""

    seen: frozenset[str] = frozenset()
    started: bool = False
    looking: bool = False

    def start(self) -> Iterator[Effect]:
        """Set the timer, once for all sessions."""
        if not self.started:
            self.started = True
            yield SetTimer(NOTICES_TIMER, NOTICES_SECONDS)

    def look(self, door: Door, active: bool) -> Iterator[Effect]:
        """Look, if this node is controller, and again after the next quarter of an hour."""
        yield SetTimer(NOTICES_TIMER, NOTICES_SECONDS)
        if not active:
            self.seen = frozenset()
        elif not self.looking:
            self.looking = True
            yield from door.enter(OWN_REQUEST, (PurgeNotices(self.seen),))

    def looked(self, answer: Transacted) -> Iterator[Effect]:
        """Remember what stays; a failure is told, and the next look tries again."""
        self.looking = False
        (result,) = answer.results
        if isinstance(result, Refusal):
            self.seen = frozenset()
            yield Journal(Severity.WARNING, "old notices stay", result.message)
        else:
            self.seen = result
