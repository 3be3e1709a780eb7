"""A scripted cluster that offers the requests of KIP-179, and a client that does not wait long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from admin_client.scripted import SERVED, ScriptedCluster

from klamm.tools.admin import Admin

_KEYS = {key: range(1) for key in range(17900, 17904)}
#: What follows the switch that is to be set.
WHERE_TO_SET = (
    ", a property of each klamm node (server.properties, or --override), with a restart; only klamm"
    " serves it"
)

_QUICK = {"retry.backoff.ms": "1", "retry.backoff.max.ms": "20"}


@contextmanager
def offering() -> Iterator[ScriptedCluster]:
    """Nodes 1 to 3, which offer all of it."""
    with ScriptedCluster(3) as scripted:
        for node in scripted.ids:
            scripted.served[node] = {**SERVED, **_KEYS}
        yield scripted


def connect(cluster: ScriptedCluster) -> Admin:
    return Admin.connect(cluster.bootstrap, _QUICK)
