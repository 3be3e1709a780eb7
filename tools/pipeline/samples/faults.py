"""What can be planted into journals: each a known lie, or a known trouble, in a place that is kept.

Lies are lines that no right controller writes; the line after tells the truth again. Troubles are
what happens to right ones: moves that get stuck, throttles that stay, lines that are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from klamm.tools.pipeline.samples.files import Place
from klamm.tools.pipeline.samples.history import History
from klamm.tools.pipeline.samples.replicas import Replicated, another

_RATES = "follower.replication.throttled.rate, leader.replication.throttled.rate"
_REPLICAS = "follower.replication.throttled.replicas, leader.replication.throttled.replicas"


@dataclass(frozen=True, slots=True)
class Planted:
    """A fault in its place. `rule` is the invariant that it breaks; None for what breaks none."""

    fault: str
    rule: str | None
    place: Place
    sequence: int | None
    topic: str | None
    partition: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """How a fault is planted into a partition: `plant` writes lines, the telling one
    last, and returns whose journal that is in, if it is not the present controller's."""

    rule: str | None
    text: str
    plant: Callable[[History, Replicated], int | None]
    #: Whether it is about a partition, and not about the journal or cluster as a whole.
    local: bool = True


def plant(history: History, name: str, partition: Replicated) -> Planted:
    """Plant a fault, and say where it is."""
    fault = FAULTS[name]
    history.now_ms += 1_000
    node = fault.plant(history, partition) or history.node
    local = fault.local
    return Planted(
        name,
        fault.rule,
        history.place(node),
        None if name in GARBLED else history.written_last[node],
        partition.topic if local else None,
        partition.number if local else None,
        fault.text,
    )


def _epoch_falls(history: History, each: Replicated) -> None:
    _elect_again(history, each)
    _elect_again(history, each, epoch=each.epoch - 1)


def _leader_not_in_sync(history: History, each: Replicated) -> None:
    others = [id_ for id_ in each.isr if id_ != each.leader]
    _elect_again(history, each, isr=others)


def _nobody_in_sync(history: History, each: Replicated) -> None:
    _elect_again(history, each, isr=[])


def _adding_and_removing(history: History, each: Replicated) -> None:
    replicas = each.replicas
    _elect_again(history, each, adding=replicas[-1:], removing=replicas[-1:])


def _elect_again(history: History, each: Replicated, **wrong: int | list[int]) -> None:
    """Let the same broker lead in a new epoch, and tell something else of it."""
    before = each.text
    each.elect(each.leader, history.epoch)
    rest = (
        ',"event":{"kind":"CheckPartition"},"cause":{"kind":"timer","name":"leader rebalance"}'
        f"{history.written(each, None)}"
    )
    history.change("resume", each, before, rest, each.but(**wrong) if wrong else None)


def _moved(history: History, each: Replicated) -> int:
    """Order a move and let its replica come in sync; return the number of that line."""
    history.correlation += 1
    target = another(each.replicas, history.alive, history.rng.choice)
    history.accept(each, target, history.bump(each.topic))
    sequence = history.sequences[history.node]
    for broker in each.adding:
        history.now_ms += 2_000
        sequence = history.join(each, broker)
    return sequence


def _other_order(history: History, each: Replicated) -> None:
    cause = _moved(history, each)
    before = each.text
    target = each.target
    each.end(history.epoch)
    history.change(
        "end",
        each,
        before,
        f',"cause":{{"kind":"entry","sequence":{cause}}}'
        f"{history.written(each, history.bump(each.topic))}",
        each.but(replicas=[*target[1:], target[0]]),
    )


def _ends_twice(history: History, each: Replicated) -> None:
    cause = _moved(history, each)
    before = each.text
    each.end(history.epoch)
    rest = (
        f',"cause":{{"kind":"entry","sequence":{cause}}}'
        f"{history.written(each, history.bump(each.topic))}"
    )
    history.change("end", each, before, rest)
    history.now_ms += 10
    history.change("end", each, before, rest)


def _two_controllers(history: History, each: Replicated) -> int:
    """Let whoever was in office before change a partition, and not be fenced."""
    former = next(node for node in reversed(history.offices) if node != history.node)
    after = each.but(
        epoch=each.epoch + 1, version=each.version + 1, controller_epoch=history.epoch - 1
    )
    history.tell_of(
        former,
        history.epoch - 1,
        "resume",
        f',"topic":"{each.topic}","partition":{each.number},"before":{each.text},"after":{after}',
    )
    return former


def _stuck(history: History, each: Replicated) -> None:
    history.correlation += 1
    target = another(each.replicas, history.alive, history.rng.choice)
    history.accept(each, target, history.bump(each.topic))


def _throttle_left(history: History, each: Replicated) -> None:
    history.configure(f"topics/{each.topic}", "set", _REPLICAS)
    history.configure(f"brokers/{each.leader}", "set", _RATES)


def _said_lost(history: History, _: Replicated) -> None:
    lost = 7
    history.tell("lost", f',"text":"{lost} entries were dropped","lost":{lost}', "warning")
    history.sequences[history.node] += lost - 1


def _gap(history: History, each: Replicated) -> None:
    history.sequences[history.node] += 3
    _elect_again(history, each)


def _torn(history: History, each: Replicated) -> None:
    history.raw(
        history.node, f'{{"v":1,"seq":{history.sequences[history.node]},"kind":"{each.topic}'
    )


def _strange(history: History, _: Replicated) -> None:
    history.raw(history.node, "tail: file truncated")


#: By name; see Planted for what a rule is.
FAULTS: Final[Mapping[str, Fault]] = {
    "epoch-falls": Fault("I7", "the leader epoch is less than it was", _epoch_falls),
    "leader-not-in-sync": Fault("I4", "the leader is not in the ISR", _leader_not_in_sync),
    "nobody-in-sync": Fault("I4", "the ISR is empty", _nobody_in_sync),
    "adding-and-removing": Fault("I2", "a replica is to come and to go", _adding_and_removing),
    "other-order": Fault("I3", "the move ends in another order than ordered", _other_order),
    "ends-twice": Fault(None, "the same end is told twice", _ends_twice),
    "two-controllers": Fault("I1", "a former controller goes on writing", _two_controllers),
    "stuck": Fault(None, "the replica that is to come never comes in sync", _stuck),
    "throttle-left": Fault(None, "throttles stay when nothing moves", _throttle_left),
    "lines-lost": Fault(None, "the journal says that lines were dropped", _said_lost, False),
    "gap": Fault(None, "lines are missing, and nothing says so", _gap),
    "torn-line": Fault(None, "half a line", _torn, False),
    "strange-line": Fault(None, "a line of something else", _strange, False),
}
#: Those whose lines are no entries.
GARBLED: Final = frozenset({"torn-line", "strange-line"})
