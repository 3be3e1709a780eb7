"""What a Service has around it: a connection that keeps its answers, and a node that only is."""

from dataclasses import dataclass, field

from klamm.controller.core.model import ClusterState
from klamm.controller.node.outlook import View
from klamm.controller.security.principals import ANONYMOUS, Client
from klamm.protocol.codec import decode
from klamm.protocol.connection import Encoded, Request
from klamm.protocol.message import Message


@dataclass
class FakeConnection:
    peer: str = "test"
    client: Client = Client(ANONYMOUS, "", "PLAINTEXT")
    responses: list[Message] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def respond(self, request: Request, response: Message | Encoded) -> None:
        if isinstance(response, Encoded):
            response = decode(response.kind, response.body, response.version)
        self.responses.append(response)

    def close(self, reason: str) -> None:
        self.reasons.append(reason)


@dataclass
class FakeNode:
    state: ClusterState | None = None
    doubtful: bool = False
    view: View = field(default_factory=View)
    registration_epoch: int = 0
    #: The epoch of an office that is still loading.
    loading: int = 0

    @property
    def office_epoch(self) -> int:
        return self.state.epoch if self.state else self.loading
