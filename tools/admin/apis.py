"""The requests that this library sends: their classes, the versions it can use, Kafka's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Generic, TypeVar

from klamm.protocol.message import Message
from klamm.tools.admin.errors import UnsupportedVersionError

Q = TypeVar("Q", bound=Message)
R = TypeVar("R", bound=Message)


@unique
class Place(Enum):
    """Which node is asked, where no broker id says it."""

    ANY = "any"
    CONTROLLER = "controller"
    OFFERING = "any that serves the request: klamm's own requests are unknown to brokers"


#: A place, or the id of a node.
Target = Place | int


@dataclass(frozen=True)
class Api(Generic[Q, R]):
    """A request and its response.

    `name` is what Java's Admin calls it, for messages. `versions` are those that can be used;
    the highest that a node serves too is sent. `switch` is the property that lets a node of klamm
    serve a request of its own.
    """

    name: str
    request: type[Q]
    response: type[R]
    versions: range
    switch: str | None = None

    @property
    def key(self) -> int:
        """The API key."""
        return self.request.api_key

    def version_for(self, served: Mapping[int, range], node: str) -> int:
        """Return the highest version that both sides know; raises UnsupportedVersionError."""
        theirs = served.get(self.key)
        if theirs is None and self.switch is not None:
            message = self.request.__name__.removesuffix("Request")
            # A node of klamm without its switches looks like one of Kafka.
            raise UnsupportedVersionError(
                f"the server does not offer {message} ({self.key}): set {self.switch}=true,"
                " a property of each klamm node (server.properties, or --override), with a"
                " restart; only klamm serves it"
            )
        if theirs is None:
            raise UnsupportedVersionError(f"{node} does not support {self.name} (key {self.key})")
        version = min(self.versions[-1], theirs[-1])
        if version not in theirs or version not in self.versions:
            raise UnsupportedVersionError(
                f"{node} does not support {self.name} in a version that klamm knows:"
                f" {theirs[0]} to {theirs[-1]} there, {self.versions[0]} to"
                f" {self.versions[-1]} here"
            )
        return version


def api(
    name: str,
    request: type[Q],
    response: type[R],
    versions: range | None = None,
    switch: str | None = None,
) -> Api[Q, R]:
    """Make an Api with all versions that the schema has, unless told otherwise."""
    return Api(name, request, response, request.versions if versions is None else versions, switch)


#: Makes the request in a version.
Make = Callable[[int], Q]
#: Finds the error codes in a response that may say that another node is to be asked.
Codes = Callable[[R], Iterable[int]]
