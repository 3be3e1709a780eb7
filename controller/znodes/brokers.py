"""`/brokers/ids/N`: where a broker listens (kafka.zk.BrokerIdZNode).

    {"version":5,"host":"h","port":9092,"jmx_port":-1,"timestamp":"1795260081097",
     "endpoints":["PLAINTEXT://h:9092"],"listener_security_protocol_map":{"PLAINTEXT":"PLAINTEXT"},
     "features":{},"rack":"r1"}

Version 1 has only host and port, 2 brings endpoints, 3 the rack, 4 the map of protocols
(inter.broker.protocol.version 0.10.0-IV1), 5 features (2.7-IV0). All are read, 4 and 5 written.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import INT64_MAX, Int32, check_string, dump, parse
from klamm.controller.znodes.text import decode_int

PLAINTEXT: Final = "PLAINTEXT"
SECURITY_PROTOCOLS: Final = frozenset({PLAINTEXT, "SSL", "SASL_PLAINTEXT", "SASL_SSL"})

_ENDPOINT = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:([0-9]{1,5})", re.ASCII)
_LAST_PORT = 65535
_VERSION_WITH_FEATURES = 5
_VERSIONS_WRITTEN = (4, _VERSION_WITH_FEATURES)

FeatureRanges = Mapping[str, Mapping[str, int]]


class Endpoint(msgspec.Struct, frozen=True):
    """One listener. `host` is "" when it is bound to all addresses; IPv6 goes without brackets."""

    listener: str
    security_protocol: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.listener}://{host}:{self.port}"


class BrokerZnode(msgspec.Struct, frozen=True):
    """The registration of a broker.

    `features` maps a feature to its supported range, e.g. {"min_version": 1, "max_version": 3}.
    `timestamp` is in milliseconds since the epoch, None if unreadable; nobody acts on it.
    """

    id: int
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None
    features: FeatureRanges = msgspec.field(default_factory=dict)
    version: int = _VERSION_WITH_FEATURES
    timestamp: int | None = None
    jmx_port: int = -1


class _Json(msgspec.Struct):
    version: Int32
    host: str | None = None
    port: Annotated[int, msgspec.Meta(ge=-1, le=_LAST_PORT)] = -1
    endpoints: list[str] | None = None
    listener_security_protocol_map: dict[str, str] | None = None
    rack: str | None = None
    features: dict[str, dict[str, Int32]] | None = None
    timestamp: Any = None
    jmx_port: Int32 = -1


_DECODER = msgspec.json.Decoder(_Json)


def decode_broker(data: bytes | None, path: str) -> BrokerZnode:
    """Read the registration at `path`, whose last part is the broker's id; raises ZnodeError."""
    fields = parse(_DECODER, data, path)
    if fields.version < 1:
        raise ZnodeError(path, f"version {fields.version} is no broker registration")
    if fields.version == 1:
        endpoints: tuple[Endpoint, ...] = (_first_form(fields, path),)
    elif fields.endpoints is None:
        raise ZnodeError(path, f"version {fields.version} without endpoints")
    else:
        endpoints = decode_endpoints(fields.endpoints, fields.listener_security_protocol_map, path)
    check_strings(endpoints, fields.rack, path)
    features = fields.features if fields.version >= _VERSION_WITH_FEATURES else None
    return BrokerZnode(
        paths.broker_id(path),
        endpoints,
        fields.rack,
        features or {},
        fields.version,
        decode_int(fields.timestamp, 0, INT64_MAX),
        fields.jmx_port,
    )


def encode_broker(znode: BrokerZnode) -> bytes:
    """Write a registration of version 4 or 5.

    ValueError for others, and for texts that no request could carry.
    """
    if znode.version not in _VERSIONS_WRITTEN:
        raise ValueError(f"broker registrations are written in version 4 or 5, not {znode.version}")
    if znode.features and znode.version < _VERSION_WITH_FEATURES:
        raise ValueError(f"version {znode.version} cannot carry features {dict(znode.features)}")
    check_strings(znode.endpoints, znode.rack, paths.broker(znode.id))
    # What readers of version 1 connect to.
    plain = (each for each in znode.endpoints if each.security_protocol == PLAINTEXT)
    first = next(plain, None)
    fields: dict[str, Any] = {
        "version": znode.version,
        "host": first.host if first else None,
        "port": first.port if first else -1,
        "jmx_port": znode.jmx_port,
    }
    if znode.timestamp is not None:
        fields["timestamp"] = str(znode.timestamp)
    fields |= encode_endpoints(znode.endpoints)
    if znode.version >= _VERSION_WITH_FEATURES:
        fields["features"] = znode.features
    if znode.rack is not None:
        fields["rack"] = znode.rack
    return dump(fields)


def encode_endpoints(endpoints: tuple[Endpoint, ...]) -> dict[str, Any]:
    """Return the two keys that hold endpoints."""
    protocols = {each.listener: each.security_protocol for each in endpoints}
    return {
        "endpoints": [str(each) for each in endpoints],
        "listener_security_protocol_map": protocols,
    }


def decode_endpoints(
    texts: list[str], protocols: Mapping[str, str] | None, path: str
) -> tuple[Endpoint, ...]:
    """Read endpoints; without a map of protocols a listener is named after its protocol."""
    endpoints = tuple(_endpoint(text, protocols, path) for text in texts)
    names = [each.listener for each in endpoints]
    if len(set(names)) != len(names):
        raise ZnodeError(path, f"two endpoints of one listener: {texts}")
    return endpoints


def check_strings(endpoints: tuple[Endpoint, ...], rack: str | None, path: str) -> None:
    """Raise ZnodeError if a registration holds a text that UpdateMetadata could not carry."""
    check_string(rack, "rack", path)
    for endpoint in endpoints:
        check_string(endpoint.listener, "a listener's name", path)
        check_string(endpoint.host, f"the host of listener {endpoint.listener[:40]}", path)


def _endpoint(text: str, protocols: Mapping[str, str] | None, path: str) -> Endpoint:
    match = _ENDPOINT.fullmatch(text)
    if match is None:
        raise ZnodeError(path, f"endpoint {text[:120]!r} is not LISTENER://host:port")
    listener = match[1].upper()
    protocol = (listener if protocols is None else protocols.get(listener, "")).upper()
    if protocol not in SECURITY_PROTOCOLS:
        raise ZnodeError(path, f"no security protocol is known for endpoint {text[:120]!r}")
    port = int(match[3])
    if port > _LAST_PORT:
        raise ZnodeError(path, f"endpoint {text[:120]!r} has port {port}")
    return Endpoint(listener, protocol, match[2], port)


def _first_form(fields: _Json, path: str) -> Endpoint:
    if fields.host is None or fields.port < 0:
        raise ZnodeError(path, "version 1 without host and port")
    return Endpoint(PLAINTEXT, PLAINTEXT, fields.host, fields.port)
