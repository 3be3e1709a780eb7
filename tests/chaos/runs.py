"""A short run in which everything went well, to plant violations in."""

from collections.abc import Iterable

from klamm.controller.node.forms import ContentForm, Line, PartitionForm, WriteForm
from klamm.tools.chaos.history import (
    Alter,
    Answered,
    AnyEvent,
    Began,
    Closed,
    Create,
    Dropped,
    Elected,
    Final,
    Healing,
    ListMoves,
    Looked,
    Quiet,
    Replicas,
    Sent,
    StateSeen,
)

WALL_MS = 1_000_000
ASSIGNED = (2, 3)
STATE = StateSeen(2, 5, ASSIGNED)
ALTER = Alter({"t:0": ASSIGNED})


def final(**changes: object) -> Final:
    fields: dict[str, object] = {
        "controller": 901,
        "epoch": 2,
        "topics": {"t": {0: Replicas(ASSIGNED)}},
        "states": {"t:0": STATE},
        "listed": {},
        "told": {901: {"t:0": (ASSIGNED, STATE)}},
        "disks": {1: (), 2: ("t:0",), 3: ("t:0",)},
        "leads": {1: (), 2: ("t:0",), 3: ()},
        "alive": (1, 2, 3),
        "deletions": (),
        **changes,
    }
    return Final(9.0, **fields)  # type: ignore[arg-type]


def history() -> list[AnyEvent]:
    """Node 900 makes topic t on brokers 1 and 2; node 901 takes over, and moves it to 2 and 3."""
    return [
        Began(0.0, WALL_MS, 1, 5.0, (900, 901), (1, 2, 3), 30.0),
        Elected(0.1, 900, 1),
        Sent(0.2, "setup", 1, 0, 900, Create("t", ((1, 2),))),
        Answered(0.3, 1, 0, codes={"t": 0}),
        Looked(0.5, 0.4, {"t": {0: Replicas((1, 2))}}),
        Elected(1.0, 901, 2),
        Sent(1.1, "mover", 2, 0, 900, ALTER),
        Answered(1.2, 2, 0, error=41),
        Closed(1.3, 2, "the client has ended it"),
        Sent(2.0, "mover", 3, 0, 901, ALTER),
        Sent(2.0, "mover", 3, 1, 901, ListMoves()),
        Answered(2.2, 3, 0, codes={"t:0": 0}),
        Answered(2.3, 3, 1),
        Looked(2.5, 2.4, {"t": {0: Replicas((2, 3, 1), (3,), (1,))}}),
        Dropped(4.0, 1, "t:0"),
        Healing(5.0),
        Quiet(6.0),
        Sent(6.1, "probe", 4, 0, 901, ALTER),
        Answered(6.2, 4, 0, codes={"t:0": 0}),
        final(),
    ]


def line(node: int, seq: int, epoch: int, at: float, kind: str, **fields: object) -> Line:
    wall_ms = WALL_MS + round(at * 1000)
    return Line(1, seq, node, epoch, wall_ms, at, "info", kind, **fields)  # type: ignore[arg-type]


def state(epoch: int, *isr: int) -> PartitionForm:
    return PartitionForm(ASSIGNED, (), (), isr[0], epoch, isr, 2, epoch)


def write(version: int) -> tuple[WriteForm, ...]:
    return (WriteForm("/brokers/topics/t", version - 1, version),)


def journals() -> dict[int, list[Line]]:
    first = ContentForm(0, {0: state(0, 1, 2)})
    return {
        900: [
            line(900, 1, 0, 0.0, "started"),
            line(900, 2, 1, 0.1, "elected"),
            line(900, 3, 1, 0.3, "topic-created", topic="t", content=first),
            line(900, 4, 1, 0.9, "resigned"),
        ],
        901: [
            line(901, 1, 0, 0.0, "started"),
            line(901, 2, 2, 1.0, "elected"),
            line(901, 3, 2, 1.0, "snapshot-topic", topic="t", content=first),
            line(
                901,
                4,
                2,
                2.1,
                "accept",
                topic="t",
                partition=0,
                after=state(1, 1, 2),
                writes=write(1),
            ),
            line(
                901, 5, 2, 3.0, "end", topic="t", partition=0, after=state(5, 2, 3), writes=write(2)
            ),
        ],
    }


def without(events: Iterable[AnyEvent], *kinds: type) -> list[AnyEvent]:
    return [event for event in events if not isinstance(event, kinds)]
