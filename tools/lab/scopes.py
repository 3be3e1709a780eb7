"""The scopes that `klamm lab run` knows by name."""

from collections.abc import Mapping
from types import MappingProxyType

from klamm.controller.core.ibp import by_name
from klamm.tools.lab.choices import Rates
from klamm.tools.lab.clients import cancel, create, delete, grow, list_moves, move
from klamm.tools.lab.scope import Limits, Scope

_NODE_FAULTS = {
    "crash": 1,
    "crash-in-turn": 1,
    "freeze": 1,
    "freeze-in-turn": 1,
    "expire": 1,
    "expire-unnoticed": 1,
    "cut": 1,
    "cut-late": 1,
}
_BROKER_FAULTS = {
    "kill": 1,
    "bounce": 1,
    "bounce-both": 1,
    "expire-broker": 1,
    "stall": 1,
    "break": 2,
    "break-ask": 1,
}
_ALL_FAULTS = {
    **dict.fromkeys((*_NODE_FAULTS, *_BROKER_FAULTS), 2),
    "clock": 1,
    "lag": 2,
    "double": 2,
    "packets": 2,
    "stop": 1,
    "disk": 1,
    "tool": 3,
}
_TOOLS = (
    "admin",
    "stranger",
    "garbage",
    "drop-admin",
    "depose",
    "same-topics",
    "same-states",
    "elect",
    "elect-garbage",
)

FAILOVER = Scope(
    "failover",
    "The smallest: two nodes, three brokers, one move under way, and the controller fails in it.",
    topics={"t": {0: (1, 2)}},
    asks=(move("t", 0, 2, 3),),
    asks_most=1,
    opening=("client asks n1: move t-0 to 2,3",),
    faults={"crash-in-turn": 1, "freeze-in-turn": 1, "expire-unnoticed": 1, "cut-late": 1},
    rates=Rates(faults=0.06, asks=0.0, clock=0.02),
    limits=Limits(steps=60),
    all_return=False,
)

NODES = Scope(
    "nodes",
    "Moves, cancels and lists, while nodes and their sessions fail in every way.",
    nodes=3,
    brokers=4,
    topics={"t": {0: (1, 2), 1: (2, 3)}},
    asks=(
        move("t", 0, 3, 4),
        move("t", 0, 1, 3),
        move("t", 1, 1, 4),
        move("t", 1, 2, 3, 4),
        cancel("t", 0),
        cancel("t", 1),
        list_moves(),
    ),
    asks_most=4,
    faults=_NODE_FAULTS,
    all_return=False,
)

BROKERS = Scope(
    "brokers",
    "The same while brokers fail, on two log directories each.",
    nodes=2,
    brokers=4,
    topics=NODES.topics,
    asks=NODES.asks,
    asks_most=4,
    faults={**_BROKER_FAULTS, "stop": 1, "disk": 1, "crash": 1},
    log_dirs=("/data1", "/data2"),
)

ALL = Scope(
    "all",
    "Everything: topics come, grow and go, everybody fails, and tools write znodes.",
    nodes=3,
    brokers=5,
    topics={"t": {0: (1, 2), 1: (2, 3)}, "u": {0: (5, 1, 4)}},
    asks=(
        *NODES.asks,
        move("u", 0, 2, 3),
        move("u", 0, 1, 3, 4),
        create("v", {0: (1, 2), 1: (3, 4)}),
        delete("u"),
        delete("v"),
        grow("t", 3),
    ),
    asks_most=6,
    faults=_ALL_FAULTS,
    tools=_TOOLS,
    limits=Limits(steps=300),
    log_dirs=("/data1", "/data2"),
)

LEADERS_ASK = Scope(
    "leaders-ask",
    "As `all` on inter.broker.protocol.version 3.9: leaders ask for ISRs, topics have ids.",
    nodes=ALL.nodes,
    brokers=ALL.brokers,
    topics=ALL.topics,
    asks=ALL.asks,
    asks_most=ALL.asks_most,
    faults=ALL.faults,
    tools=ALL.tools,
    limits=ALL.limits,
    log_dirs=ALL.log_dirs,
    protocol=by_name("3.9"),
)

SCOPES: Mapping[str, Scope] = MappingProxyType(
    {scope.name: scope for scope in (FAILOVER, NODES, BROKERS, ALL, LEADERS_ASK)}
)
