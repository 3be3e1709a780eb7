"""Who a client is, once its connection knows.

Source: Kafka 3.9, KafkaPrincipal.java, DefaultKafkaPrincipalBuilder.java.
"""

from dataclasses import dataclass

USER = "User"


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody with a name; Kafka makes only those of kind `User`."""

    kind: str
    name: str

    def __str__(self) -> str:
        """Return the text that ACLs and super.users name it by, as in `User:alice`."""
        return f"{self.kind}:{self.name}"


def user(name: str) -> Principal:
    """Return the principal of a user."""
    return Principal(USER, name)


#: Whoever comes by a listener that does not ask.
ANONYMOUS = user("ANONYMOUS")


@dataclass(frozen=True, slots=True)
class Client:
    """Who sent a request: as whom, from which address, by which listener.

    `host` is the address without a port, "" where there is none.
    """

    principal: Principal
    host: str
    listener: str
