"""Node's clients against a cluster that shows all of klamm's own requests, too."""

from typing import Any

import pytest
from clients.cluster import running
from peers.node.clients import NodeClient

from klamm.controller.handlers.switches import Switch
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

pytestmark = pytest.mark.slow

#: How each library is asked for the list of moves.
LISTS: dict[str, tuple[Any, ...]] = {
    "kafkajs": ("listPartitionReassignments", {}),
    "kafka-ts": ("LIST_PARTITION_REASSIGNMENTS", {"timeoutMs": 5000, "topics": None}),
    "platformatic": ("listPartitionReassignmentsV0", 5000, None),
}


@pytest.mark.req("R179A-19", "R179B-17", "R435-58")
def test_clients_connect_and_list_as_ever(zookeeper: EmbeddedZookeeper) -> None:
    switches = {switch.value.replace(".", "_"): "true" for switch in Switch}
    with running(f"{zookeeper.connect_string}/node-switches", **switches) as world:
        world.freeze(4)
        topic = world.topic([1, 2])
        assert world.alter(topic, [4, 2]) == 0
        for library, call in LISTS.items():
            with NodeClient(library, world.local.bootstrap) as client:
                listed = client.call(*call)
            assert topic in str(listed), library
        world.thaw(4)
        world.await_replicas(topic, [4, 2])
