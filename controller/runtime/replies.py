"""What becomes of a handler's decision: an answer at once, later, or none."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from klamm.controller.core.origins import FromClient
from klamm.controller.core.results import Result
from klamm.controller.handlers.api import (
    Answer,
    Disconnect,
    Outcome,
    RequestEvent,
    Submit,
    Timeout,
    Transact,
)
from klamm.controller.runtime.exchange import Exchange, label
from klamm.controller.store.transaction import Transaction
from klamm.protocol.message import Message

LOG = logging.getLogger("klamm.server")

Submitter = Callable[
    [tuple[RequestEvent, ...], Callable[[Sequence[Result]], None], FromClient], None
]
Transactor = Callable[
    [tuple[Transaction[Any], ...], Callable[[Sequence[Any]], None], FromClient], None
]
CallOff = Callable[[], None]
#: Hands over how to make a response when the time is up.
ExpireLater = Callable[[Timeout, Callable[[Callable[[], Message]], None]], CallOff]


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
        case Submit(events, respond, timeout):
            late = Late(exchange)
            if timeout is not None and expire_later is not None:
                late.call_off = expire_later(timeout, late.answer)
            submit(events, lambda results: late.answer(partial(respond, results)), exchange.origin)
        case Transact():
            Late(exchange).transact(outcome, transact, exchange.origin)
        case Disconnect(reason):
            exchange.disconnect(reason)


class Late:
    """An answer that comes later: whoever has one first gives it, the others are too late.

    It is made where nobody guards the connection any more, by the loop that drives the node. So a
    fault in making it is caught here and costs, as any fault of ours, that connection alone.
    """

    def __init__(self, exchange: Exchange) -> None:
        self._exchange: Exchange | None = exchange
        self.call_off: CallOff = lambda: None

    def transact(self, outcome: Transact, transact: Transactor, origin: FromClient) -> None:
        """Answer by what transactions come to, which may be more of them."""

        def take(results: Sequence[Any]) -> None:
            self.answer(
                partial(outcome.respond, results),
                lambda more: self.transact(more, transact, origin),
            )

        transact(outcome.transactions, take, origin)

    def answer(
        self,
        make: Callable[[], Message | Transact],
        go_on: Callable[[Transact], None] | None = None,
    ) -> None:
        """Answer, unless somebody has; or go on, if there is more to do before."""
        exchange, self._exchange = self._exchange, None
        if exchange is None:
            return
        self.call_off()
        try:
            made = make()
            if isinstance(made, Transact):
                assert go_on is not None, "what was submitted ends in an answer"
                self._exchange = exchange
                go_on(made)
            else:
                exchange.respond(made)
        except Exception:
            LOG.exception("%s: fault while answering %s", exchange.peer, label(exchange.request))
            exchange.give_up("a fault of this server")
