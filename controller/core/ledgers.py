"""The znode of the deletes that former replicas of a topic owe: its writes, and their sizes."""

from collections.abc import Collection, Iterable, Mapping

from klamm.controller.core.changes import Change, SetLedger
from klamm.controller.core.draft import Draft, Unit
from klamm.controller.core.model import Ledger, Partition, TopicPartition
from klamm.controller.core.ops import Create, Delete, Op, SetData
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import encode_broker_lists

#: What a write takes besides its ids: operation, version, ACL, the JSON around the partitions.
_FRAME_BYTES = 150
#: `4294967295,` and `"2147483647":[],`: the most that one id and one partition take.
_ID_BYTES, _PARTITION_BYTES = 11, 16


def ledger_write(
    topic: str,
    before: Ledger,
    dropped: Mapping[int, Collection[int]],
    replicas: Mapping[int, Collection[int]],
    *,
    bears: bool = False,
) -> tuple[Op | None, Ledger]:
    """Enter into a topic's debts who was dropped, by partition; take out who paid or is a replica.

    Returns the write, None if there is nothing to write, and the debts after it. The znode goes
    with the last debt, unless it `bears` others that somebody else has put below it.
    """
    owed = {}
    for number in before.owed.keys() | dropped.keys():
        brokers = before.due(number).union(dropped.get(number, ()))
        owed[number] = brokers.difference(replicas.get(number, ()))
    owed = without_empty(owed)
    if owed == before.owed and (owed or before.version is None or bears):
        # Who has paid may have been dropped anew.
        return None, Ledger(before.version, owed) if before.paid else before
    path = paths.replica_deletions(topic)
    if before.version is not None and not owed and not bears:
        return Delete(path, before.version), Ledger()
    data = encode_broker_lists({number: tuple(sorted(owed[number])) for number in owed})
    if before.version is None:
        return Create(path, data), Ledger(0, owed)
    return SetData(path, data, before.version), Ledger(before.version + 1, owed)


def ledger_bound(topic: str, before: Ledger, brokers: int, partitions: int) -> int:
    """Bytes that such a write does not exceed if at most so many brokers of so many are dropped."""
    ids = brokers + sum(map(len, before.owed.values()))
    frame = _FRAME_BYTES + len(paths.replica_deletions(topic).encode())
    return frame + _ID_BYTES * ids + _PARTITION_BYTES * (partitions + len(before.owed))


def without_empty(brokers: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """The partitions with any broker, in order."""
    return {number: brokers[number] for number in sorted(brokers) if brokers[number]}


class Ledgers:
    """What a Plan writes of debts: a topic's in each Commit that changes who owes or is a replica.

    Holds what the Commit being filled is to write, and what those before it leave behind.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._after: dict[str, Ledger] = {}
        self._dropped: dict[str, dict[int, Collection[int]]] = {}

    def __contains__(self, topic: str) -> bool:
        """Tell whether a Commit writes the topic's debts, this one or one before."""
        return topic in self._after or topic in self._dropped

    @property
    def waiting(self) -> int:
        """How many writes the Commit being filled will have of this, at most."""
        return len(self._dropped)

    def bound(self, topic: str, units: Iterable[tuple[TopicPartition, Unit]]) -> int:
        """Bytes that a write of the topic's debts takes at most; 0 if there is none."""
        dropped = [len(unit.dropped) for _, unit in units if unit.dropped]
        ledger = self._draft.ledger(topic)
        if not dropped and ledger.version is None:
            return 0
        return ledger_bound(topic, ledger, sum(dropped), len(dropped))

    def assign(self, topic: str) -> None:
        """Note that the Commit being filled writes the topic's replicas."""
        if self._draft.ledger(topic).owed:
            self.clear(topic)

    def clear(self, topic: str) -> None:
        """Note that the Commit being filled takes out who has paid, or an empty znode."""
        self._dropped.setdefault(topic, {})

    def add(self, name: TopicPartition, unit: Unit) -> None:
        """Note whom a unit drops."""
        if unit.dropped:
            self._dropped.setdefault(name.topic, {})[name.partition] = unit.dropped

    def close(
        self, partitions: Mapping[str, Mapping[int, Partition]]
    ) -> tuple[list[Op], list[Change]]:
        """The writes of the Commit being filled, whose topics have these partitions; begin anew."""
        ops: list[Op] = []
        changes: list[Change] = []
        dropped, self._dropped = self._dropped, {}
        for name in sorted(dropped):
            before = self._after.get(name) or self._draft.ledger(name)
            topic = self._draft.topic(name)
            present = partitions.get(name) or (topic.partitions if topic else {})
            replicas = {number: each.assignment.replicas for number, each in present.items()}
            bears = bool(self._draft.below.get(paths.replica_deletions(name)))
            op, after = ledger_write(name, before, dropped[name], replicas, bears=bears)
            self._after[name] = after
            if op is not None:
                ops.append(op)
            if after is not before:
                changes.append(SetLedger(name, after))
        return ops, changes
