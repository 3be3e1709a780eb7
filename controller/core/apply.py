"""Folding the changes of a Commit into the state, copying each touched topic once."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.changes import (
    Change,
    RefuseEntries,
    SetAdmin,
    SetAlteration,
    SetAwaiting,
    SetBelow,
    SetBrokers,
    SetCounter,
    SetDeletion,
    SetElection,
    SetHasHints,
    SetHeldBack,
    SetHints,
    SetLedger,
    SetLimits,
    SetMinIsr,
    SetNodes,
    SetOffline,
    SetPartition,
    SetRetention,
    SetShuttingDown,
    SetStatus,
    SetTopic,
    SetUnreadable,
    TouchTopic,
)
from klamm.controller.core.model import (
    NO_REPLICAS,
    ClusterState,
    Ledger,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.pace import Pace, StepHints
from klamm.controller.core.slots import Slots

#: Changes that replace a field of the state: which field, and by what of the change.
FIELDS: Mapping[type, tuple[str, str]] = {
    SetBrokers: ("brokers", "brokers"),
    SetNodes: ("nodes", "nodes"),
    SetCounter: ("commits", "counter"),
    SetShuttingDown: ("shutting_down", "brokers"),
    SetUnreadable: ("unreadable", "unreadable"),
    SetAdmin: ("admin", "admin"),
    SetElection: ("election", "election"),
    SetLimits: ("limits", "limits"),
    SetMinIsr: ("min_isr", "min_isr"),
    SetHasHints: ("has_hints", "there"),
    SetRetention: ("status_retention_ms", "status_retention_ms"),
    SetStatus: ("status", "book"),
    SetAlteration: ("alteration", "request"),
}
#: Changes of one entry of a mapping: its field, the key and the value of the change, and the value
#: that stands for no entry.
ENTRIES: Mapping[type, tuple[str, str, str, object]] = {
    SetAwaiting: ("awaiting", "name", "awaiting", None),
    SetDeletion: ("deleting", "name", "deletion", None),
    SetLedger: ("ledgers", "topic", "ledger", Ledger()),
    SetHints: ("hints", "topic", "hints", StepHints()),
    SetHeldBack: ("held_back", "leader", "waiting", {}),
    SetOffline: ("offline_replicas", "broker", "replicas", NO_REPLICAS),
    SetBelow: ("below", "root", "below", ()),
}


def apply(state: ClusterState, changes: Iterable[Change]) -> ClusterState:
    """Return the state with all changes folded in, in order; the given one stays as it was.

    A change of a topic that is unknown raises KeyError: it would be a fault of the decision.
    """
    folding = _Folding(state)
    for change in changes:
        kind = type(change)
        if isinstance(change, SetPartition | TouchTopic):
            folding.change_topic(change)
        elif kind in ENTRIES:
            folding.set_entry(change, *ENTRIES[kind])
        elif kind in FIELDS:
            field, value = FIELDS[kind]
            folding.fields[field] = getattr(change, value)
        elif isinstance(change, SetTopic):
            folding.set_topic(change.name, change.topic)
        elif isinstance(change, RefuseEntries):
            admin: AdminReassignments = folding.fields.get("admin", state.admin)
            folding.fields["admin"] = admin.refusing(change.names)
        else:
            raise TypeError(f"no way to fold {kind.__name__} into the state")
    return folding.result()


class _Folding:
    """The state under way: fields that are replaced, and copies of what is changed in part."""

    def __init__(self, state: ClusterState) -> None:
        self._state = state
        self.fields: dict[str, Any] = {}
        #: Of topics that are changed in part, the copies of their partitions.
        self._partitions: dict[str, dict[int, Partition]] = {}
        #: The paces that changes come to, where moves may be made in steps.
        self._paced = state.slots != Slots()
        self._paces: dict[TopicPartition, Pace | None] = {}

    def set_entry(self, change: Change, field: str, key: str, value: str, nothing: object) -> None:
        """Put an entry into a mapping, or take it out."""
        entries, found = self._copy(field), getattr(change, value)
        if found == nothing:
            entries.pop(getattr(change, key), None)
        else:
            entries[getattr(change, key)] = found

    def set_topic(self, name: str, topic: Topic | None) -> None:
        """Put a whole topic in the place of what is known of it."""
        topics: dict[str, Topic] = self._copy("topics")
        changed = self._partitions.pop(name, None)
        if name in topics and self._paced:
            self._note_paces(topics[name], changed, gone=True)
        if topic is not None:
            self._note_paces(topic)
            topics[name] = topic
        else:
            topics.pop(name, None)
            self._forget_offline(name)
        self._paced = self._paced or bool(self._paces)

    def change_topic(self, change: TouchTopic | SetPartition) -> None:
        """Note a change inside a topic, which is put together at the end."""
        topics: dict[str, Topic] = self._copy("topics")
        if isinstance(change, TouchTopic):
            touched = replace(topics[change.name], version=change.version, bare=change.bare)
            topics[change.name] = touched
            return
        name, number = change.name
        if name not in self._partitions:
            self._partitions[name] = dict(topics[name].partitions)
        self._partitions[name][number] = change.partition
        if self._paced or change.partition.pace:
            self._paced = True
            self._paces[change.name] = change.partition.pace

    def result(self) -> ClusterState:
        """The state once all of it is folded in."""
        for name, partitions in self._partitions.items():
            topics = self.fields["topics"]
            topics[name] = replace(topics[name], partitions=partitions)
        return replace(self._state, **self.fields, slots=_slots(self._state, self._paces))

    def _copy(self, field: str) -> dict[Any, Any]:
        """Return the mapping of this field, copied once."""
        if field not in self.fields:
            self.fields[field] = dict(getattr(self._state, field))
        copied: dict[Any, Any] = self.fields[field]
        return copied

    def _forget_offline(self, topic: str) -> None:
        """Forget replicas of a topic that is gone: one of its name has other logs."""
        offline: Mapping[int, frozenset[TopicPartition]]
        offline = self.fields.get("offline_replicas", self._state.offline_replicas)
        left = {b: frozenset(n for n in names if n.topic != topic) for b, names in offline.items()}
        if left != offline:
            self.fields["offline_replicas"] = {b: names for b, names in left.items() if names}

    def _note_paces(
        self,
        topic: Topic,
        changed: Mapping[int, Partition] | None = None,
        *,
        gone: bool = False,
    ) -> None:
        """Note the paces of a topic that comes; or that goes, with what `changed` it before."""
        partitions = topic.partitions if changed is None else changed
        for number in topic.moving if changed is None else changed:
            if partitions[number].pace is not None:
                name = TopicPartition(topic.name, number)
                self._paces[name] = None if gone else partitions[number].pace


def _slots(state: ClusterState, paces: Mapping[TopicPartition, Pace | None]) -> Slots:
    """Return the slots once these partitions have these paces."""
    slots = state.slots
    if slots == Slots():
        return Slots.of((name, pace) for name, pace in paces.items() if pace) if paces else slots
    for name, pace in paces.items():
        partition = state.partition(name)
        before = partition.pace if partition else None
        if before is not pace:
            slots = slots.updated(name, before, pace)
    return slots
