"""What a store and the link that carries its requests hand each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from klamm.controller.store.port import OpError, Refused, Unknown

Reply = tuple[bytes, int]
"""A whole packet, and where the answer's body begins."""

Failure = OpError | Refused | Unknown
Done = Callable[[Reply | Failure], None]
"""Takes the answer to one request."""


class Request:
    """A request on its way; the link carries `kind` and `body`."""

    __slots__ = ("body", "done", "kind", "zxid")

    def __init__(self, kind: int, body: bytes, zxid: int, done: Done) -> None:
        self.kind = kind
        self.body = body
        self.zxid = zxid
        self.done = done


class Link(Protocol):
    """What carries requests to ZooKeeper, in order, and calls the store's `on_` methods."""

    chroot: str
    """"" or a path without a slash at its end."""

    last_zxid: int
    """The newest transaction that the session has seen."""

    def send(self, request: Request) -> None:
        """Send; `WireStore.on_answer` is called once or more. Only while connected."""

    def drop(self) -> None:
        """Break the connection, if there is one, and connect again; returns at once."""

    def request_stop(self) -> None:
        """End the session; returns at once."""
