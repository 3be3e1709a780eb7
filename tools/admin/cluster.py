"""Key 60, and Metadata for clusters that do not have it (before 2.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.tools.admin.apis import Place
from klamm.tools.admin.errors import UnsupportedVersionError, raise_for
from klamm.tools.admin.routing import CONTROLLERS, DESCRIBE_CLUSTER, METADATA, Session


@dataclass(frozen=True, slots=True)
class BrokerDescription:
    """A broker that is alive, and where clients reach it."""

    id: int
    host: str
    port: int
    rack: str | None


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """The living brokers by id, in the order of ids; of bootstrap controllers, the controllers.

    `controller_id` is None while there is no controller that clients can reach.
    """

    cluster_id: str | None
    controller_id: int | None
    brokers: Mapping[int, BrokerDescription]


async def describe(session: Session) -> ClusterDescription:
    """Ask any node for the cluster."""

    def make(version: int) -> DescribeClusterRequest:
        if session.by_controller:
            if version < 1:
                raise UnsupportedVersionError("DescribeCluster 0 cannot ask for controllers")
            return DescribeClusterRequest(endpoint_type=CONTROLLERS)
        return DescribeClusterRequest()

    try:
        answer = await session.ask(DESCRIBE_CLUSTER, Place.ANY, make)
    except UnsupportedVersionError:
        if session.by_controller:
            raise
        return await _by_metadata(session)
    raise_for(answer.error_code, answer.error_message)
    return _description(
        answer.cluster_id,
        answer.controller_id,
        [BrokerDescription(node.broker_id, node.host, node.port, node.rack)
         for node in answer.brokers],
    )  # fmt: skip


async def _by_metadata(session: Session) -> ClusterDescription:
    answer = await session.ask(METADATA, Place.ANY, lambda _: MetadataRequest())
    raise_for(answer.error_code)
    return _description(
        answer.cluster_id,
        answer.controller_id,
        [BrokerDescription(node.node_id, node.host, node.port, node.rack)
         for node in answer.brokers],
    )  # fmt: skip


def _description(
    cluster_id: str | None, controller: int, brokers: list[BrokerDescription]
) -> ClusterDescription:
    brokers.sort(key=lambda broker: broker.id)
    return ClusterDescription(
        cluster_id,
        None if controller < 0 else controller,
        {broker.id: broker for broker in brokers},
    )
