"""A broker's connection to whoever is controller, for what it asks: one request at a time.

The controller is looked up in the broker's own metadata before each request, at the listener that
brokers use among each other, so that the next request goes to a new one. Every ask is answered
once, with None if no response came; whoever asked decides on repeating it. Source: Kafka 3.9,
NodeToControllerChannelManager.
"""

import logging
import math
from collections.abc import Callable

import trio

from klamm.controller.core.model import Endpoint
from klamm.controller.runtime.conversation import (
    Connect,
    LinkLostError,
    connect_tcp,
    converse,
)
from klamm.protocol.connection import ClientConnection
from klamm.protocol.errors import EncodeError
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.message import Message
from klamm.tools.brokers.asks import (
    Answered,
    Ask,
    AskControlledShutdown,
    AskReportFetchProgress,
)

LOG = logging.getLogger("klamm.brokers")

#: request.timeout.ms; connecting counts.
REQUEST_SECONDS = 30.0

_API_VERSIONS = 3
_NO_VERSION = -1


class NotServedError(LinkLostError):
    """The controller does not know a request in any version that the broker does."""


class ControllerLink:
    """Carries asks in order. `find` tells where the controller is, None if nobody knows.

    `connect` opens connections to it.
    """

    def __init__(
        self,
        client_id: str,
        find: Callable[[], Endpoint | None],
        answered: Callable[[Answered], None],
        connect: Connect = connect_tcp,
    ) -> None:
        self._open = connect
        self._client_id = client_id
        self._find = find
        self._answered = answered
        self._send, self._receive = trio.open_memory_channel[Ask](math.inf)
        self._endpoint: Endpoint | None = None
        self._stream: trio.abc.Stream | None = None
        self._protocol = ClientConnection(client_id)
        self._versions: dict[int, range] = {}

    def ask(self, ask: Ask) -> None:
        """Put a request behind those that wait."""
        self._send.send_nowait(ask)

    async def run(self) -> None:
        """Carry what is asked, until cancelled."""
        try:
            async for ask in self._receive:
                self._answered(await self._carry(ask))
        finally:
            await self._disconnect()

    async def _carry(self, ask: Ask) -> Answered:
        try:
            with trio.fail_after(REQUEST_SECONDS):
                await self._connect()
                version = await self._version(ask)
                return Answered(
                    ask.number, version, await self._converse(ask.request(version), version)
                )
        except EncodeError as error:
            # Decoders of znodes and requests keep such values out.
            LOG.error("broker %s: cannot ask the controller: %s", self._client_id, error)
        except NotServedError as error:
            # As any controller of Kafka's: what is klamm's own is offered now and then.
            level = logging.DEBUG if isinstance(ask, AskReportFetchProgress) else logging.INFO
            LOG.log(level, "broker %s: no answer of the controller: %s", self._client_id, error)
        except (LinkLostError, OSError, trio.BrokenResourceError, trio.TooSlowError) as error:
            why = str(error) or type(error).__name__
            LOG.info("broker %s: no answer of the controller: %s", self._client_id, why)
        await self._disconnect()
        return Answered(ask.number, _NO_VERSION, None)

    async def _connect(self) -> None:
        endpoint = self._find()
        if endpoint is None:
            raise LinkLostError("the metadata names none")
        if endpoint != self._endpoint:
            await self._disconnect()
        if self._stream is None:
            self._stream = await self._open(endpoint)
            self._protocol = ClientConnection(self._client_id)
            self._endpoint = endpoint

    async def _version(self, ask: Ask) -> int:
        """Return the highest version that both sides know; one that is told needs no agreement."""
        if isinstance(ask, AskControlledShutdown):
            return ask.version
        if not self._versions:
            request = ApiVersionsRequest("klamm-simulated-broker", "1")
            response = await self._converse(request, _API_VERSIONS)
            if not isinstance(response, ApiVersionsResponse) or response.error_code:
                raise LinkLostError(f"it does not tell its versions: {response}")
            self._versions = {
                key.api_key: range(key.min_version, key.max_version + 1)
                for key in response.api_keys
            }
        key = type(ask.request(ask.versions[0])).api_key
        theirs = self._versions.get(key, range(0))
        common = [version for version in ask.versions if version in theirs]
        if not common:
            raise NotServedError(f"it serves {theirs} of key {key}, this broker {ask.versions}")
        return common[-1]

    async def _converse(self, request: Message, version: int) -> Message:
        assert self._stream is not None
        return await converse(self._stream, self._protocol, request, version)

    async def _disconnect(self) -> None:
        self._endpoint, self._versions = None, {}
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await trio.aclose_forcefully(stream)
