"""Kafka's client properties, as `--command-config` files hold them.

Source: Kafka 3.9, AdminClientConfig.java, CommonClientConfigs.java; ClientUtils.java and
Utils.getHost for addresses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from klamm.controller.runtime.properties import read_properties

BOOTSTRAP_SERVERS = "bootstrap.servers"
BOOTSTRAP_CONTROLLERS = "bootstrap.controllers"
SECURITY_PROTOCOL = "security.protocol"
SECURITY_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")

#: Durations in milliseconds, with Kafka's defaults.
REQUEST_TIMEOUT = "request.timeout.ms"
API_TIMEOUT = "default.api.timeout.ms"
RETRY_BACKOFF = "retry.backoff.ms"
RETRY_BACKOFF_MAX = "retry.backoff.max.ms"
CONNECT_TIMEOUT = "socket.connection.setup.timeout.ms"
_DURATIONS = {
    REQUEST_TIMEOUT: 30_000,
    API_TIMEOUT: 60_000,
    RETRY_BACKOFF: 100,
    RETRY_BACKOFF_MAX: 1_000,
    CONNECT_TIMEOUT: 10_000,
}
_LONGEST_MS = 2**31 - 1
_ADDRESS = re.compile(
    r"(?:[A-Za-z][\w+.-]*://)?(?:\[(?P<ip6>[^\]]+)\]|(?P<host>[^:/\[\]]+)):(?P<port>\d+)"
)


class OptionError(ValueError):
    """A property or address cannot be used; names it and what would do."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a node listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class AdminOptions:
    """How a client reaches a cluster, and for how long it tries.

    Durations are in milliseconds. `properties` are all that were given, for TLS and SASL.

    >>> options = AdminOptions.of("one:9092,[::1]:9093", {"request.timeout.ms": "5000"})
    >>> [str(address) for address in options.bootstrap]
    ['one:9092', '[::1]:9093']
    >>> options.request_timeout_ms, options.api_timeout_ms, options.security_protocol
    (5000, 60000, 'PLAINTEXT')
    """

    bootstrap: tuple[Address, ...]
    request_timeout_ms: int
    api_timeout_ms: int
    retry_backoff_ms: int
    retry_backoff_max_ms: int
    connect_timeout_ms: int
    security_protocol: str
    properties: Mapping[str, str] = field(repr=False)  # passwords

    @classmethod
    def of(
        cls,
        bootstrap: str | None,
        properties: Mapping[str, str],
        *,
        bootstrap_controller: bool = False,
    ) -> AdminOptions:
        """Read the properties; without `bootstrap` they name it. Raises OptionError."""
        for name, value in properties.items():
            if not isinstance(value, str):
                raise OptionError(
                    f"{name} is of type {type(value).__name__}: properties are text, as in files;"
                    " write it in quotes"
                )
        if bootstrap is None:
            key = BOOTSTRAP_CONTROLLERS if bootstrap_controller else BOOTSTRAP_SERVERS
            bootstrap = properties.get(key, "")
        durations = {name: _duration(properties, name) for name in _DURATIONS}
        protocol = properties.get(SECURITY_PROTOCOL, "PLAINTEXT").strip().upper()
        if protocol not in SECURITY_PROTOCOLS:
            raise OptionError(
                f"{SECURITY_PROTOCOL}={properties[SECURITY_PROTOCOL]}: it must be one of"
                f" {', '.join(SECURITY_PROTOCOLS)}"
            )
        return cls(
            addresses(bootstrap),
            durations[REQUEST_TIMEOUT],
            durations[API_TIMEOUT],
            durations[RETRY_BACKOFF],
            durations[RETRY_BACKOFF_MAX],
            durations[CONNECT_TIMEOUT],
            protocol,
            properties,
        )


def addresses(text: str) -> tuple[Address, ...]:
    """Read `host:port,host:port`, in order and without doubles; raises OptionError."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _ADDRESS.fullmatch(part)
        if match is None or not 0 < int(match["port"]) < 1 << 16:
            raise OptionError(
                f"{BOOTSTRAP_SERVERS}: {part!r} is no address; write host:port, such as"
                " localhost:9092"
            )
        found.append(Address(match["ip6"] or match["host"], int(match["port"])))
    if not found:
        raise OptionError(f"{BOOTSTRAP_SERVERS}: no address is given; write host:port,host:port")
    return tuple(dict.fromkeys(found))


def read(path: str | Path) -> dict[str, str]:
    """Read a file of client properties; raises OSError and PropertiesError (a ValueError)."""
    return read_properties(Path(path))


def _duration(properties: Mapping[str, str], name: str) -> int:
    text = properties.get(name, str(_DURATIONS[name])).strip()
    if not re.fullmatch(r"\d{1,10}", text) or int(text) > _LONGEST_MS:
        raise OptionError(f"{name}={text}: it must be milliseconds from 0 to {_LONGEST_MS}")
    return int(text)
