"""A cluster of nodes that answer what a test tells them to, also nothing, or by hanging up."""

from __future__ import annotations

import struct
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from types import TracebackType
from typing import Self

import trio

from klamm.protocol.connection import (
    ProtocolViolation,
    ServerConnection,
    ServerEvent,
    State,
    UnsupportedApiVersions,
)
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersion, ApiVersionsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse, MetadataResponseBroker
from klamm.protocol.message import Message
from klamm.tools.threads import TrioThread

HOST = "127.0.0.1"


class Instead(Enum):
    """What a node does when it does not answer."""

    HANG_UP = "hang up"
    KEEP_SILENT = "keep silent"
    TALK_NONSENSE = "talk nonsense"
    ANSWER_ANOTHER = "answer another"


Answer = Message | Instead
#: Given the node's id and the request.
Script = Callable[[int, Message], Answer]

#: What a node serves unless told otherwise: Kafka 3.9's versions.
SERVED: Mapping[int, range] = {
    2: range(10),
    3: range(13),
    18: range(5),
    19: range(8),
    20: range(7),
    32: range(5),
    34: range(3),
    35: range(5),
    37: range(4),
    43: range(3),
    44: range(2),
    45: range(1),
    46: range(1),
    60: range(2),
}


class ScriptedCluster:
    """Nodes 1, 2, ... while it is open; node 1 is the controller until `controller` says else.

    `seen` has each request but ApiVersions and Metadata, with the node that got it; of those two
    there are the versions, and how often somebody took a look at the cluster.
    """

    def __init__(self, nodes: int = 2, *, bootstrap: int = 1) -> None:
        self.ids = range(1, nodes + 1)
        self.controller = 1
        self.served: dict[int, Mapping[int, range]] = dict.fromkeys(self.ids, SERVED)
        self.seen: list[tuple[int, Message]] = []
        self.api_versions: list[int] = []
        self.looks = 0
        self.ports: dict[int, int] = {}
        self._bootstrap = bootstrap
        self._scripts: dict[type[Message], Script] = {MetadataRequest: self._metadata}
        self._thread = TrioThread("scripted-cluster", self._main)

    def __enter__(self) -> Self:
        self._thread.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._thread.__exit__(kind, error, traceback)

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.ports[self._bootstrap]}"

    def on(self, request: type[Message], script: Script | Answer) -> None:
        """Say what requests of this kind get."""
        self._scripts[request] = script if callable(script) else lambda node, asked: script

    def asked(self, kind: type[Message]) -> list[int]:
        """Return the nodes that got requests of this kind, in order."""
        return [node for node, request in self.seen if isinstance(request, kind)]

    def metadata(self, **fields: object) -> MetadataResponse:
        """Return what a node tells of the cluster."""
        brokers = tuple(MetadataResponseBroker(id_, HOST, self.ports[id_]) for id_ in self.ids)
        return MetadataResponse(
            **{"brokers": brokers, "cluster_id": "scripted", "controller_id": self.controller}
            | fields  # type: ignore[arg-type]
        )

    def _metadata(self, node: int, request: Message) -> Answer:
        return self.metadata()

    async def _main(self, ready: Callable[[], None]) -> None:
        async with trio.open_nursery() as nursery:
            for node in self.ids:
                [listener] = await trio.open_tcp_listeners(0, host=HOST)
                self.ports[node] = listener.socket.getsockname()[1]
                nursery.start_soon(trio.serve_listeners, self._handler(node), [listener])
            ready()

    def _handler(self, node: int) -> Callable[[trio.SocketStream], Awaitable[None]]:
        async def handle(stream: trio.SocketStream) -> None:
            protocol = ServerConnection(self.served[node])
            try:
                async with stream:
                    async for data in stream:
                        for event in protocol.receive_data(data):
                            if not await self._reply(node, stream, protocol, event):
                                return
                        if protocol.state is State.CLOSED:
                            return
            except trio.BrokenResourceError:
                return  # a client that has had enough

        return handle

    async def _reply(
        self, node: int, stream: trio.SocketStream, protocol: ServerConnection, event: ServerEvent
    ) -> bool:
        if isinstance(event, ProtocolViolation):
            return False
        answer = self._answer(node, event)
        if answer is Instead.KEEP_SILENT:
            return True
        if answer is Instead.HANG_UP:
            return False
        if answer is Instead.TALK_NONSENSE:
            await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return True
        if answer is Instead.ANSWER_ANOTHER:
            await stream.send_all(struct.pack(">iiii", 12, 77_777, 0, 0))
            return True
        assert isinstance(answer, Message)
        await stream.send_all(protocol.send_response(event, answer))
        return True

    def _answer(self, node: int, event: ServerEvent) -> Answer:
        served = self.served[node]
        assert not isinstance(event, ProtocolViolation)
        if event.header.request_api_key == ApiVersionsRequest.api_key:
            self.api_versions.append(event.header.request_api_version)
        if isinstance(event, UnsupportedApiVersions):
            only = served[ApiVersionsRequest.api_key]
            entry = ApiVersion(ApiVersionsRequest.api_key, only[0], only[-1])
            return ApiVersionsResponse(35, (entry,))
        request = event.body
        if type(request) in self._scripts:
            if isinstance(request, MetadataRequest) and not request.topics:
                self.looks += 1
            else:
                self.seen.append((node, request))
            return self._scripts[type(request)](node, request)
        assert isinstance(request, ApiVersionsRequest), f"no script for {request}"
        entries = (ApiVersion(key, versions[0], versions[-1]) for key, versions in served.items())
        return ApiVersionsResponse(0, tuple(entries))
