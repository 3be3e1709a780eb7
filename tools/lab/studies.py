"""Small worlds, each about one kind of trouble, in which the variants about it turn red soon."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from klamm.controller.core.ibp import by_name
from klamm.tools.lab.choices import Rates
from klamm.tools.lab.clients import cancel, grow, list_moves, move
from klamm.tools.lab.explore.scopes import SMALL
from klamm.tools.lab.limited import STEPS, STEPS_ALL, STEPS_ASK, STEPS_FAILOVER
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.scopes import SCOPES

_TOPIC = {"t": {0: (1, 2)}}
_MOVES = (move("t", 0, 2, 3), move("t", 0, 3, 4), move("t", 0, 1), cancel("t", 0), list_moves())
_BUSY = Rates(faults=0.06, asks=0.12, clock=0.02)

MOVES = Scope(
    "moves",
    "One partition is moved about, and tools write its znodes again, so that versions differ.",
    brokers=4,
    topics=_TOPIC,
    asks=_MOVES,
    asks_most=4,
    faults={"tool": 3, "crash": 1},
    tools=("same-states", "same-topics"),
    rates=_BUSY,
    limits=Limits(steps=100),
)
DEPOSED = Scope(
    "deposed",
    "/controller is removed, so that the former controller's session goes on; it hears of it late.",
    brokers=4,
    topics=_TOPIC,
    asks=_MOVES,
    asks_most=12,
    faults={"tool": 2, "freeze-in-turn": 1},
    tools=("depose",),
    rates=Rates(faults=0.04, asks=0.2, clock=0.02),
    limits=Limits(steps=100),
)
SESSIONS = Scope(
    "sessions",
    "Connections and sessions of controller nodes end in every way.",
    brokers=3,
    topics=_TOPIC,
    asks=(move("t", 0, 2, 3), list_moves()),
    asks_most=2,
    faults={"expire": 2, "expire-unnoticed": 1, "cut": 2, "cut-late": 2},
    rates=_BUSY,
    limits=Limits(steps=100),
)
ALONE = Scope(
    "alone",
    "One node, which is elected again and again.",
    nodes=1,
    topics=_TOPIC,
    asks=(move("t", 0, 2, 3), list_moves()),
    asks_most=2,
    faults={"expire": 2},
    rates=_BUSY,
    limits=Limits(steps=60),
)
BOUNCES = Scope(
    "bounces",
    "Brokers and controllers go down and come back, often at the same moment.",
    brokers=4,
    topics=_TOPIC,
    asks=_MOVES[:3],
    asks_most=2,
    faults={"bounce-both": 2, "kill": 2, "expire-broker": 1, "crash": 1},
    rates=_BUSY,
    limits=Limits(steps=150),
)
GROWTH = Scope(
    "growth",
    "A topic gets more partitions while others of it move.",
    brokers=4,
    topics=_TOPIC,
    asks=(move("t", 0, 3, 4), move("t", 0, 2, 3), grow("t", 2), grow("t", 3)),
    asks_most=5,
    faults={"crash": 1},
    rates=Rates(faults=0.02, asks=0.3, clock=0.02),
    limits=Limits(steps=80),
)
IDS = Scope(
    "ids",
    "Topics have ids, and leaders ask for ISRs.",
    brokers=4,
    topics=_TOPIC,
    asks=_MOVES,
    asks_most=4,
    faults={"crash": 1, "tool": 2, "freeze-in-turn": 1},
    tools=("depose",),
    rates=_BUSY,
    limits=Limits(steps=100),
    protocol=by_name("3.9"),
)
#: What the scripts of variants begin with; nothing in it is left to chance.
SCRIPTED = Scope("scripted", "Two nodes, four brokers, one partition.", brokers=4, topics=_TOPIC)
#: The same, where leaders ask the controller for ISRs.
LEADERS_ASK = replace(SCRIPTED, name="scripted-3.9", protocol=by_name("3.9"))
TWO_TOPICS = replace(SCRIPTED, name="scripted-2", topics={**_TOPIC, "u": {0: (1, 4)}})
TWO_DISKS = replace(SCRIPTED, name="scripted-disks", log_dirs=("/data1", "/data2"))
THREE_PARTITIONS = replace(
    SCRIPTED, name="scripted-3", topics={"t": dict.fromkeys(range(3), (1, 2))}
)

STUDIES: Mapping[str, Scope] = MappingProxyType(
    {
        scope.name: scope
        for scope in (
            MOVES,
            DEPOSED,
            SESSIONS,
            ALONE,
            BOUNCES,
            GROWTH,
            IDS,
            STEPS,
            STEPS_FAILOVER,
            STEPS_ALL,
            STEPS_ASK,
        )
    }
)

#: Whatever `klamm lab run` knows by name.
ALL_SCOPES: Mapping[str, Scope] = MappingProxyType({**SCOPES, **STUDIES, **SMALL})
