"""Lines of journals: their form, their numbers, and the parts that many of them have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from klamm.tools.pipeline.samples.files import JournalFiles, Place
from klamm.tools.pipeline.samples.replicas import Replicated

TOOL = "reassign-partitions-tool"


class Teller:
    """Writes lines of the node that is in office, and of others.

    `now_ms` is what their clocks say.
    """

    def __init__(self, files: JournalFiles, begin_ms: int, node: int) -> None:
        self.files = files
        self.begin_ms = self.now_ms = begin_ms
        self.epoch, self.node = 0, node
        #: By node: the last number that was given, and the one of the last line.
        self.sequences: Counter[int] = Counter()
        self.written_last: dict[int, int] = {}
        self.lines, self.correlation = 0, 0

    def tell(self, kind: str, rest: str = "", severity: str = "info") -> int:
        """Write a line of whoever is in office, and return its number."""
        return self.tell_of(self.node, self.epoch, kind, rest, severity)

    def tell_of(
        self, node: int, epoch: int, kind: str, rest: str = "", severity: str = "info"
    ) -> int:
        """Write a line of any node; `rest` are further fields, each after a comma."""
        self.sequences[node] = self.written_last[node] = sequence = self.sequences[node] + 1
        self.raw(
            node,
            f'{{"v":1,"seq":{sequence},"node":{node},"epoch":{epoch},"wall_ms":{self.now_ms},'
            f'"monotonic_s":{(self.now_ms - self.begin_ms) / 1000 + 100},"severity":"{severity}",'
            f'"kind":"{kind}"{rest}}}',
        )
        return sequence

    def raw(self, node: int, line: str) -> None:
        """Write any text as a line."""
        self.lines += 1
        self.files.write(node, f"{line}\n")

    def place(self, node: int | None = None) -> Place:
        """Return where the last line stands, of whoever is in office unless told otherwise."""
        return self.files.last(self.node if node is None else node)

    def change(
        self,
        kind: str,
        partition: Replicated,
        before: str,
        rest: str,
        after: str | None = None,
    ) -> int:
        """Tell what became of a partition."""
        return self.tell(
            kind,
            f',"topic":"{partition.topic}","partition":{partition.number},"before":{before},'
            f'"after":{after or partition.text}{rest}',
        )

    def asked(self, client: str = TOOL) -> str:
        """Return the fields of a request of AlterPartitionReassignments."""
        return (
            f'"cause":{{"kind":"client","peer":"10.0.0.7:40118",'
            f'"correlation_id":{self.correlation},"api_key":45}},'
            f'"principal":"User:ops","client_id":"{client}"'
        )

    def written(self, partition: Replicated, topic_version: int | None) -> str:
        """Return the writes of a Commit: of the topic's znode, if that has got a version, too."""
        state = (
            f'{{"path":"/brokers/topics/{partition.topic}/partitions/{partition.number}/state",'
            f'"before":{partition.version - 1},"after":{partition.version}}}'
        )
        if topic_version is None:
            return f',"writes":[{state}]'
        return (
            f',"writes":[{{"path":"/brokers/topics/{partition.topic}",'
            f'"before":{topic_version - 1},"after":{topic_version}}},{state}]'
        )


def brokers(ids: Iterable[int]) -> str:
    """Return a list of ids."""
    return f"[{','.join(map(str, ids))}]"


def seen(partition: Replicated) -> str:
    """Return cause and messages of what a leader has written."""
    return (
        ',"event":{"kind":"StateRead"},"cause":{"kind":"watch",'
        f'"path":"/brokers/topics/{partition.topic}/partitions/{partition.number}/state"}},'
        '"messages":[{"kind":"update-metadata"}]'
    )


def sent(replicas: Iterable[int], is_new: Sequence[int] = (), stopped: Sequence[int] = ()) -> str:
    """Return what brokers are sent of a Commit."""
    new = f',"is_new":{brokers(sorted(is_new))}' if is_new else ""
    stops = "".join(f',{{"kind":"stop-replica","brokers":[{id_}]}}' for id_ in sorted(stopped))
    return (
        f',"messages":[{{"kind":"leader-and-isr","brokers":{brokers(sorted(replicas))}{new}}},'
        f'{{"kind":"update-metadata"}}{stops}]'
    )
