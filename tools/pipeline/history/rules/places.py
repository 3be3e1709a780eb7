"""Which thing of a partition a znode is that was written."""

from __future__ import annotations

import msgspec

from klamm.controller.znodes import paths
from klamm.tools.pipeline.history.rules.event import Event

_ORDERS = paths.REASSIGN_PARTITIONS
_DELETIONS = f"{paths.DELETE_TOPICS}/"
_BROKERS = f"{paths.BROKER_IDS}/"
_LEDGERS = f"{paths.REPLICA_DELETIONS}/"
_HINTS = f"{paths.REASSIGNMENT_STEPS}/"


def place(event: Event) -> str:
    """Return which thing of a partition a written znode is: topic, state, order, ..., or ""."""
    path = event.zk_path or ""
    if path == _ORDERS:
        return "order"
    if path.startswith(f"{paths.TOPICS}/"):
        if path.endswith("/state"):
            return "state"
        return "topic" if path.count("/") == 3 else ""
    for prefix, name in (
        (_DELETIONS, "deletion"),
        (_BROKERS, "broker"),
        (_LEDGERS, "ledger"),
        (_HINTS, "hints"),
    ):
        if path.startswith(prefix):
            return name
    return ""


def brokerid(controller: str | None) -> int | None:
    """Return whom the data of /controller names, None if nobody."""
    try:
        found = msgspec.json.decode(controller or "null")
    except msgspec.DecodeError:
        return None
    return found.get("brokerid") if isinstance(found, dict) else None
