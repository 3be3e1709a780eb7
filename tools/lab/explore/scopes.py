"""Small worlds that can be explored to their end."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from klamm.tools.lab.clients import cancel, delete, grow, limit_moves, list_moves, move
from klamm.tools.lab.scope import SETTLES, Scope

#: Kinds of faults that share one budget: ends of a process or of a session, at every moment.
ENDS = ("crash", "crash-in-turn", "expire", "expire-unnoticed")

#: Openings in the middle: a move is asked for; n1 has decided on it, and another one waits; it is
#: deposed, and n2 elected, before n1 or its write has reached ZooKeeper again.
ASKED = ("client asks n1: move t-0 to 2,3",)
#: The controller has read the orders, and not begun with them.
ORDERS = (
    "tool: orders moves by znode",
    *("zk tells n1", "n1 turn", "zk serves n1", "zk tells n1", "n1 turn"),
)
HALF_ORDERS = ("tool: orders moves in bad JSON",)
_QUEUED = (*ASKED, "n1 turn", "client asks n1: move t-0 to 1,3", "n1 turn")
_ELECTION = ("zk tells n2", "n2 turn", "zk serves n2")
REPLACED = (*_QUEUED, "tool: removes /controller", *_ELECTION, *_ELECTION)

#: Followers of an empty log have all of it at once, so no time must pass for a move to end.
TINY = Scope(
    "explore-tiny",
    "One controller, two brokers, a move from one to the other.",
    nodes=1,
    brokers=2,
    topics={"t": {0: (1,)}},
    asks=(move("t", 0, 2),),
    asks_most=1,
    partition_bytes=0,
    faults=dict.fromkeys(ENDS, 2),
    all_return=False,
)
TINY_PAIR = replace(
    TINY,
    name="explore-tiny-pair",
    story="Two controllers, two brokers, a move from one to the other.",
    nodes=2,
)
ALONE = replace(
    TINY,
    name="explore-alone",
    story="One controller, three brokers, one partition, one move.",
    brokers=3,
    topics={"t": {0: (1, 2)}},
    asks=(move("t", 0, 2, 3),),
)
ALONE_CANCEL = replace(
    ALONE,
    name="explore-cancel",
    story="The same, and a client lists or cancels the move at any moment.",
    asks=(*ALONE.asks, cancel("t", 0), list_moves()),
    asks_most=2,
    opening=ASKED,
)
ALONE_ADMIN = replace(
    ALONE,
    name="explore-admin",
    story="One controller, a move by the admin znode and another by a request.",
    asks=(move("t", 0, 1, 3),),
    faults={**ALONE.faults, "tool": 1},
    tools=("admin",),
)
PAIR = replace(
    ALONE,
    name="explore-pair",
    story="Two controllers, three brokers, one move; processes and sessions end.",
    nodes=2,
)
FULL = replace(
    PAIR,
    name="explore-full",
    story="Two controllers, three brokers, one partition, an entry of the admin znode, a request.",
    asks=ALONE_ADMIN.asks,
    faults=ALONE_ADMIN.faults,
    tools=("admin",),
)

# --- beginning in the middle ---------------------------------------------------------------------

MOVING = replace(
    PAIR, name="explore-moving", story="Two controllers; n1 was asked for a move.", opening=ASKED
)
DEPOSED = replace(
    MOVING,
    name="explore-deposed",
    story="The same; an operator removes /controller, and a client asks once more, at any moment.",
    asks=(*ALONE.asks, list_moves(), move("t", 0, 1, 3)),
    asks_most=2,
    faults={**ALONE.faults, "tool": 1},
    tools=("depose",),
)
FENCED = replace(
    DEPOSED,
    name="explore-fenced",
    story="n2 was elected, and n1 does not know; what n1 has decided to write is on its way.",
    faults=ALONE.faults,
    opening=REPLACED,
)
CONNECTIONS = replace(
    ALONE,
    name="explore-connections",
    story="One controller, whose connection to ZooKeeper breaks twice, once with requests in it.",
    faults={**ALONE.faults, "cut": 1, "cut-late": 1},
)
ELECTION = replace(
    CONNECTIONS,
    name="explore-election",
    story="The same; its session has just ended, so that it stands for election.",
    opening=("expire n1",),
)
SHRINKING = replace(
    ALONE,
    name="explore-shrinking",
    story="One controller, a move that only removes, and a list of moves.",
    asks=(move("t", 0, 1), list_moves()),
    asks_most=2,
)
TOUCHED = replace(
    ALONE_CANCEL,
    name="explore-touched",
    story="One controller, a move under way, and a tool writes its znodes again, twice.",
    asks=(*ALONE.asks, list_moves()),
    faults={**ALONE.faults, "tool": 2},
    tools=("same-states", "same-topics"),
)

# --- orders by the admin znode -------------------------------------------------------------------

ORDERED = replace(
    ALONE_ADMIN,
    name="explore-ordered",
    story="One controller has read an order of the admin znode; a request for another target.",
    asks=(move("t", 0, 1, 3), cancel("t", 0)),
    asks_most=1,
    faults=ALONE.faults,
    opening=(*ORDERS, "client asks n1: move t-0 to 1,3"),
)
WITHDRAWN = replace(
    ORDERED,
    name="explore-withdrawn",
    story="The same; clients have the topic deleted, and ask for another target.",
    asks=(delete("t"), move("t", 0, 1, 3)),
    asks_most=2,
    opening=(*ORDERS, "client asks n1: delete t"),
)
GARBAGE = replace(
    ALONE_ADMIN,
    name="explore-garbage",
    story="One controller; the admin znode holds half a file of orders.",
    asks=(list_moves(),),
    faults=ALONE.faults,
    tools=("garbage", "admin"),
    opening=HALF_ORDERS,
)
CORRECTED = replace(
    GARBAGE,
    name="explore-corrected",
    story="The same; the tool corrects itself, and a client asks for what is not there.",
    asks=(move("u", 0, 1, 2),),
    faults=ALONE_ADMIN.faults,
)
NONSENSE = replace(
    ALONE_ADMIN,
    name="explore-nonsense",
    story="One controller; orders, or a request, of moves to nowhere or of what is not there.",
    asks=(move("t", 0),),
    tools=("stranger", "empty"),
)
GROWING = replace(
    ALONE_CANCEL,
    name="explore-growing",
    story="One controller, a move under way; clients have the topic grow, or deleted.",
    asks=(*ALONE.asks, grow("t", 2), delete("t")),
)
FROZEN = replace(
    PAIR,
    name="explore-frozen",
    story="Two controllers; one stands still while an operator removes /controller.",
    faults={**ALONE.faults, "freeze": 1, "tool": 1},
    tools=("depose",),
)

# --- moves in steps ------------------------------------------------------------------------------

STEPS = replace(
    TINY,
    name="explore-steps",
    story="One controller, three brokers, a move in two steps, and a request at any moment.",
    brokers=3,
    asks=(limit_moves(1, 1, 1), move("t", 0, 2, 3), cancel("t", 0)),
    asks_most=3,
    opening=("client asks n1: limit moves to 1,1,1", SETTLES, "client asks n1: move t-0 to 2,3"),
)

SMALL: Mapping[str, Scope] = MappingProxyType(
    {
        scope.name: scope
        for scope in (
            TINY,
            TINY_PAIR,
            ALONE,
            ALONE_CANCEL,
            ALONE_ADMIN,
            PAIR,
            FULL,
            MOVING,
            DEPOSED,
            FENCED,
            CONNECTIONS,
            ELECTION,
            SHRINKING,
            TOUCHED,
            ORDERED,
            WITHDRAWN,
            GARBAGE,
            CORRECTED,
            NONSENSE,
            GROWING,
            FROZEN,
            STEPS,
        )
    }
)
