"""What the sentences of Kafka's controller mean, as rows of `events`.

What a new assignment means follows from `Updating assignment of partition P from A to B`, which the
stock log4j.properties (kafka.controller at TRACE) let through, and from what the file has told of
P before: from no move to a move is `accept`, from one to another `supersede`, from one to none at
once `cancel`. The write that ends a move has no such line before it (onPartitionReassignment).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from klamm.tools.pipeline.formats import kafka_terms as terms
from klamm.tools.pipeline.formats.base import form
from klamm.tools.pipeline.formats.log_lines import (
    Maker,
    Row,
    Sentence,
    Values,
    about,
    means,
    state_only,
)


@dataclass(slots=True)
class Known:
    """What a file has told so far of one partition."""

    assignment: Row | None = None
    #: The ISR, and the version of the state znode with it; other writes are in state-change.log.
    isr: list[int] | None = None
    version: int = -1
    #: Who was surely out of sync when a move began, and has not come in sync since.
    outside: set[int] = field(default_factory=set)
    #: Where `Updating assignment` goes: from, to.
    pending: tuple[Row, Row] | None = None

    def isr_before(self, version: int) -> list[int] | None:
        """Return the ISR that a write of this version changes, if no other came in between."""
        return self.isr if version == self.version + 1 else None


@dataclass(slots=True)
class State:
    """What lines need to know of those before them."""

    epoch: int | None = None
    partitions: dict[str, Known] = field(default_factory=dict)

    def of(self, partition: str) -> Known:
        """Return what is known of a partition."""
        return self.partitions.setdefault(partition, Known())


def _elected(told: Values, state: State) -> Iterator[Row]:
    state.epoch = terms.number(told["epoch"])
    state.partitions.clear()
    version = terms.number(told["version"])
    where = {"zk_path": "/controller_epoch", "zk_version": version}
    yield {"kind": "elected", "text": told["said"], **where}


def _ready(told: Values, state: State) -> Iterator[Row]:
    state.epoch = terms.number(told["epoch"])
    yield {"kind": "in office", "text": told["said"]}


def _simple(kind: str) -> Maker:
    """Return a maker of a row that has the text, and the broker if one is named."""

    def rows(told: Values, _state: State) -> Iterator[Row]:
        row: Row = {"kind": kind, "text": told["said"]}
        if "broker" in told:
            row["broker"] = terms.number(told["broker"])
        yield row

    return rows


def _brokers(told: Values, _state: State) -> Iterator[Row]:
    lists = {name: terms.brokers(told[name]) for name in ("added", "gone", "bounced")}
    live = [{"id": id_} for id_ in terms.brokers(told["live"])]
    row: Row = {"kind": "brokers", "text": told["said"], "detail": {**lists, "brokers": live}}
    changed = [id_ for each in lists.values() for id_ in each]
    if len(changed) == 1:
        row["broker"] = changed[0]
    yield row


def _active(told: Values, _state: State) -> Iterator[Row]:
    live = [{"id": id_} for id_ in sorted(terms.ids(told["live"]))]
    yield {"kind": "brokers", "text": told["said"], "detail": {"brokers": live}}


def _topics(told: Values, state: State) -> Iterator[Row]:
    """New topics, with their partitions; and topics that are gone."""
    for topic in terms.topics(told["gone"]):
        yield {"kind": "topic-gone", "topic": topic}
    yield from _created("topic-created", told["assignments"], state)


def _grown(told: Values, state: State) -> Iterator[Row]:
    yield from _created("topic-grown", told["assignments"], state)


def _created(kind: str, text: str, state: State) -> Iterator[Row]:
    ids = {found[1]: found[2] for found in _TOPIC_ID.finditer(text)}
    for found in _NEW_PARTITION.finditer(text):
        assignment = terms.assignment(found[2])
        state.of(found[1]).assignment = assignment
        row = about(found[1], kind, after=form(**assignment))
        yield {**row, "topic_id": ids.get(row["topic"])}


_TOPIC_ID = re.compile(r"TopicIdReplicaAssignment\(([\w.-]+),Some\(([\w-]+)\)", re.ASCII)
_NEW_PARTITION = re.compile(r"([\w.-]{1,249}-\d+) -> (ReplicaAssignment\([^)]*\)*)", re.ASCII)
_NAMED = re.compile(r"([\w.-]{1,249}-\d+) -> ", re.ASCII)


def _updating(told: Values, state: State) -> Iterator[Row]:
    orders = terms.assignment(told["old"]), terms.assignment(told["new"])
    state.of(told["name"]).pending = orders
    yield from ()


def _updated(told: Values, state: State) -> Iterator[Row]:
    known, after = state.of(told["name"]), terms.assignment(told["new"])
    pending, known.pending = known.pending, None
    ordered = pending is not None and pending[1] == after
    before = pending[0] if pending is not None and ordered else known.assignment
    known.assignment = after
    kind = _meaning(before, after, ordered=ordered)
    if kind == "accept":
        known.outside = set(after["adding"])
    elif kind == "supersede" and before is not None:
        known.outside |= set(after["adding"]) - set(before["replicas"])
    row = about(told["name"], kind, after=form(**after))
    if before is not None:
        row["before"] = form(**before)
    yield row


def _meaning(before: Row | None, after: Row, *, ordered: bool) -> str:
    """Return the kind of a write of the topic znode; `ordered` if it begins something."""
    moves = bool(after["adding"] or after["removing"])
    if before is None:
        # The rest of a move whose beginning is in another file: Kafka writes this only at the end.
        return "assignment-updated" if moves else "end"
    moved = bool(before["adding"] or before["removing"])
    if moves:
        return "supersede" if moved else "accept"
    if ordered:
        # A new order of the same replicas ends as it is accepted.
        return "cancel" if moved else "accept"
    return "end" if moved else "assignment-updated"


def _caught_up(told: Values, _state: State) -> Iterator[Row]:
    yield about(told["name"], "caught-up", detail={"target": terms.ids(told["target"])})


def _isr(told: Values, state: State) -> Iterator[Row]:
    after, known = terms.leader_and_isr(told["state"]), state.of(told["name"])
    now, was = after["isr"], known.isr_before(after["version"])
    if was is None:
        joined, left = set(now) & known.outside, set[int]()
    else:
        joined, left = set(now) - set(was), set(was) - set(now)
    kind = "isr-join" if joined else "isr-shrink" if left else "leadership"
    row = about(told["name"], kind, after=state_only(after))
    if was is not None:
        row["before"] = state_only({"isr": was})
    if len(joined) + len(left) == 1:
        [row["broker"]] = joined | left
    known.isr, known.version = now, after["version"]
    known.outside -= set(now)
    yield row


def _new_epoch(told: Values, state: State) -> Iterator[Row]:
    epoch, version = terms.number(told["epoch"]), terms.number(told["version"])
    known = state.of(told["name"])
    if version == known.version + 1:
        known.version = version  # of the same ISR
    after = state_only({"leader_epoch": epoch, "version": version})
    yield about(told["name"], "resume", after=after)


def _tidied(told: Values, _state: State) -> Iterator[Row]:
    for found in _NAMED.finditer(told["entries"]):
        yield about(found[1], "admin-tidied", zk_path="/admin/reassign_partitions")


def _emptied(told: Values, _state: State) -> Iterator[Row]:
    where = {"zk_path": told["path"], "zk_version": -1}
    yield {"kind": "admin-tidied", "text": told["said"], **where}


def _per_topic(kind: str) -> Maker:
    def rows(told: Values, _state: State) -> Iterator[Row]:
        for topic in terms.topics(told["topics"]):
            yield {"kind": kind, "topic": topic, "text": told["said"]}

    return rows


def _deleted(told: Values, _state: State) -> Iterator[Row]:
    for topic, partition, broker in terms.replicas(told["replicas"]):
        yield {"kind": "log-deleted", "topic": topic, "partition": partition, "broker": broker}


def _refused(told: Values, _state: State) -> Iterator[Row]:
    yield about(told["name"], "entry-refused", text=told["said"])


#: The texts are those of kafka.controller.KafkaController and TopicDeletionManager.
SENTENCES: tuple[tuple[Sentence, Maker], ...] = (
    means("ISR for partition {name:partition} updated to {state:rest}", _isr),
    means(
        "Successfully updated assignment of partition {name:partition} to {new:assignment}",
        _updated,
    ),
    means(
        "Updating assignment of partition {name:partition} from {old:assignment}"
        " to {new:assignment}",
        _updating,
    ),
    means(
        "Updated leader epoch for partition {name:partition} to {epoch:number},"
        " zkVersion={version:number}",
        _new_epoch,
    ),
    means(
        "Target replicas {target:set} have all caught up with the leader for reassigning"
        " partition {name:partition}",
        _caught_up,
    ),
    means(
        "{node:number} successfully elected as the controller. Epoch incremented to"
        " {epoch:number} and epoch zk version is now {version:number}",
        _elected,
    ),
    means("Ready to serve as the new controller with epoch {epoch:number}", _ready),
    means("Controller moved to another broker when processing {event:rest}", _simple("fenced")),
    means(
        "Newly added brokers: {added:ids}, deleted brokers: {gone:ids},"
        " bounced brokers: {bounced:ids}, all live brokers: {live:ids}",
        _brokers,
    ),
    means("Currently active brokers in the cluster: {live:set}", _active),
    means(
        "New topics: [{new}], deleted topics: [{gone}], new partition replica assignment"
        " [{assignments:rest}]",
        _topics,
    ),
    means("New partitions to be added {assignments:rest}", _grown),
    means(
        "Removing partitions {entries:rest} from the list of reassigned partitions in",
        _tidied,
    ),
    means("No more partitions need to be reassigned. Deleting zk path {path:rest}", _emptied),
    means(
        "Delete topics listener fired for topics {topics:topics} to be deleted",
        _per_topic("deletion-queued"),
    ),
    means("Starting topic deletion for topics {topics:topics}", _per_topic("deletion-started")),
    means(
        "Deletion of topic {topics:topics} successfully completed",
        _per_topic("topic-deleted"),
    ),
    means("Deletion successfully completed for replicas {replicas:rest}", _deleted),
    means("Shutting down broker {broker:number}", _simple("shutdown")),
    means("Ignoring reassignment of partition {name:partition}{why:rest}", _refused),
    means("Skipping reassignment of partition {name:partition}{why:rest}", _refused),
    means("Resigned", _simple("resigned")),
)
