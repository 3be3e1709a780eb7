"""What a controller is in the middle of when moves are limited, so that they go in steps (KIP-435).

Each scenario begins with the limits in force. Kafka's own sequence knows no limits: it carries out
whole moves, also those that klamm has begun in steps.
"""

import json
from collections.abc import Mapping

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
)
from klamm.controller.core.ops import ANY_VERSION, Create, Op, SetData
from klamm.controller.core.pace import UNLIMITED, Limits
from klamm.controller.znodes import paths
from klamm.tools.lab import clients
from klamm.tools.lab.apache.scenarios import (
    SCENARIOS,
    Scenario,
    Step,
    T,
    ask,
    move,
    order,
    stall,
)
from klamm.tools.lab.apache.stage import Stage

_123 = (1, 2, 3)
ONE = Limits(1, 1, 1)


def limit(limits: Limits) -> Step:
    """Write the limits of moves, as kafka-configs does with --zookeeper."""
    values = {
        REPLICA_MOVEMENTS: limits.replicas,
        PARTITION_MOVEMENTS: limits.partitions,
        LEADER_MOVEMENTS: limits.leaders,
    }
    config = {key: str(value) for key, value in values.items() if value != UNLIMITED}
    data = json.dumps({"version": 1, "config": config}).encode()
    path = paths.CLUSTER_CONFIG

    def write(stage: Stage) -> None:
        there = path in stage.world.tree.nodes
        op: Op = SetData(path, data, ANY_VERSION) if there else Create(path, data)
        stage.world.write("limits moves", op)

    return write


_LIMITED = limit(ONE)
_ORIGIN: Mapping[tuple[int, ...], str] = {_123: "origin"}

STEPPED = (
    Scenario(
        "steps",
        "[1,2,3] moves to [4,5,3], one at a time: 4 comes and leads, 1 goes, 5 comes for 2.",
        _123,
        (_LIMITED,),
        (4, 5, 3),
        _ORIGIN,
        asks=move(4, 5, 3),
    ),
    Scenario(
        "cancel in the first step",
        "[1,2,3] moves to [4,5,3] in steps, the first of which adds 4; a client cancels.",
        _123,
        (_LIMITED, stall(4), ask(4, 5, 3)),
        (3, 1, 2),
        {(4, 5, 3): "former target"},
        asks=clients.cancel(*T),
    ),
    Scenario(
        "replace between steps",
        "[1,2,3] moves to [4,5,3] in steps: 4 leads, 1 is gone, 5 is to come; then to [2,1,3].",
        _123,
        (_LIMITED, stall(5), ask(4, 5, 3)),
        (2, 1, 3),
        {(4, 5, 3): "former target"},
        asks=move(2, 1, 3),
    ),
    Scenario(
        "limits are lifted",
        "[1,2,3] moves to [4,5,3] in steps, the first of which adds 4; the limits are lifted.",
        _123,
        (_LIMITED, stall(4), ask(4, 5, 3)),
        (4, 5, 3),
        _ORIGIN,
        act=limit(Limits()),
    ),
    Scenario(
        "limits are set",
        "[1,2,3] moves to [4,5,3] as a whole, of which nothing is copied; then moves are limited.",
        _123,
        (stall(4, 5), ask(4, 5, 3)),
        (4, 5, 3),
        _ORIGIN,
        act=limit(ONE),
    ),
    Scenario(
        "steps by znode",
        "Somebody writes an admin znode that orders [1,2,3] to [4,5,3], while moves are limited.",
        _123,
        (_LIMITED,),
        (4, 5, 3),
        _ORIGIN,
        act=order(4, 5, 3),
    ),
)
#: Kafka drops nobody before the end, and so has no such cancel.
HALF_CANCELLED = Scenario(
    "cancel after a step that dropped",
    "[1,2,3] moves to [4,5,3] in steps: 4 leads, 1 is gone, 5 is to come; a client cancels.",
    _123,
    (_LIMITED, stall(5), ask(4, 5, 3)),
    (4, 3, 2),
    {(4, 5, 3): "former target"},
    asks=clients.cancel(*T),
)
#: The example of KIP-435's text, by two replicas at a time.
EXAMPLE = Scenario(
    "the proposal's example",
    "[1,2,3,4,5] moves to [6,7,8,9,10], at most two replicas in a step.",
    (1, 2, 3, 4, 5),
    (limit(Limits(2, 1, 1)),),
    (6, 7, 8, 9, 10),
    {(1, 2, 3, 4, 5): "origin"},
    asks=move(6, 7, 8, 9, 10),
    brokers=10,
)
#: All that `klamm lab crash-points` knows.
ALL = (*SCENARIOS, *STEPPED)
