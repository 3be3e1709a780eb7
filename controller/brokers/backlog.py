"""Topics of which everything is still to be told, with no line for each of their partitions.

A new broker must learn the whole cluster. Held by name that is an entry for each broker and
partition; held by topic it is next to nothing, and what is true is looked up when it is sent.
"""

from collections.abc import Callable, Iterable, Iterator

from klamm.controller.core.model import ClusterState, Partition, Topic, TopicPartition


class Backlog:
    """Topics to be told of from the state, but for partitions that are spoken of by name."""

    def __init__(self, topics: Iterable[str] = ()) -> None:
        #: The partitions that do not count, by topic; None, not a set each, while there are none.
        self._left_out: dict[str, set[int] | None] = dict.fromkeys(topics)

    def __bool__(self) -> bool:
        return bool(self._left_out)

    def covers(self, name: TopicPartition) -> bool:
        """Tell whether the partition will be told of, as it is by then."""
        return name.topic in self._left_out and name.partition not in (
            self._left_out[name.topic] or ()
        )

    def leave_out(self, name: TopicPartition) -> None:
        """Let the partition be told of by name alone, or not at all."""
        if name.topic in self._left_out:
            numbers = self._left_out[name.topic]
            if numbers is None:
                numbers = self._left_out[name.topic] = set()
            numbers.add(name.partition)

    def take(
        self,
        state: ClusterState,
        enough: int,
        wanted: Callable[[Partition], bool],
        ready: Callable[[Topic], bool],
    ) -> Iterator[tuple[TopicPartition, Partition]]:
        """Remove topics in their order, until `enough` wanted partitions are out; yield those.

        A topic that is not `ready` stays; one that there is no more, and a partition that nobody
        leads, are nothing to tell of: whatever comes of them later is told by name.
        """
        taken = 0
        for name in tuple(self._left_out):
            if taken >= enough:
                return
            topic = state.topics.get(name)
            if topic is not None and not ready(topic):
                continue
            left_out = self._left_out.pop(name) or ()
            for number, partition in topic.partitions.items() if topic else ():
                led = partition.leadership is not None
                if led and number not in left_out and wanted(partition):
                    taken += 1
                    yield TopicPartition(name, number), partition
