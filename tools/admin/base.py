"""What a client is before it can do anything: options, a thread, an end."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from klamm.tools.admin.calls import Calls
from klamm.tools.admin.links import Record, Setup
from klamm.tools.admin.properties import AdminOptions
from klamm.tools.admin.routing import Router
from klamm.tools.admin.security import Security

CLIENT_ID = "klamm-admin"


class Client:
    """A context manager; `options` are what it was made with."""

    def __init__(self, setup: Setup, *, bootstrap_controller: bool = False) -> None:
        self.options = setup.options
        self._by_controller = bootstrap_controller
        self._calls = Calls(
            Router(setup, bootstrap_controller=bootstrap_controller),
            setup.options.api_timeout_ms,
            setup.options.request_timeout_ms,
        )

    @classmethod
    def connect(
        cls,
        bootstrap: str | None = None,
        properties: Mapping[str, str] | None = None,
        client_id: str = CLIENT_ID,
        *,
        bootstrap_controller: bool = False,
        record: Record | None = None,
    ) -> Self:
        """Make a client; connections come with the first call.

        `bootstrap` is host:port,host:port of brokers, or of controllers (KIP-919); without it the
        properties name it. They are those of Kafka's clients: timeouts, security.protocol, ssl.*,
        sasl.*. `record` is told of every request, on the client's thread. Raises OptionError, a
        ValueError, for what cannot be used.
        """
        options = AdminOptions.of(
            bootstrap, properties or {}, bootstrap_controller=bootstrap_controller
        )
        setup = Setup(options, Security.of(options), client_id, record)
        return cls(setup, bootstrap_controller=bootstrap_controller)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; what has no answer yet fails with ClosedError."""
        self._calls.close()
