"""What a survey reads of requests that assign partitions: the counter, headers, and open rows.

Of a request that is complete the header is enough. What cannot be read is left alone: without the
counter no request gets a number, a header's request is not kept up, and a chunk's is not completed.
"""

from collections.abc import Iterable, Iterator

import msgspec

from klamm.controller.core.events import StatusRead
from klamm.controller.core.status_book import Chunk, KeptRequest, OpenRequest, StatusBook
from klamm.controller.node.places import Place, locate
from klamm.controller.node.topic_readings import not_shown
from klamm.controller.store.port import (
    Children,
    Read,
    ReadChildren,
    ReadData,
    ReadResult,
    Unreadable,
    Znode,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.status import (
    StatusCounter,
    StatusHeader,
    decode_status_chunk,
    decode_status_counter,
    decode_status_header,
    request_id,
)

#: What a survey begins with, to read all that is kept.
FIRST_READS: tuple[Read, ...] = (
    ReadData(paths.REASSIGN_STATUS),
    ReadChildren(paths.REASSIGN_STATUS),
)


class StatusReadings:
    """One survey's readings of requests and their rows."""

    def __init__(self) -> None:
        self._is_read = False
        self._version: int | None = None
        self._counter = StatusCounter(0)
        self._fault = ""
        self._partial = False
        self._highest = 0
        self._headers: dict[int, tuple[StatusHeader, int]] = {}
        self._chunks: dict[str, Chunk] = {}

    def take(self, result: ReadResult) -> Iterable[Read]:
        """Take one result; return what must be read because of it. Raises ZnodeError."""
        try:
            return self._take(result)
        except ZnodeError:
            self._partial = True
            raise

    def _take(self, result: ReadResult) -> Iterable[Read]:
        match locate(result.path).place, result:
            case Place.STATUS, Children(path=path, names=names):
                ids = [id_ for name in names if (id_ := request_id(name))]
                self._highest = max(ids, default=0)
                return [ReadData(f"{path}/{id_}") for id_ in ids]
            case Place.STATUS, _:
                self._take_counter(result)
            case Place.STATUS_HEADER, Znode():
                return self._take_header(result)
            case Place.STATUS_CHUNK, Znode() | Unreadable():
                self._take_chunk(result)
            case _, Unreadable():
                raise not_shown(result)
            case _:
                pass
        return ()

    def facts(self) -> Iterator[StatusRead]:
        """What was found, if it was read."""
        if not self._is_read:
            return
        opened = {}
        kept = {}
        for id_ in sorted(self._headers):
            header, version = self._headers[id_]
            if header.complete:
                kept[id_] = KeptRequest(header.completed_ms, header.chunks)
            else:
                numbers = range(header.chunks)
                found = (self._chunks.get(paths.status_chunk(id_, n), Chunk()) for n in numbers)
                opened[id_] = OpenRequest.of(header, version, found)
        last_id = max(self._counter.last_request_id, self._highest)
        counter = msgspec.structs.replace(self._counter, last_request_id=last_id)
        book = StatusBook(self._version, counter, self._fault, self._partial, opened, kept)
        yield StatusRead(book)

    def _take_counter(self, result: ReadResult) -> None:
        self._is_read = True
        try:
            if isinstance(result, Unreadable):
                raise not_shown(result)
            if isinstance(result, Znode):
                self._version = result.version
                self._counter = decode_status_counter(result.data, result.path)
        except ZnodeError as fault:
            self._fault = str(fault)
            raise

    def _take_header(self, znode: Znode) -> Iterable[Read]:
        id_ = request_id(znode.path.rpartition("/")[2])
        header = decode_status_header(znode.data, znode.path)
        if id_ is None or header.request_id != id_:
            raise ZnodeError(znode.path, f"it is the header of request {header.request_id}")
        self._headers[id_] = (header, znode.version)
        if header.complete:
            return ()
        return [ReadData(paths.status_chunk(id_, number)) for number in range(header.chunks)]

    def _take_chunk(self, result: Znode | Unreadable) -> None:
        try:
            if isinstance(result, Unreadable):
                raise not_shown(result)
            content = decode_status_chunk(result.data, result.path)
            self._chunks[result.path] = Chunk.of(content, result.version)
        except ZnodeError as fault:
            version = result.version if isinstance(result, Znode) else 0
            self._chunks[result.path] = Chunk(version=version, fault=str(fault))
            raise
