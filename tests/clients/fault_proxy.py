"""A proxy before a cluster's nodes that reads the protocol and disturbs it as it is told.

There is a port for every node, and Metadata and DescribeCluster tell clients these ports instead
of the real ones, so a client that bootstraps here never finds a way around. Requests are kept in
the order in which they came; answers pass untouched unless an act says otherwise.
"""

import contextlib
import socket
import struct
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from klamm.controller.handlers.k18_api_versions import unsupported_version
from klamm.controller.handlers.table import advertised
from klamm.protocol import codec, headers, registry
from klamm.protocol.generated.api_versions_response import ApiVersion, ApiVersionsResponse
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.generated.response_header import ResponseHeader
from klamm.protocol.message import Message

HOST = "127.0.0.1"
_LENGTH = struct.Struct(">i")
_KEY_AND_VERSION = struct.Struct(">hh")

M = TypeVar("M", bound=Message)


@dataclass(frozen=True)
class CutRequest:
    """Pass on the first bytes of the request's frame, then close both ends."""

    after: int


@dataclass(frozen=True)
class CutAnswer:
    """Let the request be served, then close both ends instead of answering."""


@dataclass(frozen=True)
class HoldAnswer:
    """Keep the answer, and all that follows it, until the event is set."""

    released: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class EditAnswer:
    """Put another answer in its place."""

    edit: Callable[[Message], Message]


Act = CutRequest | CutAnswer | HoldAnswer | EditAnswer


@dataclass(frozen=True)
class Seen:
    """A request as it came; `connection` counts the connections from 0."""

    node: int
    connection: int
    header: RequestHeader
    body: Message

    @property
    def call(self) -> tuple[int, int]:
        """API key and version."""
        return self.header.request_api_key, self.header.request_api_version


@dataclass(frozen=True)
class _Awaited:
    """An answer that is on its way; `served` is the version in which the node was asked."""

    header: RequestHeader
    served: int
    act: Act | None


