"""A controller of Kafka's own, as far as a klamm node can see it: what it has in ZooKeeper."""

import json
from types import TracebackType
from typing import Self

from kazoo.client import KazooClient

from klamm.controller.znodes import paths
from klamm.controller.znodes.brokers import BrokerZnode, Endpoint, encode_broker
from klamm.controller.znodes.controller import ControllerZnode, encode_controller
from klamm.controller.znodes.state import StateZnode, encode_state


class StockController:
    """A broker that is controller, in a session of its own; a context manager."""

    def __init__(self, connect: str, broker: int = 1) -> None:
        self.id = broker
        self.zookeeper = KazooClient(connect)
        self.zookeeper.start()
        for path in paths.PERSISTENT_PATHS:
            self.zookeeper.ensure_path(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """End the session; its ephemeral znodes go at once."""
        self.zookeeper.stop()
        self.zookeeper.close()

    def register(self, broker: int, port: int = 9092) -> None:
        endpoint = Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", port)
        data = encode_broker(BrokerZnode(broker, (endpoint,), version=4))
        self.zookeeper.create(paths.broker(broker), data, ephemeral=True)

    def stand(self, epoch: int = 1) -> None:
        """Be elected; /controller is there already if somebody else is."""
        transaction = self.zookeeper.transaction()
        data = encode_controller(ControllerZnode(self.id, 0))
        transaction.create(paths.CONTROLLER, data, ephemeral=True)
        if self.zookeeper.exists(paths.CONTROLLER_EPOCH):
            transaction.set_data(paths.CONTROLLER_EPOCH, str(epoch).encode())
        else:
            transaction.create(paths.CONTROLLER_EPOCH, str(epoch).encode())
        for result in transaction.commit():
            if isinstance(result, Exception):
                raise result

    def create(self, topic: str, replicas: list[int]) -> None:
        content = json.dumps({"version": 2, "partitions": {"0": replicas}}).encode()
        self.zookeeper.create(paths.topic(topic), content)
        state = encode_state(StateZnode(replicas[0], 0, tuple(replicas), 1))
        self.zookeeper.create(paths.state(topic, 0), state, makepath=True)

    def elect(self, topic: str, leader: int, isr: list[int]) -> None:
        state = encode_state(StateZnode(leader, 1, tuple(isr), 1))
        self.zookeeper.set(paths.state(topic, 0), state)
