"""What a controller is in the middle of when it is killed: one partition, t-0, on five brokers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Create
from klamm.controller.znodes import Reassignment, encode_reassign_partitions, paths
from klamm.tools.lab import clients
from klamm.tools.lab.apache.stage import Stage
from klamm.tools.lab.clients import AskFor

T = TopicPartition("t", 0)

Step = Callable[[Stage], object]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`origin` are the replicas in the beginning.

    `prepare` comes to rest, step by step, before the watched part begins with `asks` or with `act`.
    `wanted` is the replica list at which it should all end, None if the topic should be gone;
    `others` are names of further lists at which it may be found. There are as many `brokers`.
    """

    name: str
    story: str
    origin: tuple[int, ...]
    prepare: tuple[Step, ...]
    wanted: tuple[int, ...] | None
    others: Mapping[tuple[int, ...], str]
    asks: AskFor | None = None
    act: Step | None = None
    brokers: int = 5


def move(*target: int) -> AskFor:
    """Return the request to move t-0 there."""
    return clients.move(*T, *target)


def ask(*target: int) -> Step:
    """Let a client ask for t-0 to be moved there."""
    return lambda stage: stage.ask(move(*target))


def order(*target: int) -> Step:
    """Write the admin znode, as tools before KIP-455 do."""
    data = encode_reassign_partitions((Reassignment(*T, target),))
    write = Create(paths.REASSIGN_PARTITIONS, data)
    return lambda stage: stage.world.write("orders a move", write)


def stall(*brokers: int) -> Step:
    """Let these brokers copy nothing for now."""
    return lambda stage: stage.stall(*brokers)


def go_on(*brokers: int) -> Step:
    """Let these brokers copy again."""
    return lambda stage: stage.go_on(*brokers)


def stop(broker: int) -> Step:
    """End the process of a broker."""
    return lambda stage: stage.stop(broker)


_123 = (1, 2, 3)
_ORIGIN: Mapping[tuple[int, ...], str] = {_123: "origin"}
_CANCEL = clients.cancel(*T)
_TO_432 = "[1,2,3] to [4,3,2]"

SCENARIOS = (
    Scenario(
        "start",
        f"A client asks for {_TO_432}; 4 copies nothing before the next controller is there.",
        _123,
        (stall(4),),
        (4, 3, 2),
        _ORIGIN,
        asks=move(4, 3, 2),
    ),
    Scenario(
        "replace",
        "[1,2,3] moves to [4,5,3], of which nothing is copied; a client asks for [1,2,5].",
        _123,
        (stall(4, 5), ask(4, 5, 3)),
        (1, 2, 5),
        {**_ORIGIN, (4, 5, 3): "former target"},
        asks=move(1, 2, 5),
    ),
    Scenario(
        "cancel",
        "[1,2,3] moves to [3,4,5], 4 is in the ISR already; a client cancels.",
        _123,
        (stall(5), ask(3, 4, 5)),
        (3, 1, 2),
        {(3, 4, 5): "former target"},
        asks=_CANCEL,
    ),
    Scenario(
        "completion, leader moves",
        f"{_TO_432} is under way, led by 1; 4 copies all, and joins the ISR.",
        _123,
        (stall(4), ask(4, 3, 2)),
        (4, 3, 2),
        _ORIGIN,
        act=go_on(4),
    ),
    Scenario(
        "completion, leader stays",
        "[1,2,3] to [1,2,4] is under way, led by 1; 4 copies all, and joins the ISR.",
        _123,
        (stall(4), ask(1, 2, 4)),
        (1, 2, 4),
        _ORIGIN,
        act=go_on(4),
    ),
    Scenario(
        "completion, a leaving broker is away",
        "[1,2,3] to [1,2,4] is under way, broker 3 is down; it returns after the takeover.",
        _123,
        (stall(4), ask(1, 2, 4), stop(3)),
        (1, 2, 4),
        _ORIGIN,
        act=go_on(4),
    ),
    Scenario(
        "more replicas",
        "A client asks for [1,2] to [1,2,3]; 3 copies at once.",
        (1, 2),
        (),
        _123,
        {(1, 2): "origin"},
        asks=move(1, 2, 3),
    ),
    Scenario(
        "fewer replicas",
        "A client asks for [1,2,3] to [1,2], which is complete at once.",
        _123,
        (),
        (1, 2),
        _ORIGIN,
        asks=move(1, 2),
    ),
    Scenario(
        "topic deletion",
        "A client deletes the topic.",
        _123,
        (),
        None,
        _ORIGIN,
        asks=clients.delete(T.topic),
    ),
    Scenario(
        "start by znode",
        f"Somebody writes an admin znode that orders {_TO_432}.",
        _123,
        (stall(4),),
        (4, 3, 2),
        _ORIGIN,
        act=order(4, 3, 2),
    ),
    Scenario(
        "completion of a znode's order",
        f"{_TO_432} is under way by the admin znode's order; 4 copies all.",
        _123,
        (stall(4), order(4, 3, 2)),
        (4, 3, 2),
        _ORIGIN,
        act=go_on(4),
    ),
    Scenario(
        "replace a znode's order",
        "[1,2,3] moves to [4,5,3] by the admin znode's order; a client asks for [1,2,5].",
        _123,
        (stall(4, 5), order(4, 5, 3)),
        (1, 2, 5),
        {**_ORIGIN, (4, 5, 3): "former target"},
        asks=move(1, 2, 5),
    ),
    Scenario(
        "cancel a znode's order",
        "[1,2,3] moves to [3,4,5] by the admin znode's order; a client cancels.",
        _123,
        (stall(4, 5), order(3, 4, 5)),
        (3, 1, 2),
        {(3, 4, 5): "former target"},
        asks=_CANCEL,
    ),
)
