"""Small clusters as values, for tests of handlers and of the metadata snapshot."""

from collections.abc import Mapping
from uuid import UUID

from klamm.controller.brokers.metadata import MetadataCache, refreshed
from klamm.controller.core.model import (
    Assignment,
    Broker,
    ClusterState,
    Endpoint,
    Leadership,
    Partition,
    Topic,
)
from klamm.controller.handlers.api import Context
from klamm.controller.handlers.table import advertised

NODE = 900
#: What the context of these tests draws for a new topic.
TOPIC_ID = UUID(int=4711)


def endpoint(port: int, listener: str = "PLAINTEXT") -> Endpoint:
    return Endpoint(listener, "PLAINTEXT", "127.0.0.1", port)


def broker(id_: int, listener: str = "PLAINTEXT", rack: str | None = None) -> Broker:
    return Broker(id_, 1000 + id_, (endpoint(9000 + id_, listener),), rack)


def partition(
    replicas: tuple[int, ...],
    *,
    adding: tuple[int, ...] = (),
    removing: tuple[int, ...] = (),
    leader: int | None = None,
) -> Partition:
    """A partition whose origin replicas are in sync; the first one leads unless told otherwise."""
    assignment = Assignment(replicas, adding, removing)
    isr = tuple(sorted(assignment.origin))
    chosen = isr[0] if leader is None else leader
    return Partition(assignment, Leadership(chosen, 3, isr, 1, 7))


def topic(name: str, partitions: Mapping[int, Partition]) -> Topic:
    return Topic(name, 0, partitions)


def cluster(*topics: Topic, brokers: tuple[int, ...] = (1, 2, 3, 4)) -> ClusterState:
    return ClusterState(
        NODE,
        1,
        1,
        brokers={id_: broker(id_) for id_ in brokers},
        nodes={NODE: broker(NODE)},
        topics={item.name: item for item in topics},
    )


def context(state: ClusterState, *, active: bool = True) -> Context:
    """What a handler gets on the controller, or on another node that knows the same cluster."""
    return Context(
        node_id=NODE,
        listener="PLAINTEXT",
        advertised=advertised(),
        metadata=refreshed(MetadataCache("c1"), None, state),
        state=state if active else None,
        controllers=state.nodes,
        draw=lambda bound: bound - 1,
        draw_topic_id=lambda: TOPIC_ID,
    )
