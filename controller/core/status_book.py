"""What is known of requests that assign partitions, and what of it is not written yet.

Rows of requests that are not complete are kept up to date here, from what brokers report and from
what becomes of the partitions, and are written together: ZooKeeper has them a little later.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from klamm.controller.znodes.admin import TopicPartition
from klamm.controller.znodes.parsing import no_extra
from klamm.controller.znodes.status import ReplicaStatus, StatusChunk, StatusCounter, StatusHeader

#: A row's place: the number of its chunk, and of the row in it.
Place = tuple[int, int]


class Unwritten(IntEnum):
    """What of a chunk is not in its znode yet; a completion is written at once."""

    NOTHING = 0
    PROGRESS = 1
    COMPLETION = 2


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a request's rows, and the dataVersion of its znode; None: that is still to be made.

    `left` of the rows are not complete. `news` are those that differ from the znode. `fault` says
    why that cannot be read; then there are no rows, and it is left alone. `starts` are the log
    start offsets that progress is counted from, by row. No znode has them: a controller that takes
    over counts from those that it hears first.
    """

    rows: tuple[ReplicaStatus, ...] = ()
    left: int = 0
    version: int | None = None
    unwritten: Unwritten = Unwritten.NOTHING
    news: frozenset[int] = frozenset()
    fault: str = ""
    starts: Mapping[int, int] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=no_extra)

    @classmethod
    def of(cls, content: StatusChunk, version: int | None = None) -> "Chunk":
        """Return the chunk of this content, with its znode, if it has one."""
        left = sum(not row.complete for row in content.replicas)
        return cls(content.replicas, left, version, extra=content.extra)

    def changed(
        self, rows: Mapping[int, ReplicaStatus], unwritten: Unwritten, starts: Mapping[int, int]
    ) -> "Chunk":
        """The chunk with these rows in the places of others, not written yet."""
        kept, left = list(self.rows), self.left
        for number, row in rows.items():
            left += kept[number].complete - row.complete
            kept[number] = row
        worst = max(self.unwritten, unwritten)
        starts = {**self.starts, **starts} if starts else self.starts
        return replace(
            self,
            rows=tuple(kept),
            left=left,
            unwritten=worst,
            news=self.news.union(rows),
            starts=starts,
        )

    def written(self) -> "Chunk":
        """The chunk once all of it is in its znode."""
        version = 0 if self.version is None else self.version + 1
        return replace(self, version=version, unwritten=Unwritten.NOTHING, news=frozenset())

    @property
    def content(self) -> StatusChunk:
        """What its znode is to hold."""
        return StatusChunk(self.rows, self.extra)


@dataclass(frozen=True, slots=True)
class StatusNote:
    """What the journal tells of a request: which znodes were written, and which rows are news."""

    request_id: int
    writes: tuple[str, ...]
    replicas: tuple[ReplicaStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A request of which not all replicas are complete; `version` is the header's dataVersion.

    `places` are the rows of each partition.
    """

    header: StatusHeader
    version: int
    chunks: tuple[Chunk, ...]
    places: Mapping[TopicPartition, tuple[Place, ...]]

    @classmethod
    def of(cls, header: StatusHeader, version: int, chunks: Iterable[Chunk]) -> "OpenRequest":
        """Return the request of these chunks."""
        chunks = tuple(chunks)
        places: dict[TopicPartition, tuple[Place, ...]] = {}
        for number, chunk in enumerate(chunks):
            for row_number, row in enumerate(chunk.rows):
                name = TopicPartition(row.topic, row.partition)
                places[name] = (*places.get(name, ()), (number, row_number))
        return cls(header, version, chunks, places)

    def row(self, place: Place) -> ReplicaStatus:
        """Return the row at a place."""
        return self.chunks[place[0]].rows[place[1]]

    def with_chunk(self, number: int, chunk: Chunk) -> "OpenRequest":
        """The request with this chunk, of the same partitions, in the place of another."""
        chunks = (*self.chunks[:number], chunk, *self.chunks[number + 1 :])
        return replace(self, chunks=chunks)

    @property
    def lacks_chunks(self) -> bool:
        """Tell whether a chunk has no znode yet."""
        return any(chunk.version is None for chunk in self.chunks)

    @property
    def is_over(self) -> bool:
        """Tell whether every replica is complete, so that the header is to say so."""
        return not any(chunk.fault or chunk.left for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A request whose replicas are all complete: since when, and of how many chunks."""

    completed_ms: int
    chunks: int


@dataclass(frozen=True, slots=True)
class StatusBook:
    """All that is kept below /admin/reassign_partitions_status.

    `version` is the dataVersion of that znode; None: there is none. `fault` says why what it holds,
    the `counter`, cannot be read; that is never below the number of a request that is kept.
    `partial`: it, or anything below it, could not be read.
    """

    version: int | None = None
    counter: StatusCounter = field(default_factory=lambda: StatusCounter(0))
    fault: str = ""
    partial: bool = False
    open: Mapping[int, OpenRequest] = field(default_factory=dict)
    kept: Mapping[int, KeptRequest] = field(default_factory=dict)

    def with_open(self, request: OpenRequest) -> "StatusBook":
        """The book with this request, new or changed."""
        return replace(self, open={**self.open, request.header.request_id: request})

    def closing(self, request: OpenRequest) -> "StatusBook":
        """The book once this request, as given, is complete."""
        id_ = request.header.request_id
        left = {other: each for other, each in self.open.items() if other != id_}
        kept = KeptRequest(request.header.completed_ms, len(request.chunks))
        return replace(self, open=left, kept={**self.kept, id_: kept})

    def without(self, ids: Iterable[int]) -> "StatusBook":
        """The book without these requests, which were complete."""
        gone = frozenset(ids)
        return replace(self, kept={id_: k for id_, k in self.kept.items() if id_ not in gone})

    def is_about(self, name: TopicPartition) -> bool:
        """Tell whether a request that is not complete has rows of this partition."""
        return any(name in request.places for request in self.open.values())

    @property
    def lacks_chunks(self) -> bool:
        """Tell whether moves must wait, for not all that is to be kept of them has its place."""
        return any(request.lacks_chunks for request in self.open.values())

    @property
    def has_progress(self) -> bool:
        """Tell whether something is not written that can wait for more of its kind."""
        return any(
            chunk.unwritten is Unwritten.PROGRESS
            for request in self.open.values()
            for chunk in request.chunks
        )

    def expired(self, now_ms: int, retention_ms: int) -> dict[int, KeptRequest]:
        """The requests that were completed so long ago that they are kept no longer."""
        return {
            id_: kept
            for id_, kept in self.kept.items()
            if now_ms - kept.completed_ms >= retention_ms
        }
