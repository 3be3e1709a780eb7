"""Whatever ends an office, everybody who waits has one answer, and it is true.

A node with its driver, its handlers and its door over a ZooKeeper in memory is asked at any
moment, while its session, its connection and its office come and go.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from runtime.driven import World, driving
from runtime.test_replies import House
from trio.testing import MockClock, wait_all_tasks_blocked

from klamm.controller.core.events import CreateTopic
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import Refusal
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.inputs import Woke
from klamm.controller.store.memory_client import CommitCall
from klamm.controller.znodes import paths
from klamm.controller.znodes.brokers import BrokerZnode, Endpoint, encode_broker
from klamm.controller.znodes.controller import ControllerZnode, encode_controller
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import DescribeConfigsResponse
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)

OTHER = encode_controller(ControllerZnode(901, 0))
NODE_ID = 900

#: What clients ask for, and what befalls the node.
ASKED = ("alter", "list", "describe")
BEFALLS = (
    "expire", "cut", "heal", "disconnect", "delete", "take", "vacate", "raise", "woke", "pass",
    "serve", "deliver", "settle",
)  # fmt: skip


@dataclass
class Story:
    """A house with what happens to it; `asked` counts the requests by kind."""

    house: House
    world: World
    asked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ASKED, 0))

    async def play(self, step: str) -> None:
        if step in ASKED:
            self.ask(step)
        elif step == "settle":
            await self.world.settle()
        elif step == "pass":
            await trio.sleep(7)
        elif step == "woke":
            self.world.driver.post(Woke(30.0))
        else:
            self.befall(step)

    def ask(self, step: str) -> None:
        self.asked[step] += 1
        match step:
            case "alter":
                self.house.alter()
            case "list":
                self.house.list()
            case _:
                resource = DescribeConfigsResource(2, "t")
                self.house.ask(DescribeConfigsRequest(resources=(resource,)))

    def befall(self, step: str) -> None:
        zookeeper, store = self.world.zookeeper, self.world.opened[-1]
        controller = zookeeper.tree.nodes.get(paths.CONTROLLER)
        match step:
            case "expire" if zookeeper.knows(store):
                zookeeper.expire(store)
            case "cut":
                zookeeper.cut(store)
            case "heal":
                self.heal()
            case "disconnect" if store.connected:
                zookeeper.disconnect(store)
            case "delete" if controller is not None:
                zookeeper.write([Delete(paths.CONTROLLER, ANY_VERSION)])
            case "take":
                if controller is not None:
                    zookeeper.write([Delete(paths.CONTROLLER, ANY_VERSION)])
                zookeeper.write([Create(paths.CONTROLLER, OTHER)])
                self.raise_epoch()
            case "vacate" if controller is not None and controller.owner == 0:
                zookeeper.write([Delete(paths.CONTROLLER, ANY_VERSION)])
            case "raise":
                self.raise_epoch()
            case "serve" if store.connected and store.outgoing:
                zookeeper.serve(store)
            case "deliver" if store.connected and store.incoming:
                zookeeper.deliver(store)

    def raise_epoch(self) -> None:
        nodes = self.world.zookeeper.tree.nodes
        epoch = int(nodes[paths.CONTROLLER_EPOCH].data or b"0")
        raised = SetData(paths.CONTROLLER_EPOCH, str(epoch + 1).encode(), ANY_VERSION)
        self.world.zookeeper.write([raised])

    def heal(self) -> None:
        for store in self.world.opened:
            self.world.zookeeper.heal(store)

    def check(self) -> None:
        """Nothing is written by a node that cannot know whether it is controller."""
        node = self.world.machine
        assert isinstance(node, Node)
        store = self.world.opened[-1]
        if not store.connected:
            assert not [call for call in store.outgoing if isinstance(call, CommitCall)]
        if node.turns is None:
            assert len(node.requests) == 0


async def tell(steps: Sequence[str]) -> None:
    node = Node(NodeConfig(NODE_ID, ()))
    async with driving(node) as world:
        endpoint = Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", 1)
        for broker in (1, 2, 3):
            registration = encode_broker(BrokerZnode(broker, (endpoint,), version=4))
            world.zookeeper.write([Create(paths.broker(broker), registration)])
        created: list[object] = []
        topic = CreateTopic("t", -1, -1, {0: (2, 3)}, {}, 0, 0)
        world.driver.submit((topic,), created.extend)
        await world.settle()
        assert not isinstance(created[0], Refusal)
        story = Story(House(node, world), world)
        for step in steps:
            await story.play(step)
            await wait_all_tasks_blocked()
            story.check()
        story.heal()
        if world.zookeeper.tree.nodes.get(paths.CONTROLLER) is not None:
            story.befall("vacate")
        for _ in range(3):
            await trio.sleep(20)
            await world.settle()
        answers = story.house.asker.responses
        count = {
            kind: sum(isinstance(answer, kind) for answer in answers)
            for kind in (
                AlterPartitionReassignmentsResponse,
                ListPartitionReassignmentsResponse,
                DescribeConfigsResponse,
            )
        }
        assert tuple(count.values()) == tuple(story.asked.values()), "one answer each"
        for answer in answers:
            if isinstance(answer, AlterPartitionReassignmentsResponse):
                assert answer.error_code in (ErrorCode.NONE, ErrorCode.NOT_CONTROLLER)
                codes = [p.error_code for t in answer.responses for p in t.partitions]
                assert codes == ([0] if answer.error_code == 0 else [])
        assert node.active, "when all is well again, somebody controls"
        assert len(node.requests) == len(node.door) == 0


@given(st.lists(st.sampled_from((*ASKED, *BEFALLS)), max_size=25))
@settings(max_examples=8, deadline=None)
def test_everybody_who_asks_is_answered_once(steps: list[str]) -> None:
    trio.run(tell, steps, clock=MockClock(autojump_threshold=0))


def test_each_way_to_lose_the_office_answers_what_is_in_hand_and_what_is_queued() -> None:
    """E14: three alters and two lists, when the session ends and whenever else."""
    asked = ["alter", "list", "alter", "list", "alter", "describe"]
    for way in ("expire", "delete", "take", "raise", "disconnect"):
        for before in (2, 6):
            steps = [*asked[:before], way, *asked[before:]]
            trio.run(tell, steps, clock=MockClock(autojump_threshold=0))
            trio.run(tell, ["cut", *steps, "pass", "heal"], clock=MockClock(autojump_threshold=0))
