"""The audit: a line in the log `klamm.audit`, and an entry of the journal, for each alteration.

Who asks, from where, for what, and what it was answered; see `klamm.controller.handlers.audit`.
"""

import logging
from collections.abc import Callable

from klamm.controller.core.origins import FromClient
from klamm.controller.handlers.audit import audit_line, audited
from klamm.controller.runtime.exchange import Exchange
from klamm.protocol.connection import Encoded
from klamm.protocol.message import Message

LOG = logging.getLogger("klamm.audit")

#: Takes a line and who it is about, for the journal.
Note = Callable[[str, FromClient], None]


def audit(exchange: Exchange, note: Note | None = None) -> None:
    """Have a request audited when it is answered, if it alters something."""
    header, body = exchange.request.header, exchange.request.body
    if not audited(header.request_api_key):
        return

    def answered(response: Message | Encoded | None) -> None:
        told = response if isinstance(response, Message) else None
        line = audit_line(exchange.client, exchange.peer, header.client_id, body, told)
        LOG.info("%s", line)
        if note is not None:
            note(line, exchange.origin)

    exchange.on_answer = answered
