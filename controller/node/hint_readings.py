"""What was read of the hints about moves in steps: whatever it is, it fails no office."""

from collections.abc import Iterator

from klamm.controller.core.events import HintsListRead, HintsRead
from klamm.controller.node.places import MAX_NAME, Place, locate
from klamm.controller.store.port import (
    Children,
    Missing,
    Read,
    ReadChildren,
    ReadData,
    ReadResult,
    Unreadable,
    Znode,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.klamm import decode_reassignment_steps

FIRST_READ = ReadChildren(paths.REASSIGNMENT_STEPS)


class HintReadings:
    """The list of topics with hints, and the hints by topic, as far as they were read."""

    def __init__(self) -> None:
        #: What does not count, for the journal.
        self.remarks: list[str] = []
        self._list: HintsListRead | None = None
        self._hints: dict[str, HintsRead] = {}

    def take(self, result: ReadResult) -> list[Read]:
        """Take a result of a place of hints; return what must be read because of it."""
        location = locate(result.path)
        if location.place is Place.HINTS_LIST:
            return self._take_list(result)
        match result:
            case Missing():
                self._hints[location.topic] = HintsRead(location.topic, None, {})
            case Znode():
                self._hints[location.topic] = self._decoded(location.topic, result)
            case Unreadable():
                self._hints[location.topic] = HintsRead(location.topic, None, {}, hidden=True)
                self._ignore(result.path, f"ZooKeeper does not show it: {result.error}")
        return []

    def _take_list(self, result: ReadResult) -> list[Read]:
        match result:
            case Missing():
                self._list = HintsListRead(None)
            case Children(path=path, names=names):
                self._list = HintsListRead(tuple(sorted(names)))
                return [ReadData(f"{path}/{name}") for name in names if len(name) <= MAX_NAME]
            case _:
                self._ignore(result.path, "ZooKeeper does not show it")
        return []

    def _decoded(self, topic: str, znode: Znode) -> HintsRead:
        try:
            steps = decode_reassignment_steps(znode.data, znode.path)
        except ZnodeError as fault:
            self._ignore(znode.path, fault.reason)
            steps = {}
        return HintsRead(topic, znode.version, steps)

    def _ignore(self, path: str, why: str) -> None:
        self.remarks.append(f"{path} does not count, so steps are chosen anew: {why}")

    def facts(self) -> Iterator[HintsListRead | HintsRead]:
        """What was found."""
        if self._list is not None:
            yield self._list
        yield from self._hints.values()
