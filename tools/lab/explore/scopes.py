"""Small worlds that can be explored to their end."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from klamm.tools.lab.clients import cancel, list_moves, move
from klamm.tools.lab.scope import Scope

#: Kinds of faults that share one budget: ends of a process or of a session, at every moment.
ENDS = ("crash", "crash-in-turn", "expire", "expire-unnoticed")

#: Followers of an empty log have all of it at once, so no time must pass for a move to end.
ALONE = Scope(
    "explore-alone",
    "One controller that cannot fail, three brokers, one partition, one move.",
    nodes=1,
    topics={"t": {0: (1, 2)}},
    asks=(move("t", 0, 2, 3),),
    asks_most=1,
    partition_bytes=0,
    all_return=False,
)
ALONE_CANCEL = replace(
    ALONE,
    name="explore-cancel",
    story="The same, and a client cancels the move at any moment.",
    asks=(cancel("t", 0), list_moves()),
    opening=("client asks n1: move t-0 to 2,3",),
)
ALONE_ADMIN = replace(
    ALONE,
    name="explore-admin",
    story="One controller, a move by the admin znode and another by a request.",
    asks=(move("t", 0, 1, 3),),
    faults={"tool": 1},
    tools=("admin",),
)
FAILING = replace(
    ALONE,
    name="explore-failing",
    story="One controller whose process or session ends, and which comes back.",
    faults=dict.fromkeys(ENDS, 2),
)
PAIR = replace(
    ALONE,
    name="explore-pair",
    story="Two controllers, three brokers, one move; processes and sessions end.",
    nodes=2,
    faults=dict.fromkeys(ENDS, 2),
)
FULL = replace(
    PAIR,
    name="explore-full",
    story="Two controllers, three brokers, one partition, an entry of the admin znode, a request.",
    asks=ALONE_ADMIN.asks,
    faults={**PAIR.faults, "tool": 1},
    tools=("admin",),
)

SMALL: Mapping[str, Scope] = MappingProxyType(
    {scope.name: scope for scope in (ALONE, ALONE_CANCEL, ALONE_ADMIN, FAILING, PAIR, FULL)}
)
