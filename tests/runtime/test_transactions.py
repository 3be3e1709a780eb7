"""The way of transactions: from a handler over the driver to the node's door, and back."""

from collections.abc import Sequence
from typing import Any

from runtime.driven import Script, driving
from runtime.test_service import World
from trio.testing import MockClock, wait_all_tasks_blocked

from klamm.controller.configs.alter import AlterBroker, Change, Operation
from klamm.controller.core.origins import FromClient
from klamm.controller.core.results import Done, Refusal
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.effects import Effect, Transacted
from klamm.controller.node.inputs import Input, Transactions
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)

RATE = "leader.replication.throttled.rate"
ORIGIN = FromClient("127.0.0.1:5000", "admin-1", 7, 44)
SET_RATE = AlterBroker(900, (Change(RATE, Operation.SET, "5"),))


async def test_results_reach_the_one_who_asked() -> None:
    def wants(event: Input) -> Sequence[Effect]:
        if isinstance(event, Transactions):
            return [Transacted(event.id, (Done(),) * len(event.transactions))]
        return []

    script = Script(wants)
    replies: list[tuple[str, Sequence[Any]]] = []
    async with driving(script) as world:
        world.driver.transact((SET_RATE, SET_RATE), lambda results: replies.append(("a", results)))
        world.driver.transact((), lambda results: replies.append(("b", results)))
        await wait_all_tasks_blocked()
        assert replies == [("a", (Done(), Done())), ("b", ())]
        assert len(script.seen(Transactions)) == 2


async def test_a_node_writes_configs_and_refuses_between_two_sessions(
    autojump_clock: MockClock,
) -> None:
    replies: list[Sequence[Any]] = []
    async with driving(Node(NodeConfig(900, ()))) as world:
        world.driver.transact((SET_RATE,), replies.append, ORIGIN)
        await world.settle()
        assert replies == [(Done(),)]
        [entry] = [entry for entry, _ in world.journal.written if entry.kind == "config-altered"]
        assert entry.origin == ORIGIN
        data = world.zookeeper.tree.nodes["/config/brokers/900"].data
        assert data == b'{"version":1,"config":{"' + RATE.encode() + b'":"5"}}'

        world.zookeeper.expire(world.opened[0])
        await world.settle()
        world.driver.transact((SET_RATE,), replies.append)
        await world.settle()
        (refusal,) = replies[1]
        assert isinstance(refusal, Refusal)
        assert "no session" in refusal.message


def test_the_service_hands_over_and_answers() -> None:
    world = World()
    entry = (AlterableConfig(RATE, 0, "5"),)
    request = IncrementalAlterConfigsRequest((AlterConfigsResource(4, "900", entry),))
    connection = world.ask(request, 1)
    [(transactions, reply)] = world.transacted
    assert transactions == (SET_RATE,)
    assert [origin.client_id for origin in world.origins] == ["me"]
    assert connection.responses == []
    reply((Done(),))
    [response] = connection.responses
    assert response == IncrementalAlterConfigsResponse(
        responses=(AlterConfigsResourceResponse(0, None, 4, "900"),)
    )
