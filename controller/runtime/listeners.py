"""Where a node listens and what it tells others: Kafka's listeners and their security protocols.

    listeners=INTERNAL://10.0.0.5:9092,CLIENTS://:9093
    listener.security.protocol.map=INTERNAL:SSL,CLIENTS:SASL_SSL
    inter.broker.listener.name=INTERNAL

Source: Kafka 3.9, SocketServerConfigs.java, KafkaConfig.scala (listeners, advertisedListeners,
getInterBrokerListenerNameAndSecurityProtocol).
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

PLAINTEXT = "PLAINTEXT"
PROTOCOLS = (PLAINTEXT, "SSL", "SASL_PLAINTEXT", "SASL_SSL")
DEFAULT_LISTENERS = "PLAINTEXT://:9092"

_LISTENER = re.compile(r"([^:,\s]+)://(?:\[([0-9A-Fa-f:%.]+)\]|([^:\[\]\s]*)):([0-9]{1,5})")
_META_ADDRESSES = ("0.0.0.0", "::")  # noqa: S104 - what is refused
_MAP = "listener.security.protocol.map"


@dataclass(frozen=True, slots=True)
class Listener:
    """One listener, by its name in capitals.

    `host` is the address to listen on, "" for all of them; `port` 0 takes a free one. Clients and
    brokers are told `advertised_host` and `advertised_port`, without them the address that is
    listened on; nothing at all if it is not `advertised`.
    """

    name: str = PLAINTEXT
    protocol: str = PLAINTEXT
    host: str = "127.0.0.1"
    port: int = 0
    advertised_host: str | None = None
    advertised_port: int | None = None
    advertised: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be: raises ValueError with the value."""
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port {self.port} is none: take 0 for a free one, or up to 65535")
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"{self.protocol} is none of {', '.join(PROTOCOLS)}")

    @property
    def uses_tls(self) -> bool:
        """Whether its connections begin with a TLS handshake."""
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def uses_sasl(self) -> bool:
        """Whether clients log in by SASL."""
        return self.protocol in ("SASL_PLAINTEXT", "SASL_SSL")

    @property
    def prefix(self) -> str:
        """What the names of properties begin with that hold for this listener alone."""
        return listener_prefix(self.name)


def listener_prefix(name: str) -> str:
    """Return what the names of properties begin with that hold for one listener alone."""
    return f"listener.name.{name.lower()}."


def read_listeners(properties: Mapping[str, str]) -> tuple[tuple[Listener, ...], str]:
    """Read the listeners, and the name of the one between brokers; raises ValueError."""
    found = _entries("listeners", properties.get("listeners", DEFAULT_LISTENERS))
    _check_ports(found)
    protocols = _protocols(properties)
    listeners = tuple(
        replace(listener, protocol=_protocol(listener.name, protocols)) for listener in found
    )
    between = _between(properties, listeners)
    return _advertised(properties, listeners, between), between


def _entries(key: str, text: str) -> list[Listener]:
    entries = [entry for entry in re.split(r"\s*,\s*", text.strip()) if entry]
    if not entries:
        raise ValueError(
            f"{key}={text.strip()!r}: NAME://HOST:PORT is needed, as in {DEFAULT_LISTENERS}"
        )
    found = []
    for entry in entries:
        match = _LISTENER.fullmatch(entry)
        if match is None or int(match[4]) > 65535:
            raise ValueError(
                f"{key}={text.strip()!r}: NAME://HOST:PORT is needed, as in {DEFAULT_LISTENERS}"
            )
        found.append(
            Listener(match[1].upper(), PLAINTEXT, match[2] or match[3] or "", int(match[4]))
        )
    [(name, count)] = Counter(listener.name for listener in found).most_common(1)
    if count > 1:
        raise ValueError(f"{key}={text.strip()!r}: {name} is named {count} times")
    return found


def _check_ports(listeners: list[Listener]) -> None:
    for listener in listeners:
        same = [other.name for other in listeners if other.port == listener.port]
        if listener.port and len(same) > 1:
            raise ValueError(f"listeners: {' and '.join(same)} want the same port {listener.port}")


def _protocols(properties: Mapping[str, str]) -> Mapping[str, str]:
    """Return protocols by listener; the protocols' own names stand for themselves."""
    text = properties.get(_MAP)
    if text is None:
        return {protocol: protocol for protocol in PROTOCOLS}
    protocols = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        listener, _, protocol = entry.partition(":")
        if protocol.strip().upper() not in PROTOCOLS:
            raise ValueError(
                f"{_MAP}: {entry!r} is not LISTENER:PROTOCOL with one of {', '.join(PROTOCOLS)}"
            )
        protocols[listener.strip().upper()] = protocol.strip().upper()
    return protocols


def _protocol(name: str, protocols: Mapping[str, str]) -> str:
    if name not in protocols:
        raise ValueError(f"listeners: no protocol for {name}; {_MAP}={name}:{PLAINTEXT} gives one")
    return protocols[name]


def _between(properties: Mapping[str, str], listeners: tuple[Listener, ...]) -> str:
    """Return the name of the listener at which brokers reach each other and this node."""
    by_name, by_protocol = "inter.broker.listener.name", "security.inter.broker.protocol"
    if by_name in properties and by_protocol in properties:
        raise ValueError(f"{by_name} and {by_protocol} are both set; leave one of them out")
    key = by_name if by_name in properties else by_protocol
    default = listeners[0].name if len(listeners) == 1 else PLAINTEXT
    between = properties.get(key, default).strip().upper()
    names = [listener.name for listener in listeners]
    if between not in names:
        raise ValueError(
            f"{key}={between!r}: there is no such listener, but {', '.join(names)}; klamm listens"
            f" where brokers reach it, so {by_name} must name one of its listeners"
        )
    return between


def _advertised(
    properties: Mapping[str, str], listeners: tuple[Listener, ...], between: str
) -> tuple[Listener, ...]:
    """Note what others are told of each listener."""
    text = properties.get("advertised.listeners")
    if text is None:
        for listener in listeners:
            if listener.host in _META_ADDRESSES:
                raise ValueError(
                    f"listeners={properties['listeners'].strip()!r}: nobody can connect to"
                    f" {listener.host}; say in advertised.listeners what clients and brokers"
                    " connect to"
                )
        return listeners
    told = {listener.name: listener for listener in _entries("advertised.listeners", text)}
    names = [listener.name for listener in listeners]
    for name, listener in told.items():
        if name not in names:
            raise ValueError(
                f"advertised.listeners={text.strip()!r}: there is no listener {name}, but"
                f" {', '.join(names)}"
            )
        if listener.host in _META_ADDRESSES:
            raise ValueError(
                f"advertised.listeners={text.strip()!r}: nobody can connect to {listener.host};"
                " name an address that clients and brokers can reach"
            )
    if between not in told:
        raise ValueError(
            f"advertised.listeners={text.strip()!r}: brokers connect to {between}, which is not"
            " among them"
        )
    return tuple(_told(listener, told.get(listener.name)) for listener in listeners)


def _told(listener: Listener, told: Listener | None) -> Listener:
    if told is None:
        return replace(listener, advertised=False)
    return replace(listener, advertised_host=told.host or None, advertised_port=told.port or None)
