"""Scopes in which moves are limited (KIP-435), so that they are made in steps.

By what is limited, who fails, and who changes the limits: clients by request, and tools by znode.
"""

from dataclasses import replace

from klamm.controller.core.ibp import by_name
from klamm.controller.core.pace import UNLIMITED
from klamm.tools.lab.choices import Rates
from klamm.tools.lab.clients import cancel, limit_moves, list_moves, move, need_in_sync
from klamm.tools.lab.scope import SETTLES, Limits, Scope
from klamm.tools.lab.scopes import ALL, FAILOVER

STEPS = Scope(
    "steps",
    "Moves are limited and made in steps, while everybody fails and the limits change.",
    nodes=2,
    brokers=6,
    topics={"t": {0: (1, 2, 3), 1: (2, 3, 1)}, "u": {0: (1, 4)}},
    asks=(
        move("t", 0, 4, 5, 6),
        move("t", 0, 3, 2, 5, 6),
        move("t", 1, 2, 5, 6),
        move("t", 1, 6),
        move("u", 0, 5, 2),
        cancel("t", 0),
        cancel("u", 0),
        limit_moves(1, 2, 1),
        limit_moves(2, 2, 1),
        limit_moves(UNLIMITED, 2, UNLIMITED),
        limit_moves(UNLIMITED, UNLIMITED, UNLIMITED),
        need_in_sync(1),
        need_in_sync(2),
        list_moves(),
    ),
    asks_most=10,
    opening=(
        "client asks n1: limit moves to 2,2,1",
        "client asks n1: need 2 in sync",
        SETTLES,
        "client asks n1: move t-0 to 4,5,6",
        "client asks n1: move t-1 to 2,5,6",
        "client asks n1: move u-0 to 5,2",
    ),
    faults={
        **dict.fromkeys(("crash", "crash-in-turn", "freeze-in-turn", "expire", "cut-late"), 1),
        **dict.fromkeys(("kill", "bounce", "stall", "break", "expire-broker"), 2),
    },
    rates=Rates(faults=0.03, asks=0.05, clock=0.02),
    limits=Limits(steps=300),
)
STEPS_FAILOVER = replace(
    FAILOVER,
    name="steps-crash",
    story="Two nodes, four brokers, one move one replica at a time, and the controller fails.",
    brokers=4,
    asks=(move("t", 0, 3, 4), cancel("t", 0), limit_moves(1, 1, 1)),
    asks_most=4,
    opening=("client asks n1: limit moves to 1,1,1", SETTLES, "client asks n1: move t-0 to 3,4"),
    rates=Rates(faults=0.04, asks=0.01, clock=0.02),
    limits=Limits(steps=120),
)
STEPS_ALL = replace(
    ALL,
    name="steps-all",
    story="As `all`, while moves are limited, and clients and tools change the limits.",
    asks=(
        *ALL.asks,
        limit_moves(1, 1, 1),
        limit_moves(2, 2, 1),
        limit_moves(UNLIMITED, 1, UNLIMITED),
        limit_moves(UNLIMITED, UNLIMITED, UNLIMITED),
        need_in_sync(2),
    ),
    asks_most=9,
    opening=("client asks n1: limit moves to 1,1,1", SETTLES),
    tools=(*ALL.tools, "limit-one", "limit-none", "drop-hints", "garble-hints"),
)
STEPS_ASK = replace(
    STEPS_ALL,
    name="steps-ask",
    story="As `steps-all` on inter.broker.protocol.version 3.9.",
    protocol=by_name("3.9"),
)
