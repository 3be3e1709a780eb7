"""Small worlds that can be explored to their end."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from klamm.tools.lab.clients import cancel, list_moves, move
from klamm.tools.lab.scope import Scope

#: Kinds of faults that share one budget: ends of a process or of a session, at every moment.
ENDS = ("crash", "crash-in-turn", "expire", "expire-unnoticed")

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
    asks=(cancel("t", 0), list_moves()),
    opening=("client asks n1: move t-0 to 2,3",),
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

SMALL: Mapping[str, Scope] = MappingProxyType(
    {scope.name: scope for scope in (TINY, TINY_PAIR, ALONE, ALONE_CANCEL, ALONE_ADMIN, PAIR, FULL)}
)
