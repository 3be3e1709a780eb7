"""Where causes come from: who asked, what was seen, what was decided before. For the journal."""

from dataclasses import dataclass

#: Who asks on a listener without authentication, as Kafka writes it (KafkaPrincipal.ANONYMOUS).
ANONYMOUS = "User:ANONYMOUS"


@dataclass(frozen=True, slots=True)
class FromClient:
    """A request: whose it is, over which connection (`peer` is host:port), and of which API."""

    peer: str
    client_id: str | None
    correlation_id: int
    api_key: int
    principal: str = ANONYMOUS


@dataclass(frozen=True, slots=True)
class FromWatch:
    """A watch event told that this znode, or one below it, has changed."""

    path: str


@dataclass(frozen=True, slots=True)
class FromReading:
    """Something was read for another reason than a watch event; `why` says for which."""

    why: str


@dataclass(frozen=True, slots=True)
class FromBroker:
    """A broker's answer to the request of this number."""

    broker: int
    send: int


@dataclass(frozen=True, slots=True)
class FromTimer:
    """The timer of this name."""

    name: str


@dataclass(frozen=True, slots=True)
class FromEntry:
    """What the journal's entry of this sequence number says asks for another look."""

    sequence: int


Origin = FromClient | FromWatch | FromReading | FromBroker | FromTimer | FromEntry
