"""Kafka's cluster id: read from ZooKeeper, or drawn and written by whoever comes first.

DescribeCluster has to name it from the first moment on, so a node asks before it serves.
"""

import base64
import uuid

from klamm.controller.runtime.sessions import Calls, StoreError
from klamm.controller.store.port import Create, ReadData, Unreadable, Znode
from klamm.controller.znodes.cluster import decode_cluster_id, encode_cluster_id
from klamm.controller.znodes.paths import CLUSTER_ID


async def ensure_cluster_id(calls: Calls) -> str:
    """Return the cluster id, made if there was none; waits as long as ZooKeeper is away.

    Raises StoreError if ZooKeeper refuses, ZnodeError if the znode holds no id.
    """
    while True:
        [found] = await calls.read(ReadData(CLUSTER_ID))
        if isinstance(found, Znode):
            return decode_cluster_id(found.data)
        if isinstance(found, Unreadable):
            raise StoreError(f"{found.path}: {found.error}")
        # Whatever comes of these, the next read tells: another node may be first.
        await calls.update(Create("/cluster", None))
        await calls.update(Create(CLUSTER_ID, encode_cluster_id(draw_cluster_id())))


def draw_cluster_id() -> str:
    """Draw an id as Kafka does: a random UUID as 22 characters of url-safe base64."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
