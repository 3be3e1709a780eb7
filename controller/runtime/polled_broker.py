"""A connection on which a broker is asked now and then, in versions that it has told."""

import logging
import math
from typing import TypeVar

import trio

from klamm.controller.brokers.messages import endpoint_between_brokers
from klamm.controller.core.model import Broker
from klamm.controller.runtime.conversation import LinkLostError, converse
from klamm.controller.runtime.links import LinkSettings
from klamm.protocol.connection import ClientConnection
from klamm.protocol.errors import EncodeError
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.message import Message

LOG = logging.getLogger("klamm.polls")

#: How long a broker has for each answer; connecting counts.
ANSWER_SECONDS = 2.0
#: The pause after a broker did not answer, and after one that does not serve what is asked.
AGAIN_SECONDS = 5.0
AGAIN_UNSERVED_SECONDS = 300.0

_API_VERSIONS = 3

R = TypeVar("R", bound=Message)


class PolledBroker:
    """A broker as it is registered. One request at a time; no request is repeated by itself."""

    def __init__(self, broker: Broker, settings: LinkSettings) -> None:
        self.broker = broker
        self._settings = settings
        self._endpoint = endpoint_between_brokers(broker, settings.listener)
        self._stream: trio.abc.Stream | None = None
        self._protocol = ClientConnection(settings.client_id)
        self._versions: dict[int, range] = {}
        self._not_before = -math.inf
        self._warned = False

    async def ask(self, request: Message, versions: range, response: type[R]) -> R | None:
        """Return the answer in the highest version that both know; None if there is none.

        Then the connection is closed, and for a while nothing is asked.
        """
        if trio.current_time() < self._not_before:
            return None
        pause = AGAIN_SECONDS
        try:
            with trio.fail_after(ANSWER_SECONDS):
                stream = await self._connected()
                version = self._common(request.api_key, versions)
                if version is not None:
                    answer = await converse(stream, self._protocol, request, version)
                    if isinstance(answer, response):
                        return answer
            # As simulated brokers, which tell by themselves.
            pause = AGAIN_UNSERVED_SECONDS
            LOG.debug("broker %d does not serve key %d", self.broker.id, request.api_key)
        except (
            EncodeError,
            LinkLostError,
            OSError,
            trio.BrokenResourceError,
            trio.TooSlowError,
        ) as error:
            why = str(error) or type(error).__name__
            LOG.info("broker %d cannot be polled: %s", self.broker.id, why)
        await self.close()
        self._not_before = trio.current_time() + pause
        return None

    def refused(self) -> None:
        """Say once that the broker does not let this node know what it asks for."""
        if not self._warned:
            self._warned = True
            LOG.warning(
                "broker %d refuses to tell how far its replicas have come: its access control"
                " lists must allow this node to DESCRIBE the cluster and topics",
                self.broker.id,
            )

    async def close(self) -> None:
        """End the connection."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await trio.aclose_forcefully(stream)

    def _common(self, key: int, ours: range) -> int | None:
        theirs = self._versions.get(key, range(0))
        common = [version for version in ours if version in theirs]
        return common[-1] if common else None

    async def _connected(self) -> trio.abc.Stream:
        if self._endpoint is None:
            raise LinkLostError("its registration has no endpoint")
        if self._stream is None:
            self._stream = await self._settings.connect(self._endpoint)
            self._protocol = ClientConnection(self._settings.client_id)
            request = ApiVersionsRequest("klamm", "1")
            answer = await converse(self._stream, self._protocol, request, _API_VERSIONS)
            if not isinstance(answer, ApiVersionsResponse) or answer.error_code:
                raise LinkLostError(f"it does not tell its versions: {answer}")
            self._versions = {
                key.api_key: range(key.min_version, key.max_version + 1) for key in answer.api_keys
            }
        return self._stream
