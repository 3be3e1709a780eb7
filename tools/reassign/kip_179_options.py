"""What the two dialects of KIP-179 add to the command line; see options.py.

Their --progress looks once and exits, where klamm's own watches until the end. In these dialects it
is an action of the stock tool, and wrong usage exits as that does.
Source: KIP-179, current text (alter topics) and version 8 (assign partitions).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from klamm.tools.reassign.option import PLAN_FILE, Action, Dialect, Kind, Option

PROGRESS: Final[Mapping[Dialect, Action]] = {
    Dialect.KIP_179_ALTER: Action("progress", (PLAN_FILE,)),
    Dialect.KIP_179_ASSIGN: Action("progress", (), frozenset({"request"})),
}

#: What works through a server only; a ZooKeeper beside them is refused in these words.
NEVER_WITH_ZOOKEEPER: Final = ("progress", "request")

REQUEST: Final = Option(
    "request",
    "With --progress: the id that --execute has printed. Without it the most recent request is"
    " shown.",
    Kind.INT,
    "id",
    dialects=frozenset({Dialect.KIP_179_ASSIGN}),
)

#: What is told beside a refusal, by dialect: of an option that it does not know, or that does not
#: go with an action.
_HINTS: Final[Mapping[Dialect, Mapping[str, str]]] = {
    Dialect.KIP_179_ALTER: {
        "request": "--request belongs to --dialect kip-179-assign; here --progress takes"
        f" --{PLAN_FILE}.",
    },
    Dialect.KIP_179_ASSIGN: {
        f"progress {PLAN_FILE}": "In this dialect --progress tells of a request: give --request ID,"
        " the number that --execute has printed, or nothing for the newest.",
    },
}

_ADDITIONAL: Final = (
    "Change the throttle of the plan that moves. The server starts nothing while anything moves,"
    " with this option or without."
)

#: What options mean in one of the dialects, where that is another thing than elsewhere.
HELP: Final[Mapping[Dialect, Mapping[str, str]]] = {
    Dialect.KIP_179_ALTER: {
        "additional": _ADDITIONAL,
        "progress": "Print how far each replica of --reassignment-json-file is behind its leader,"
        " and exit.",
    },
    Dialect.KIP_179_ASSIGN: {
        "additional": _ADDITIONAL,
        "execute": "Start the moves of --reassignment-json-file; the last line printed is the id"
        " of the request. In portions each has its own, told on standard error as it is given.",
        "progress": "Print how far each replica of a request is, in messages, and exit.",
    },
}


def with_hint(said: str, dialect: Dialect, key: str) -> str:
    """Return a refusal, and on a line of its own what is to be done if a dialect knows that."""
    hint = _HINTS.get(dialect, {}).get(key)
    return said if hint is None else f"{said}\n{hint}"
