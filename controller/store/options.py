"""Where ZooKeeper is and how to talk to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.sizes import PACKET_LIMIT


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS to ZooKeeper: PEM files, and how strictly the server's certificate is looked at."""

    ca: str | None = None
    certfile: str | None = None
    keyfile: str | None = None
    keyfile_password: str | None = None
    verify_certs: bool = True
    check_hostname: bool = True


@dataclass(frozen=True, slots=True)
class ZookeeperOptions:
    """Where ZooKeeper is and how to talk to it.

    `connect` is host:port pairs by comma, then the chroot, if any; with `create_chroot` a missing
    one is made, with null data, as Kafka's brokers do. `packet_limit` is the servers'
    jute.maxbuffer in bytes. `auth` holds pairs of scheme and credential, such as ("digest",
    "user:password"); `sasl` is what kazoo's `sasl_options` takes, and needs the package pure-sasl.
    """

    connect: str
    session_timeout_ms: int = 18_000
    packet_limit: int = PACKET_LIMIT
    auth: tuple[tuple[str, str], ...] = ()
    sasl: Mapping[str, str] | None = None
    tls: Tls | None = None
    create_chroot: bool = False
