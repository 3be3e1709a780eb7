"""E12: a tool orders moves to nowhere."""

import json
from functools import partial
from typing import Any

from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import fail_over
from klamm.tools.lab.rogue import put
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.variants._scripts import in_office

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, two topics of one partition.",
    brokers=4,
    topics={"t": {0: (1, 2)}, "u": {0: (1, 4)}},
    limits=Limits(rest_steps=300),
)
_SOUND = {"topic": "u", "partition": 0, "replicas": [2, 3]}


def _entry(*replicas: int) -> dict[str, Any]:
    return {"topic": "t", "partition": 0, "replicas": replicas}


def _entry_script(entry: dict[str, Any], what: str, stage: Stage) -> None:
    """Order something wrong for t-0, and something sound for u-0, of a controller in office."""
    world = stage.world
    stage.say(f"A tool orders moves by znode. What it says of t-0 cannot be: {what}.")
    _order(stage, {"version": 1, "partitions": [entry, _SOUND]})
    world.settle()
    world.advance(5.0)
    _fails_over(stage)
    there = stage.replicas("u", 0)
    stage.claim(there == [2, 3], f"u-0 is where the sound order wants it, on 2 and 3: {there}")


def _no_list(stage: Stage) -> None:
    """Order nothing that could be understood, of whoever is elected next."""
    stage.say(
        "A tool writes orders without the list of them. The controller is just being bounced."
    )
    _order(stage, {"version": 1})
    _fails_over(stage)


def _order(stage: Stage, orders: dict[str, Any]) -> None:
    data = json.dumps(orders).encode()
    stage.world.write("orders moves by znode", *put(stage.world, paths.REASSIGN_PARTITIONS, data))


def _fails_over(stage: Stage) -> None:
    world = stage.world
    stage.say("n1 dies, and n2 has to begin with what it finds.")
    world.do("crash n1")
    fail_over(world, "n1")
    stage.rest()
    holders = in_office(world)
    stage.claim(len(holders) == 1, f"a controller is in office: {holders}")
    znode = json.loads(world.tree.nodes[paths.topic("t")].data or b"")
    there = znode["partitions"]["0"]
    stage.claim(there == [1, 2], f"t-0 is on 1 and 2, as before: {there}")
    leader, isr = stage.leadership("t", 0)
    stage.claim(leader == 1, f"its leader is 1, and not -1, nobody: {leader}, ISR {isr}")
    free = not stage.exists(paths.REASSIGN_PARTITIONS)
    stage.claim(free, "the znode is free for the next tool")


_EMPTY = partial(_entry_script, _entry(), "it shall have no replicas")
_UNKNOWN = partial(_entry_script, _entry(1, 9), "there is no broker 9")
_DOUBLED = partial(_entry_script, _entry(3, 3), "it shall be on broker 3 twice")

EXHIBIT = Exhibit(
    id="E12",
    title="Empty target",
    story="What clients ask for by request is judged: an empty list, an unknown broker, the same"
    " one twice are refused. The same orders in /admin/reassign_partitions, where tools of before"
    " 2.6 write them, are judged by nobody. Kafka 2.4 to 2.6 carry an empty target out (H1): all of"
    " its replicas are in sync, there are none, so the move ends, and every broker is told to"
    " delete its log. An unknown broker is waited for until it comes (H2); one named twice lowers"
    " the number of replicas for good (N4). And an object without a list of partitions ends the"
    " start of each new controller until the znode is removed by hand; that is so in 3.9 (N1)."
    " klamm judges each entry as it does a request, says in its journal what it refuses and why,"
    " carries out the others, and leaves the znode free.",
    cases=(
        Case("klamm: no replicas", _SCOPE, _EMPTY),
        Case("klamm: a broker that there is not", _SCOPE, _UNKNOWN),
        Case("klamm: a broker twice", _SCOPE, _DOUBLED),
        Case("klamm: no orders at all", _SCOPE, _no_list),
        Case("no replicas", _SCOPE, _EMPTY, "H1", "I2"),
        Case("a broker that there is not", _SCOPE, _UNKNOWN, "H2", "story"),
        Case("a broker twice", _SCOPE, _DOUBLED, "N4", "I2"),
        Case("no orders at all", _SCOPE, _no_list, "N1", "liveness"),
    ),
)
