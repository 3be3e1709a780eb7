"""How a simulated broker is reached, and how it reaches the controller: by its one listener."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from klamm.controller.runtime.authentication import Guard, guard_of
from klamm.controller.runtime.conversation import Connect, connect_tcp
from klamm.controller.runtime.listeners import PLAINTEXT, Listener, read_listeners
from klamm.controller.runtime.login import connect_between_brokers
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.settings import authorizer_from


@dataclass(frozen=True, slots=True)
class Access:
    """A listener's name and security protocol, what it asks of peers, and how others are asked.

    `authorizer` says who may do what, its lists yet to be read; without one everybody may all.
    """

    listener: str = PLAINTEXT
    protocol: str = PLAINTEXT
    guard: Guard = Guard(PLAINTEXT)
    connect: Connect = connect_tcp
    authorizer: AclAuthorizer | None = None

    @classmethod
    def of(cls, properties: Mapping[str, str], client_id: str = "klamm-simulated-broker") -> Self:
        """Return that of the listener between brokers in Kafka's properties.

        Raises ValueError for a security that cannot be.
        """
        listeners, between = read_listeners(properties)
        listener: Listener = next(each for each in listeners if each.name == between)
        return cls(
            listener.name,
            listener.protocol,
            guard_of(listener, properties),
            connect_between_brokers(properties, listener, client_id),
            authorizer_from(properties),
        )


#: Open to everybody.
OPEN = Access()
