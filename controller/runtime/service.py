"""Requests to a controller node, answered by the handlers from its state or through its driver."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from klamm.controller.brokers.metadata import MetadataCache, refreshed
from klamm.controller.core.model import Broker, ClusterState
from klamm.controller.core.results import Result
from klamm.controller.handlers.api import (
    Answer,
    Context,
    Disconnect,
    Outcome,
    RequestEvent,
    Submit,
)
from klamm.controller.handlers.table import HANDLERS
from klamm.controller.runtime.exchange import Exchange

Submitter = Callable[[tuple[RequestEvent, ...], Callable[[Sequence[Result]], None]], None]


class HasState(Protocol):
    """What the service looks at: a node, whose state is a value between two turns."""

    @property
    def state(self) -> ClusterState | None:
        """The cluster if this node is the active controller, else None."""


class Service:
    """Dispatches the requests of one node.

    `itself` is how clients find the node before it knows the cluster; `submit` hands events to
    the driver.
    """

    def __init__(
        self,
        node: HasState,
        submit: Submitter,
        itself: Broker,
        *,
        cluster_id: str,
        listener: str,
        table: Mapping[int, range],
    ) -> None:
        self._node = node
        self._submit = submit
        self._itself = itself
        self._alone = MetadataCache(cluster_id, brokers={itself.id: itself})
        self._state: ClusterState | None = None
        self._context = Context(
            itself.id,
            listener,
            table,
            self._alone,
            controllers={itself.id: itself},
            draw=secrets.randbelow,
        )

    def dispatch(self, exchange: Exchange) -> None:
        """Serve one request; `klamm.controller.runtime.server` calls it."""
        header = exchange.request.header
        handler = HANDLERS[header.request_api_key]
        outcome = handler.handle(self.context(), exchange.request.body, header.request_api_version)
        carry_out(exchange, outcome, self._submit)

    def context(self) -> Context:
        """Return what handlers may know at this moment."""
        state = self._node.state
        if state is self._state:
            return self._context
        if state is None:
            metadata, nodes = self._alone, {self._itself.id: self._itself}
        else:
            metadata = refreshed(self._context.metadata, self._state, state)
            nodes = {self._itself.id: self._itself, **state.nodes}
        self._state = state
        self._context = replace(self._context, metadata=metadata, state=state, controllers=nodes)
        return self._context


def carry_out(exchange: Exchange, outcome: Outcome, submit: Submitter) -> None:
    """Do what a handler decided: answer, hand over, or close."""
    match outcome:
        case Answer(response):
            exchange.respond(response)
        case Submit(events, respond):
            submit(events, lambda results: exchange.respond(respond(results)))
        case Disconnect(reason):
            exchange.disconnect(reason)
