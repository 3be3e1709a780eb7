"""Answers that were given already, in their bytes: clients ask for the same metadata all the time.

A handler's answer depends on nothing but the context and the request, so while the context is the
same the same question has the same answer. Describing a large cluster takes seconds; a thousand
clients that ask for it at once, as they do when the controller has moved, wait for one of them.
"""

from klamm.controller.handlers.api import Context
from klamm.protocol.connection import Encoded
from klamm.protocol.message import Message

MOST_BYTES = 16 * 1024 * 1024
MOST_ANSWERS = 1_000
#: What everybody asks is short; a longer request is answered, and not remembered.
MOST_REQUEST_BYTES = 4 * 1024
#: What a decoded request takes of memory for each of its bytes on the wire, at most.
DECODED = 80


class Remembered:
    """Answers about one context, by version and request; all are forgotten when they are too many.

    Requests are told apart by their values, so two that are equal are one. Their memory counts as
    that of the answers does.
    """

    def __init__(self) -> None:
        self._context: Context | None = None
        self._answers: dict[tuple[int, Message], Encoded] = {}
        self._bytes = 0

    def get(self, context: Context, version: int, request: Message) -> Encoded | None:
        """Return the answer that was given to this request in this context."""
        if context is not self._context:
            self._forget()
            self._context = context
        return self._answers.get((version, request))

    def put(self, version: int, request: Message, response: Message, size: int) -> Encoded:
        """Encode an answer in the context that `get` was asked about, and keep it if there is room.

        `size` is that of the request on the wire. Raises EncodeError.
        """
        encoded = Encoded.of(response, version)
        taken = len(encoded.body) + size * DECODED
        if size > MOST_REQUEST_BYTES or taken > MOST_BYTES:
            return encoded
        if len(self._answers) == MOST_ANSWERS or self._bytes + taken > MOST_BYTES:
            self._forget()
        self._answers[version, request] = encoded
        self._bytes += taken
        return encoded

    def _forget(self) -> None:
        self._answers = {}
        self._bytes = 0
