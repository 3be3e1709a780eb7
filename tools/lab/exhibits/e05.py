"""E5: a second tool writes the orders while the first one's are carried out."""

from dataclasses import replace
from functools import partial

from klamm.controller.core.rules import KIP_455
from klamm.controller.store.memory_client import CommitCall
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import comes, copy_again, order, orders, stall, target
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.world import World

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, three partitions.",
    brokers=4,
    topics={"t": {0: (1, 2), 1: (1, 2), 2: (1, 2)}},
)
_BY_THE_KIP = replace(_SCOPE, rules=KIP_455)
_A, _B, _C = ("t", 0, (3, 2)), ("t", 1, (4, 2)), ("t", 2, (3, 2))
_Order = tuple[str, int, tuple[int, ...]]


def _overwritten(second: tuple[_Order, ...], carried_out: bool, stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 3 and 2, t-1 to 4 and 2, which copy nothing for now.")
    stall(world, 3, 4)
    order(world, _A, _B)
    world.settle()
    names = ", ".join(f"{topic}-{number}" for topic, number, _ in second)
    stage.say(f"Another tool writes over it. Now the znode names {names}.")
    order(world, *second)
    world.advance(5.0)
    stage.claim(target(stage, "t", 2) == [1, 2], "while the first orders last, t-2 waits")
    stage.say("Brokers 3 and 4 copy.")
    copy_again(world, 3, 4)
    _end(stage, [3, 2] if carried_out else [1, 2])


def _rewritten(carried_out: bool, stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 3 and 2, t-1 to 4 and 2. Broker 4 copies nothing.")
    stall(world, 4)
    order(world, _A, _B)
    stage.claim(
        comes(stage, lambda: _rewrites(world)), "t-0 is done, and n1 writes the znode without it"
    )
    stage.say("Before that arrives, a tool adds t-2.")
    order(world, _A, _B, _C)
    world.settle()
    stage.claim(_C[:2] in orders(stage), "the order for t-2 is still there")
    copy_again(world, 4)
    _end(stage, [3, 2] if carried_out else [1, 2])


def _rewrites(world: World) -> bool:
    """Tell whether n1 has sent a rewrite of the admin znode, which has not arrived."""
    store = world.nodes["n1"].store
    return store is not None and any(
        isinstance(asked, CommitCall)
        and any(op.path == paths.REASSIGN_PARTITIONS for op in asked.ops)
        for asked in store.outgoing
    )


def _end(stage: Stage, wanted: list[int]) -> None:
    stage.rest()
    stage.claim(not orders(stage), "/admin/reassign_partitions is gone")
    for topic, partition, replicas in (_A, _B, ("t", 2, wanted)):
        held = stage.replicas(topic, partition)
        stage.claim(held == [*replicas], f"{topic}-{partition} is on {[*replicas]}: {held}")
    stage.say("So the next order finds its place free: t-0 back to 1 and 2.")
    order(stage.world, ("t", 0, (1, 2)))
    stage.world.advance(30.0)
    stage.claim(stage.replicas("t", 0) == [1, 2], "it is carried out")
    stage.rest()


EXHIBIT = Exhibit(
    id="E5",
    title="Two tools, one znode",
    story="The znode of orders is to be created when it is absent, and left alone until it is gone;"
    " KIP-455 says that later writes are ignored. Tools write it all the same. Kafka does ignore"
    " them, and for ever: what was added is kept at each rewrite and never begun, so the znode"
    " never goes away, and each later order is refused because it is there, until somebody deletes"
    " /controller (KAFKA-9478, open to this day). If the tool's write falls between the reading"
    " and the rewriting of Kafka's controller, which checks no version, the order is lost instead."
    " klamm begins what it finds when the orders under way are done, and rewrites only the version"
    " it has read. Under the profile kip-455 what came too late is discarded, as the KIP has it,"
    " but the znode goes away all the same.",
    cases=(
        Case("klamm, one more order", _SCOPE, partial(_overwritten, (_A, _B, _C), True)),
        Case("klamm, other orders", _SCOPE, partial(_overwritten, (_C,), True)),
        Case("klamm, between reading and writing", _SCOPE, partial(_rewritten, True)),
        Case("kip-455: one more order", _BY_THE_KIP, partial(_overwritten, (_A, _B, _C), False)),
        Case("kip-455: other orders", _BY_THE_KIP, partial(_overwritten, (_C,), False)),
        Case("kip-455: between reading and writing", _BY_THE_KIP, partial(_rewritten, False)),
        Case(
            "what comes later is never begun",
            _SCOPE,
            partial(_overwritten, (_A, _B, _C), True),
            "F06",
            "liveness",
        ),
        Case("no check of the version", _SCOPE, partial(_rewritten, True), "F08", "I12"),
    ),
)