class FaultProxy:
    """Listens for every node while it is open.

    `nodes` are the real ports by node id. `versions` are the ranges to show instead of the nodes'
    own, by API key; a version beyond what klamm serves is translated on both ways.
    """

    def __init__(self, nodes: Mapping[int, int]) -> None:
        self._nodes = nodes
        self._listeners = {node: socket.create_server((HOST, 0)) for node in nodes}
        self.ports = {node: item.getsockname()[1] for node, item in self._listeners.items()}
        self.versions: dict[int, range] = {}
        self.seen: list[Seen] = []
        self.faults: list[str] = []
        self._served = advertised()
        self._acts: defaultdict[int, deque[Act]] = defaultdict(deque)
        self._holds: list[HoldAnswer] = []
        self._connections = 0
        self._lock = threading.Lock()
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        for node, listener in self._listeners.items():
            self._start(self._accept, node, listener)

    def bootstrap(self, node: int) -> str:
        return f"{HOST}:{self.ports[node]}"

    def next(self, api_key: int, *acts: Act) -> None:
        """Do these acts, one each, to the next requests with this key."""
        self._acts[api_key].extend(acts)
        self._holds += [act for act in acts if isinstance(act, HoldAnswer)]

    def calls(self, api_key: int | None = None) -> list[tuple[int, int]]:
        """Return key and version of each request so far, or of those with this key."""
        return [item.call for item in self.seen if api_key in (None, item.call[0])]

    def bodies(self, kind: type[M]) -> list[M]:
        """Return every request of this type so far."""
        return [item.body for item in self.seen if isinstance(item.body, kind)]

    def close(self) -> None:
        """End every connection; raises AssertionError if a thread failed."""
        for hold in self._holds:
            hold.released.set()
        for end in [*self._listeners.values(), *self._ends]:
            _shut(end)
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()
        assert not self.faults, self.faults

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        def run() -> None:
            try:
                target(*arguments)
            except OSError:
                pass  # one of the two ends has gone
            except Exception as fault:
                self.faults.append(repr(fault))

        thread = threading.Thread(target=run, name=f"proxy {target.__name__}")
        self._threads.append(thread)
        thread.start()

    def _accept(self, node: int, listener: socket.socket) -> None:
        while True:
            client, _ = listener.accept()
            with self._lock:
                number = self._connections
                self._connections += 1
            try:
                server = socket.create_connection((HOST, self._nodes[node]))
            except ConnectionRefusedError:  # the node is down
                _shut(client)
                continue
            self._ends += [client, server]
            pair = _Pair(client, server, deque())
            self._start(self._carry_requests, node, number, pair)
            self._start(self._carry_answers, pair)

    def _carry_requests(self, node: int, number: int, pair: "_Pair") -> None:
        with pair.closing():
            for frame in _frames(pair.client):
                self._carry_request(node, number, pair, frame)

    def _carry_request(self, node: int, number: int, pair: "_Pair", frame: bytes) -> None:
        key, version = _KEY_AND_VERSION.unpack_from(frame)
        header, body = _decoded(frame, key, version)
        self.seen.append(Seen(node, number, header, body))
        acts = self._acts[key]
        act = acts.popleft() if acts else None
        if isinstance(act, CutRequest):
            pair.server.sendall(_framed(frame)[: act.after])
            pair.close()
            return
        shown = self.versions.get(key)
        if key == headers.API_VERSIONS and shown is not None and version not in shown:
            refusal = unsupported_version({key: shown})
            pair.client.sendall(_response(header, refusal, 0, 0))
            return
        served = self._served.get(key)
        known = version if served is None else min(version, served[-1])
        if known != version:
            renumbered = replace(header, request_api_version=known)
            frame = codec.encode(renumbered, headers.request_header_version(key, known))
            frame += codec.encode(body, known)
        pair.awaited.append(_Awaited(header, known, act))
        pair.server.sendall(_framed(frame))

    def _carry_answers(self, pair: "_Pair") -> None:
        with pair.closing():
            for frame in _frames(pair.server):
                self._carry_answer(pair, frame)

    def _carry_answer(self, pair: "_Pair", frame: bytes) -> None:
        awaited = pair.awaited.popleft()
        key, version = awaited.header.request_api_key, awaited.header.request_api_version
        _, offset = codec.decode_prefix(
            ResponseHeader, frame, 0, headers.response_header_version(key, awaited.served)
        )
        answer = codec.decode(registry.response(key), frame[offset:], awaited.served)
        edited = self._redirected(answer)
        match awaited.act:
            case CutAnswer():
                pair.close()
                return
            case HoldAnswer(released):
                released.wait(60)
            case EditAnswer(edit):
                edited = edit(edited)
        if edited is answer and awaited.served == version:
            pair.client.sendall(_framed(frame))
        else:
            wire = headers.response_header_version(key, version)
            pair.client.sendall(_response(awaited.header, edited, version, wire))

    def _redirected(self, answer: Message) -> Message:
        """Name the proxy's ports and versions instead of the node's."""
        match answer:
            case MetadataResponse(brokers=brokers):
                moved = tuple(replace(item, port=self.ports[item.node_id]) for item in brokers)
                return replace(answer, brokers=moved)
            case DescribeClusterResponse(brokers=nodes):
                listed = tuple(replace(item, port=self.ports[item.broker_id]) for item in nodes)
                return replace(answer, brokers=listed)
            case ApiVersionsResponse(api_keys=entries):
                if self.versions:
                    return replace(answer, api_keys=tuple(map(self._shown, entries)))
        return answer

    def _shown(self, entry: ApiVersion) -> ApiVersion:
        shown = self.versions.get(entry.api_key)
        if shown is None:
            return entry
        return replace(entry, min_version=shown.start, max_version=shown.stop - 1)


@dataclass(frozen=True)
class _Pair:
    """A client's connection, the proxy's own to the node, and what is due between them."""

    client: socket.socket
    server: socket.socket
    awaited: deque[_Awaited]

    def close(self) -> None:
        _shut(self.client)
        _shut(self.server)

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Close both ends when either has ended."""
        try:
            yield
        finally:
            self.close()


def _decoded(frame: bytes, key: int, version: int) -> tuple[RequestHeader, Message]:
    wire = headers.request_header_version(key, version)
    header, offset = codec.decode_prefix(RequestHeader, frame, 0, wire)
    request = registry.request(key)
    # ApiVersions may come in a version that nobody here knows; only its header is of interest then.
    known = version in request.versions
    return header, codec.decode(request, frame[offset:], version) if known else request()


def _response(header: RequestHeader, body: Message, version: int, wire: int) -> bytes:
    head = codec.encode(ResponseHeader(header.correlation_id), wire)
    return _framed(head + codec.encode(body, version))


def _framed(frame: bytes) -> bytes:
    return _LENGTH.pack(len(frame)) + frame


def _frames(end: socket.socket) -> Iterator[bytes]:
    """Yield whole frames without their lengths until the peer is done."""
    with end.makefile("rb") as stream:
        while len(head := stream.read(_LENGTH.size)) == _LENGTH.size:
            (length,) = _LENGTH.unpack(head)
            frame = stream.read(length)
            if len(frame) < length:
                return
            yield frame


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the other side was faster
        end.shutdown(socket.SHUT_RDWR)
    end.close()
