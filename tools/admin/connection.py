"""One connection to a node: TCP, TLS if the properties ask for it, SASL if they do, versions.

Order of requests as Java's client has it (NetworkClient, SaslClientAuthenticator): with SASL first
ApiVersions 0, SaslHandshake, SaslAuthenticate until both sides are content; then ApiVersions in
the highest version that the node knows.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import Self, TypeVar

import trio

from klamm.controller.runtime.conversation import LinkLostError, converse
from klamm.protocol.connection import ClientConnection
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.message import Message
from klamm.tools.admin.apis import Api, Make
from klamm.tools.admin.errors import (
    AuthenticationError,
    DisconnectedError,
    UnsupportedVersionError,
)
from klamm.tools.admin.properties import Address, AdminOptions
from klamm.tools.admin.security import Security, authenticate

Q = TypeVar("Q", bound=Message)
R = TypeVar("R", bound=Message)

_API_VERSIONS = ApiVersionsRequest.api_key


class Connection:
    """A connection that is ready for requests, one at a time.

    `served` are the versions that the node told, by API key. After an exception, a cancellation
    included, nothing can be asked any more: answers would be mistaken for others.
    """

    def __init__(self, address: Address, stream: trio.abc.Stream, client_id: str) -> None:
        self.served: Mapping[int, range] = {}
        self._address = address
        self._stream = stream
        self._protocol = ClientConnection(client_id)

    @classmethod
    async def open(
        cls, address: Address, options: AdminOptions, security: Security, client_id: str
    ) -> Self:
        """Connect and agree; raises DisconnectedError, AuthenticationError."""
        stream: trio.abc.Stream
        try:
            with trio.fail_after(options.connect_timeout_ms / 1000):
                stream = await trio.open_tcp_stream(address.host, address.port)
        except trio.TooSlowError as error:
            raise DisconnectedError(
                f"{address} did not accept a connection in {options.connect_timeout_ms} ms"
            ) from error
        except (OSError, UnicodeError) as error:  # the latter of names that DNS cannot have
            raise DisconnectedError(f"{address} cannot be reached: {error}") from error
        if security.tls is not None:
            stream = trio.SSLStream(
                stream, security.tls, server_hostname=address.host, https_compatible=True
            )
        found = cls(address, stream, client_id)
        try:
            await found._agree(security)
        except DisconnectedError as error:
            await found.close()
            # So ends every greeting in another protocol: nodes hang up without a word.
            raise DisconnectedError(
                f"{error}; perhaps security.protocol {options.security_protocol} is not what it"
                " speaks there"
            ) from error
        except BaseException:
            await found.close()
            raise
        return found

    async def ask(self, message: Message, version: int, response: type[R]) -> R:
        """Send a request and return its response; raises DisconnectedError, AuthenticationError."""
        try:
            answer = await converse(self._stream, self._protocol, message, version)
        except LinkLostError as error:
            raise DisconnectedError(f"{self._address}: {error}") from error
        except trio.ClosedResourceError as error:
            # Another call has learned that the node is not there any more.
            raise DisconnectedError(f"{self._address} has left its place") from error
        except trio.BrokenResourceError as error:
            # trio wraps what TLS says; a peer that just hangs up says nothing.
            if isinstance(error.__cause__, ssl.SSLError) and not isinstance(
                error.__cause__, ssl.SSLEOFError | ssl.SSLZeroReturnError
            ):
                raise AuthenticationError(f"{self._address}: TLS: {error.__cause__}") from error
            reason = error.__cause__ or error
            raise DisconnectedError(f"{self._address}: the connection broke: {reason}") from error
        assert isinstance(answer, response), "the key of a request has one response"
        return answer

    async def call(self, api: Api[Q, R], make: Make[Q]) -> R:
        """Do as `ask` in the highest version of both sides; raises UnsupportedVersionError."""
        version = api.version_for(self.served, str(self._address))
        return await self.ask(make(version), version, api.response)

    async def close(self) -> None:
        """Close without farewells: there is none in Kafka's protocol."""
        await trio.aclose_forcefully(self._stream)

    async def _agree(self, security: Security) -> None:
        if security.login is not None:
            first = await self.ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
            self.served = _table(first)
            await authenticate(self, security.login)
        version = ApiVersionsRequest.versions[-1]
        request = ApiVersionsRequest("klamm", _software_version())
        answer = await self.ask(request, version, ApiVersionsResponse)
        if answer.error_code == ErrorCode.UNSUPPORTED_VERSION:
            # KIP-511: the answer, in version 0, has the versions of this very request.
            known = _table(answer).get(_API_VERSIONS, range(1))
            version = min(version - 1, known[-1])
            answer = await self.ask(request, version, ApiVersionsResponse)
        if answer.error_code != ErrorCode.NONE:
            raise UnsupportedVersionError(
                f"{self._address} does not tell what it serves: error {answer.error_code}"
            )
        self.served = _table(answer)


@cache
def _software_version() -> str:
    """Return our version, which brokers show in their metrics (KIP-511)."""
    return metadata.version("klamm")


def _table(response: ApiVersionsResponse) -> dict[int, range]:
    return {
        entry.api_key: range(entry.min_version, entry.max_version + 1)
        for entry in response.api_keys
        if entry.min_version <= entry.max_version
    }
