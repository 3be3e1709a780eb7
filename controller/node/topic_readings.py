"""What was read of topics, put together from three kinds of znodes.

States are what a large cluster has by the hundred thousand. Replica lists and ISRs repeat, as do
assignments and whole states; those that are equal become one value here, and are decoded once.
"""

from collections import defaultdict
from collections.abc import Iterator

from klamm.controller.core.events import StateRead, TopicRead
from klamm.controller.core.model import Assignment, Leadership, Partition, Topic, TopicPartition
from klamm.controller.store.port import ReadResult, Unreadable, Znode
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.state import decode_state
from klamm.controller.znodes.topic import TopicZnode


class TopicReadings:
    """Topic znodes, the partition directories below them and the states, as far as they were read.

    None is a znode that does not exist; what is not here was not read, or could not be.
    """

    def __init__(self) -> None:
        self.znodes: dict[str, tuple[Znode, TopicZnode] | None] = {}
        self.directories: dict[str, frozenset[int] | None] = {}
        self._states: dict[str, dict[int, Leadership | None]] = defaultdict(dict)
        self._lists: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._assignments: dict[tuple[int, ...], Assignment] = {}
        self._leaderships: dict[tuple[bytes | None, int], Leadership] = {}

    def take_state(self, name: TopicPartition, result: ReadResult) -> None:
        """Take a partition's state, in the place of one taken before; raises ZnodeError."""
        states = self._states[name.topic]
        states.pop(name.partition, None)
        match result:
            case Znode():
                states[name.partition] = self._leadership(result)
            case Unreadable():
                raise not_shown(result)
            case _:
                states[name.partition] = None

    def topics(self) -> Iterator[TopicRead]:
        """The topics whose znode was read, with all that is below it."""
        for name, content in self.znodes.items():
            if content is None:
                yield TopicRead(name, None)
            else:
                znode, topic = content
                yield TopicRead(name, self._topic(name, znode.version, topic), znode.czxid)

    def lone_states(self) -> Iterator[StateRead]:
        """The states of topics whose znode was not read."""
        for topic, states in self._states.items():
            if topic not in self.znodes:
                for number, leadership in states.items():
                    yield StateRead(TopicPartition(topic, number), leadership)

    def _topic(self, name: str, version: int, znode: TopicZnode) -> Topic:
        states = self._states.get(name, {})
        partitions = {
            number: Partition(self._assignment(znode, number, replicas), states.get(number))
            for number, replicas in znode.partitions.items()
        }
        directories = self.directories.get(name)
        if directories is not None:
            directories = frozenset(
                number
                for number in directories
                if number not in partitions or partitions[number].leadership is None
            )
        return Topic(name, version, partitions, znode.topic_id, directories, znode.extra)

    def _assignment(self, znode: TopicZnode, number: int, replicas: tuple[int, ...]) -> Assignment:
        adding, removing = znode.adding.get(number, ()), znode.removing.get(number, ())
        if adding or removing:
            return Assignment(replicas, adding, removing)
        shared = self._assignments.get(replicas)
        if shared is None:
            shared = Assignment(self._lists.setdefault(replicas, replicas))
            self._assignments[replicas] = shared
        return shared

    def _leadership(self, znode: Znode) -> Leadership:
        key = (znode.data, znode.version)
        known = self._leaderships.get(key)
        if known is not None:
            return known
        state = decode_state(znode.data, znode.path)
        self._leaderships[key] = decoded = Leadership(
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            isr=self._lists.setdefault(state.isr, state.isr),
            controller_epoch=state.controller_epoch,
            version=znode.version,
            leader_recovery_state=state.leader_recovery_state,
            extra=state.extra,
        )
        return decoded


def not_shown(unreadable: Unreadable) -> ZnodeError:
    """The fault of a znode that is there and that ZooKeeper does not let us read."""
    return ZnodeError(unreadable.path, f"ZooKeeper does not show it: {unreadable.error}")
