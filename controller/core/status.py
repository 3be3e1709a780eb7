"""What requests with a number have come to, replica by replica (KIP-179, version 8).

A replica is on its way until its leader has taken it into the ISR. Then it is complete, and stays
so whatever becomes of it later. One that cannot come in sync any more, because its move was
cancelled or has another target, is complete with NO_REASSIGNMENT_IN_PROGRESS, and with
UNKNOWN_TOPIC_OR_PARTITION if the partition is gone. All of that is read off the durable state.

In the proposal each leader writes the progress of its followers, at every fetch. Here brokers tell
the controller, which alone writes: `klamm.controller.core.status_writes`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import msgspec

from klamm.controller.core.changes import RefuseEntries, SetAdmin, SetPartition, SetTopic
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    Cause,
    CheckStatus,
    FetchProgress,
    ReplicaProgress,
    StatusRead,
    WriteStatus,
)
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.plan import Commit
from klamm.controller.core.status_book import Chunk, OpenRequest, Place, StatusBook, Unwritten
from klamm.controller.znodes import paths
from klamm.controller.znodes.status import ReplicaStatus

#: Error codes of rows; NONE is that of a replica that has come in sync.
NONE = 0
GONE = 3
ON_ITS_WAY = 60
ENDED_OTHERWISE = 85

UNKNOWN = -1


# --- facts --------------------------------------------------------------------------------------


def status_read(draft: Draft, cause: Cause, event: StatusRead) -> None:
    """Take what is kept, and look at every replica that is not complete.

    Of a chunk that nobody else has written what has not been written yet is still true. The counter
    never goes back in an office, whoever has written or removed it.
    """
    draft.settle(cause)
    known, found = draft.status.book, event.book
    last_id = max(known.counter.last_request_id, found.counter.last_request_id)
    counter = msgspec.structs.replace(found.counter, last_request_id=last_id)
    merged = {
        id_: _merged(known.open[id_], request) if id_ in known.open else request
        for id_, request in found.open.items()
    }
    draft.learn_status(replace(found, counter=counter, open=merged))
    draft.status_orders[WriteStatus()] = None
    for request in merged.values():
        draft.status_orders.update(dict.fromkeys(map(CheckStatus, request.places)))


def _merged(known: OpenRequest, found: OpenRequest) -> OpenRequest:
    if len(known.chunks) != len(found.chunks):
        return found
    chunks = [
        ours if ours.version == theirs.version and not theirs.fault else theirs
        for ours, theirs in zip(known.chunks, found.chunks, strict=True)
    ]
    return OpenRequest.of(found.header, found.version, chunks)


def progress_heard(draft: Draft, cause: Cause, event: FetchProgress) -> None:
    """Take what followers have copied, of those replicas that are not complete."""
    draft.settle(cause)
    for request in draft.status.book.open.values():
        changed: dict[int, _Changes] = defaultdict(_Changes)
        for report in event.reports:
            for number, row_number in request.places.get(report.partition, ()):
                row = request.row((number, row_number))
                if row.broker == report.follower and not row.complete:
                    chunk = request.chunks[number]
                    changed[number].take(chunk, row_number, report, event.at_ms)
        for number, changes in changed.items():
            if changes.rows or changes.starts:
                chunk = request.chunks[number]
                unwritten = Unwritten.PROGRESS if changes.rows else Unwritten.NOTHING
                request = request.with_chunk(
                    number, chunk.changed(changes.rows, unwritten, changes.starts)
                )
        if request is not draft.status.book.open[request.header.request_id]:
            draft.learn_status(draft.status.book.with_open(request))


@dataclass(slots=True)
class _Changes:
    """Rows of a chunk that have news, and where those begin to count that had none before."""

    rows: dict[int, ReplicaStatus] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)

    def take(self, chunk: Chunk, number: int, report: ReplicaProgress, at_ms: int) -> None:
        start = chunk.starts.get(number, self.starts.get(number))
        if start is None:
            start = self.starts[number] = report.leader_start
        row = self.rows.get(number, chunk.rows[number])
        numerator, denominator = measured(report, start)
        if (numerator, denominator) != (row.numerator, row.denominator):
            self.rows[number] = msgspec.structs.replace(
                row, numerator=numerator, denominator=denominator, updated_ms=at_ms
            )


def measured(report: ReplicaProgress, start: int) -> tuple[int, int]:
    """Return how many records are copied, and of how many, counted from offset `start`.

    Of an empty log the number is unknown, for nobody can have copied a part of nothing.

    >>> from klamm.controller.core.model import TopicPartition
    >>> measured(ReplicaProgress(TopicPartition("t", 0), 3, 550, 120, 1000), start=100)
    (450, 900)
    """
    whole = report.leader_end - start
    return max(0, report.follower_end - start), whole if whole > 0 else UNKNOWN


# --- what has become of replicas ----------------------------------------------------------------


def check_status(draft: Draft, cause: Cause, event: CheckStatus) -> None:
    """Complete what has come in sync of a partition, or never will."""
    draft.status.causes.append(cause.id)
    for request in draft.status.book.open.values():
        for place in request.places.get(event.partition, ()):
            row = request.row(place)
            error = None if row.complete else verdict(draft.state, event.partition, row.broker)
            if error is not None:
                request = _completed(request, place, error, draft.settings.now_ms)
        if request is not draft.status.book.open[request.header.request_id]:
            draft.status.book = draft.status.book.with_open(request)


def _completed(request: OpenRequest, place: Place, error: int, now_ms: int) -> OpenRequest:
    number, row_number = place
    row = completed(request.row(place), error, now_ms)
    chunk = request.chunks[number].changed({row_number: row}, Unwritten.COMPLETION, {})
    return request.with_chunk(number, chunk)


def completed(row: ReplicaStatus, error: int, now_ms: int) -> ReplicaStatus:
    """Return the row as it is for good; who has come in sync has all that its leader had."""
    copied = max(row.numerator, row.denominator) if error == NONE else row.numerator
    return msgspec.structs.replace(
        row, numerator=copied, error=error, complete=True, updated_ms=now_ms
    )


def verdict(state: ClusterState, name: TopicPartition, broker: int) -> int | None:
    """Return the code with which a broker's replica is complete, None while it is on its way.

    What has not begun is on its way as long as its entry in /admin/reassign_partitions counts.
    """
    if paths.topic(name.topic) in state.unreadable or paths.state(*name) in state.unreadable:
        return None
    partition = state.partition(name)
    if partition is None:
        return GONE
    assignment = partition.assignment
    if broker in assignment.replicas:
        if partition.leadership and broker in partition.leadership.isr:
            return NONE
        if broker not in assignment.removing:
            return None
    return None if _is_ordered(state, name, broker) else ENDED_OTHERWISE


def _is_ordered(state: ClusterState, name: TopicPartition, broker: int) -> bool:
    """Tell whether an entry is still to give the broker this partition."""
    admin = state.admin
    counts = name not in admin.refused and name not in admin.overridden
    return counts and broker in (admin.target(name) or ())


def watched(book: StatusBook, state: ClusterState, commits: Iterable[Commit]) -> Iterator[Commit]:
    """Have replicas looked at, in the turn after each Commit, of all that it changes.

    `state` is what the first of the Commits is made over.
    """
    if not book.open:
        yield from commits
        return
    admin = state.admin
    for commit in commits:
        names: dict[TopicPartition, None] = {}
        topics: set[str] = set()
        for change in commit.changes:
            match change:
                case SetPartition(name):
                    names[name] = None
                case SetTopic(topic):
                    topics.add(topic)
                case SetAdmin(after):
                    over = after.refused | after.overridden
                    names.update(dict.fromkeys(name for name in admin.entries if name in over))
                    left = admin.entries.keys() - after.entries.keys()
                    names.update(dict.fromkeys(sorted(left)))
                    admin = after
                case RefuseEntries(refused):
                    names.update(dict.fromkeys(sorted(refused)))
                case _:
                    pass
        for request in book.open.values() if topics else ():
            names.update((name, None) for name in request.places if name.topic in topics)
        checks = tuple(CheckStatus(name) for name in names if book.is_about(name))
        yield replace(commit, follow_ups=(*commit.follow_ups, *checks)) if checks else commit
