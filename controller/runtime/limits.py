"""What the connections of a server may cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What connections may cost.

    `max_request_bytes` is far below Kafka's 100 MiB: a decoded request takes up to 80 times its
    bytes, and moves of 200,000 partitions are 4 MB. `idle_seconds` is Kafka's
    connections.max.idle.ms: without a request for that long the connection is closed. A request
    must be whole within `request_seconds` of its first byte, and a write be taken within
    `write_seconds`. `max_connections` and `max_connections_per_ip` are those of one server.
    """

    max_request_bytes: int = 16 * 1024 * 1024
    max_in_flight: int = 64
    max_unwritten_bytes: int = 1024 * 1024
    idle_seconds: float = 600.0
    request_seconds: float = 60.0
    write_seconds: float = 60.0
    max_connections: int = 2**31 - 1
    max_connections_per_ip: int = 2**31 - 1


DEFAULT_LIMITS = Limits()
