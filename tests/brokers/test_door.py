"""A broker's door: transactions over its session, beside the model's own requests."""

from collections.abc import Callable, Sequence
from typing import Any

from klamm.controller.configs.alter import AlterBroker, Change, Operation
from klamm.controller.configs.describe import DescribeBroker
from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.core.results import Done, Refusal
from klamm.controller.node.effects import ArmWatch, Commit, ReadZnodes, Update
from klamm.controller.node.permissions import Permissions
from klamm.controller.security.acls import (
    AccessRule,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.acls import (
    Operation as Allowed,
)
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.stored import ChangeAcls
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import StoreEvent, UpdateDone
from klamm.controller.znodes import ACL_PATHS
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.door import BrokerDoor

RATE = "leader.replication.throttled.rate"
SET_RATE = AlterBroker(1, (Change(RATE, Operation.SET, "5"),))


class World:
    """One door and its session."""

    def __init__(self) -> None:
        self.zookeeper = MemoryZookeeper()
        for path in ("/config", "/config/brokers", "/config/changes"):
            self.zookeeper.write((Create(path, None),))
        self.others: list[StoreEvent] = []
        self.replies: list[Sequence[Any]] = []
        self.later: list[Callable[[], None]] = []
        self.door = BrokerDoor(self.make, lambda _, call: self.later.append(call))
        self.open()

    def open(self) -> None:
        self.inbox: list[StoreEvent] = []
        self.store: MemoryStore = self.zookeeper.open(self.inbox.append)

    def make(self, call: Call) -> None:
        match call:
            case Commit(request, ops, fence):
                self.store.commit(request, ops, fence)
            case ReadZnodes(request, reads, sync):
                self.store.read(request, reads, sync)
            case Update(request, op):
                self.store.update(request, op)
            case ArmWatch(request, watches):
                self.store.watch(request, watches)

    def settle(self) -> None:
        self.zookeeper.run()
        while self.inbox:
            event = self.inbox.pop(0)
            if not self.door.take(event):
                self.others.append(event)
            self.zookeeper.run()

    def transact(self, *transactions: AlterBroker | DescribeBroker | ChangeAcls) -> None:
        self.door.transact(transactions, self.replies.append)


def test_configs_are_written_and_read() -> None:
    world = World()
    world.settle()
    world.transact(SET_RATE)
    world.settle()
    world.transact(DescribeBroker(1))
    world.settle()
    (done,), (entries,) = world.replies
    assert done == Done()
    assert [entry.value for entry in entries if entry.name == RATE] == ["5"]


def test_what_the_model_asks_is_for_the_model() -> None:
    world = World()
    world.settle()
    seen = len(world.others)
    assert seen == 1  # CONNECTED, which both must hear
    world.make(Update(1, Create("/x", None)))
    world.transact(SET_RATE)
    world.settle()
    assert [type(event) for event in world.others[seen:]] == [UpdateDone]
    assert world.replies == [(Done(),)]


def test_a_lost_connection_is_waited_for_and_a_lost_session_is_told() -> None:
    world = World()
    world.settle()
    world.zookeeper.disconnect(world.store)
    world.transact(SET_RATE)
    assert world.replies == []
    world.settle()
    assert world.replies == [(Done(),)]
    world.zookeeper.disconnect(world.store)
    world.zookeeper.expire(world.store)
    world.transact(SET_RATE)
    world.settle()
    ((refusal,),) = world.replies[1:]
    assert isinstance(refusal, Refusal)
    world.open()
    world.settle()
    world.transact(SET_RATE)
    world.settle()
    assert world.replies[2:] == [(Done(),)]


def test_an_ended_broker_answers_what_is_open_and_can_start_anew() -> None:
    world = World()
    world.settle()
    world.transact(SET_RATE)
    world.door.lost("the broker has ended")
    ((refusal,),) = world.replies
    assert isinstance(refusal, Refusal)
    assert "nothing was written: the broker has ended" in refusal.message
    world.open()
    world.settle()
    world.transact(SET_RATE)
    world.settle()
    assert world.replies[1:] == [(Done(),)]


# --- access control lists ------------------------------------------------------------------------

ORDERS = ResourcePattern(ResourceType.TOPIC, "orders")
READ = AccessRule("User:alice", "*", Allowed.READ, Permission.ALLOW)
WRITE = AccessRule("User:alice", "*", Allowed.WRITE, Permission.ALLOW)
LIST = (
    b'{"version":1,"acls":[{"principal":"User:alice","permissionType":"Allow",'
    b'"operation":"Read","host":"*"}]}'
)


def with_lists() -> tuple[World, Permissions]:
    world = World()
    world.zookeeper.write([Create(path, None) for path in ACL_PATHS])
    permissions = world.door.permissions = Permissions(AclAuthorizer())
    world.settle()
    return world, permissions


def test_lists_are_followed_without_a_word_to_the_model() -> None:
    world, permissions = with_lists()
    seen = len(world.others)
    world.zookeeper.write([Create("/kafka-acl/Topic/orders", LIST)])
    world.settle()
    assert permissions.authorizer.lists == {ORDERS: {READ}}
    world.transact(ChangeAcls(ORDERS, (WRITE,)))
    world.settle()
    assert len(world.replies) == 1
    assert permissions.authorizer.lists == {ORDERS: {READ, WRITE}}
    assert len(world.others) == seen


def test_lists_are_read_again_after_a_lost_connection() -> None:
    world, permissions = with_lists()
    world.zookeeper.disconnect(world.store)
    world.zookeeper.write([Create("/kafka-acl/Topic/orders", LIST)])
    world.settle()
    assert permissions.authorizer.lists == {ORDERS: {READ}}


def test_a_list_that_cannot_be_read_is_read_again_later() -> None:
    world, permissions = with_lists()
    world.zookeeper.write([Create("/kafka-acl/Topic/orders", b"{")])
    world.settle()
    assert permissions.authorizer.unreadable == {ORDERS}
    [again] = world.later
    world.door.lost("the broker has ended")
    again()
    assert not world.store.outgoing, "between two sessions nobody is asked"
    world.open()
    world.settle()
    world.zookeeper.write([SetData("/kafka-acl/Topic/orders", LIST, ANY_VERSION)])
    world.settle()
    assert permissions.authorizer.lists == {ORDERS: {READ}}
