"""Writing down what requests have come to: few writes, each of a chunk, and none that fails a move.

What completes a replica is written at once, the progress of all others together, when the timer
of the node asks for it. With the last replica the header becomes complete in the same write. The
chunks of a new request are made before any of its moves begins (R179B-25); one that a controller
has left unmade the next one makes of /admin/reassign_partitions, where all of the moves still
stand.
"""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from klamm.controller.core.changes import SetStatus
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import BeginEntry, Cause, RemoveZnode, WriteStatus
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.plan import Entry
from klamm.controller.core.status import NONE, ON_ITS_WAY, completed, verdict
from klamm.controller.core.status_book import Chunk, OpenRequest, StatusBook, StatusNote, Unwritten
from klamm.controller.znodes import paths
from klamm.controller.znodes.status import (
    ReplicaStatus,
    StatusChunk,
    cut,
    encode_status_chunk,
    encode_status_header,
)


def write_status(draft: Draft, cause: Cause, event: WriteStatus) -> None:
    """Write what is not written yet, at the end of the turn; make chunks that are missing."""
    draft.status.causes.append(cause.id)
    draft.status.is_due = True
    draft.status.with_progress |= event.progress
    for request in draft.status.book.open.values():
        if any(chunk.version is None and not chunk.rows for chunk in request.chunks):
            draft.status.book = draft.status.book.with_open(_restored(draft, request))


def first_rows(
    state: ClusterState, targets: Mapping[TopicPartition, tuple[int, ...]], now_ms: int
) -> tuple[tuple[ReplicaStatus, ...], ...]:
    """Return the rows of a request with these targets, by chunk: in sync already, or on its way."""
    rows = []
    for name, target in targets.items():
        for broker in target:
            row = ReplicaStatus(*name, broker, ON_ITS_WAY, now_ms)
            if verdict(state, name, broker) == NONE:
                row = completed(row, NONE, now_ms)
            rows.append(row)
    return cut(rows)


def _restored(draft: Draft, request: OpenRequest) -> OpenRequest:
    """Give chunks that are missing their rows, as whoever accepted the request would have.

    Rows whose entry is gone from the znode nobody knows any more.
    """
    found = first_rows(draft.state, draft.state.admin.accepted, draft.settings.now_ms)
    chunks = list(request.chunks)
    for number, chunk in enumerate(chunks):
        if chunk.version is None and not chunk.rows and number < len(found):
            chunks[number] = Chunk.of(StatusChunk(found[number]))
    return OpenRequest.of(request.header, request.version, chunks)


def flush(draft: Draft) -> None:
    """Make the writes of the turn, and settle its causes with the last of them."""
    drafted = draft.status
    steps = []
    for request in tuple(drafted.book.open.values()):
        steps.extend(_writes(draft, request))
    if steps or drafted.is_due:
        _sweep(draft)
    if not steps:
        draft.causes.extend(drafted.causes)
        if drafted.book is not drafted.carried:
            draft.learn_status(drafted.book)
        return
    causes = tuple(drafted.causes)
    last = steps.pop()
    draft.steps.extend(replace(step, parts=causes) for step in steps)
    ends = SetStatus(drafted.book)
    draft.steps.append(replace(last, causes=causes, changes=(ends,)))


def _writes(draft: Draft, request: OpenRequest) -> list[Step]:
    """The writes of one request, each of a chunk; the last one with its header, if that is all."""
    drafted, id_ = draft.status, request.header.request_id
    least = Unwritten.PROGRESS if drafted.with_progress else Unwritten.COMPLETION
    lacked = request.lacks_chunks
    steps = []
    for number, chunk in enumerate(request.chunks):
        due = drafted.is_due if chunk.version is None else chunk.unwritten >= least
        if chunk.fault or not due:
            continue
        op = _chunk_write(id_, number, chunk)
        news = range(len(chunk.rows)) if chunk.version is None else sorted(chunk.news)
        note = StatusNote(id_, (op.path,), tuple(chunk.rows[row] for row in news))
        request = request.with_chunk(number, chunk.written())
        drafted.book = drafted.book.with_open(request)
        entry = Entry("assignment-status", f"request {id_}", status=note)
        steps.append(Step((), (op,), (SetStatus(drafted.book),), entries=(entry,)))
    if lacked and not request.lacks_chunks:
        begun = tuple(map(BeginEntry, draft.admin.accepted))
        steps[-1] = replace(steps[-1], follow_ups=begun)
    if request.is_over and not request.lacks_chunks:
        before = steps.pop() if steps else Step((), ())
        steps.append(_ended(draft, request, before))
    return steps


def _chunk_write(request_id: int, number: int, chunk: Chunk) -> Op:
    path, data = paths.status_chunk(request_id, number), encode_status_chunk(chunk.content)
    if chunk.version is None:
        return Create(path, data)
    return SetData(path, data, chunk.version)


def _ended(draft: Draft, request: OpenRequest, last: Step) -> Step:
    """Complete a request's header beside the write of its last replica."""
    drafted, now_ms = draft.status, draft.settings.now_ms
    header = msgspec.structs.replace(request.header, complete=True, completed_ms=now_ms)
    request = replace(request, header=header)
    id_ = header.request_id
    op = SetData(paths.status_header(id_), encode_status_header(header), request.version)
    drafted.book = drafted.book.closing(request)
    failed = sum(row.error != NONE for chunk in request.chunks for row in chunk.rows)
    text = f"request {id_}: {header.replicas} replicas are complete"
    text += f", {failed} of them not in sync" if failed else ""
    entry = Entry("assignment-complete", text, status=StatusNote(id_, (op.path,)))
    return replace(
        last,
        ops=(*last.ops, op),
        changes=(SetStatus(drafted.book),),
        entries=(*last.entries, entry),
    )


def _sweep(draft: Draft) -> None:
    """Have what was completed long ago removed in the next turn: its chunks, then its header."""
    book, settings = draft.status.book, draft.settings
    expired = book.expired(settings.now_ms, draft.status_retention_ms)
    if not expired:
        return
    for id_, kept in expired.items():
        path = paths.status_header(id_)
        if path not in draft.below:
            numbers = range(kept.chunks)
            draft.learn_below(path, tuple(paths.status_chunk(id_, number) for number in numbers))
        draft.removals[path] = RemoveZnode(path)
    draft.status.book = book.without(expired)
    text = f"{len(expired)} requests, {min(expired)} the first of them and {max(expired)} the last"
    draft.entries.append(Entry("assignment-removed", text))


def with_request(book: StatusBook, request: OpenRequest) -> StatusBook:
    """The book with one more request, which has the next number."""
    version = 0 if book.version is None else book.version + 1
    counter = msgspec.structs.replace(book.counter, last_request_id=request.header.request_id)
    return replace(book.with_open(request), version=version, counter=counter)
