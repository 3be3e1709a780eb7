"""Requests to a controller node, answered by the handlers from its state or through its driver."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from uuid import UUID, uuid4

from klamm.controller.brokers.metadata import refreshed
from klamm.controller.core.model import Broker, ClusterState
from klamm.controller.core.origins import FromClient
from klamm.controller.core.results import Result
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.handlers import k3_metadata, k46_list_partition_reassignments
from klamm.controller.handlers.api import (
    Answer,
    Context,
    Disconnect,
    Outcome,
    RequestEvent,
    Submit,
    Timeout,
    Transact,
)
from klamm.controller.handlers.table import HANDLERS
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.remembered import Remembered
from klamm.controller.runtime.standby import Standby
from klamm.controller.store.transaction import Transaction
from klamm.controller.znodes.text import encode_uuid
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

Submitter = Callable[
    [tuple[RequestEvent, ...], Callable[[Sequence[Result]], None], FromClient], None
]
Transactor = Callable[[tuple[Transaction[Any], ...], Callable[[Sequence[Any]], None]], None]


CallOff = Callable[[], None]
#: Has a function called after some seconds.
Later = Callable[[float, Callable[[], None]], CallOff]
#: Has a response made and handed over when the time is up.
ExpireLater = Callable[[Timeout, Callable[[Message], None]], CallOff]

#: What every client asks for again and again, and what depends on nothing but the context.
REMEMBERED = frozenset({k3_metadata.API_KEY, k46_list_partition_reassignments.API_KEY})


class HasState(Protocol):
    """What the service looks at: a node, whose state is a value between two turns."""

    @property
    def state(self) -> ClusterState | None:
        """The cluster if this node is the active controller, else None."""


class Service:
    """Dispatches the requests of one node.

    `itself` is how clients find the node before it knows the cluster; `submit` hands events to
    the driver, `transact` transactions.
    """

    def __init__(
        self,
        node: HasState,
        submit: Submitter,
        transact: Transactor,
        itself: Broker,
        *,
        cluster_id: str,
        listener: str,
        table: Mapping[int, range],
        rules: Rules = APACHE_3_9,
        properties: Mapping[str, str] | None = None,
        later: Later | None = None,
        honours_timeouts: bool = False,
    ) -> None:
        self._node = node
        self._submit = submit
        self._transact = transact
        self._later = later
        self._remembered = Remembered()
        self._itself = itself
        self._standby = Standby(cluster_id, itself)
        self._state: ClusterState | None = None
        self._context = Context(
            itself.id,
            listener,
            table,
            self._standby.metadata,
            controllers={itself.id: itself},
            draw=secrets.randbelow,
            draw_topic_id=draw_topic_id,
            rules=rules,
            properties=properties or {},
            honours_timeouts=honours_timeouts,
        )

    def dispatch(self, exchange: Exchange) -> None:
        """Serve one request; `klamm.controller.runtime.server` calls it."""
        header, body = exchange.request.header, exchange.request.body
        if isinstance(body, UpdateMetadataRequest):
            context = self.context()
            own_epoch = context.state.epoch if context.state else 0
            exchange.respond(self._standby.take(body, own_epoch))
            return
        key, version, context = header.request_api_key, header.request_api_version, self.context()
        if key in REMEMBERED:
            known = self._remembered.get(context, version, body)
            if known is not None:
                exchange.respond(known)
                return
        outcome = HANDLERS[key].handle(context, body, version)
        if key in REMEMBERED and isinstance(outcome, Answer):
            exchange.respond(self._remembered.put(version, body, outcome.response))
            return
        expire_later = self._expire_later if self._later else None
        carry_out(exchange, outcome, self._submit, self._transact, expire_later)

    def _expire_later(self, timeout: Timeout, expire: Callable[[Message], None]) -> CallOff:
        if self._later is None:
            raise RuntimeError("nobody calls later")
        seconds = max(0.0, timeout.seconds)  # clients may ask for less than no time
        return self._later(seconds, lambda: expire(timeout.response(self.context())))

    def context(self) -> Context:
        """Return what handlers may know at this moment."""
        state = self._node.state
        if state is None:
            return self._out_of_office()
        if state is not self._state:
            metadata = refreshed(self._context.metadata, self._state, state)
            nodes = {self._itself.id: self._itself, **state.nodes}
            self._context = replace(
                self._context, metadata=metadata, state=state, controllers=nodes
            )
            self._state = state
        return self._context

    def _out_of_office(self) -> Context:
        if self._state is not None:
            self._standby.leave_office(self._context.metadata)
            self._state = None
        if self._context.metadata is not self._standby.metadata:
            itself = {self._itself.id: self._itself}
            self._context = replace(
                self._context, metadata=self._standby.metadata, state=None, controllers=itself
            )
        return self._context


def draw_topic_id() -> UUID:
    """Draw an id as Kafka does (Uuid.randomUuid): none whose text begins like an option, by "-"."""
    while encode_uuid(drawn := uuid4()).startswith("-"):
        pass
    return drawn


def carry_out(
    exchange: Exchange,
    outcome: Outcome,
    submit: Submitter,
    transact: Transactor,
    expire_later: ExpireLater | None = None,
) -> None:
    """Do what a handler decided: answer, hand over, or close."""
    match outcome:
        case Answer(response):
            exchange.respond(response)
        case Submit(events, respond, Timeout() as timeout) if expire_later is not None:
            timed = _Timed(exchange)
            timed.cancel = expire_later(timeout, timed.expire)
            submit(events, lambda results: timed.respond(respond(results)), exchange.origin)
        case Submit(events, respond):
            submit(events, lambda results: exchange.respond(respond(results)), exchange.origin)
        case Transact(transactions, respond):
            transact(transactions, lambda results: exchange.respond(respond(results)))
        case Disconnect(reason):
            exchange.disconnect(reason)


class _Timed:
    """An exchange that two may answer: whoever comes first does, the other is too late."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange: Exchange | None = exchange
        self.cancel: Callable[[], None] = lambda: None

    def respond(self, response: Message) -> None:
        """Answer in time, or not at all."""
        self.cancel()
        self.expire(response)

    def expire(self, response: Message) -> None:
        """Answer, unless somebody has."""
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.respond(response)
