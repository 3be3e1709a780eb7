"""Whether the effect of everything that was accepted is there. Pure."""

from collections.abc import Iterator, Sequence

from klamm.tools.chaos.history import (
    Alter,
    AnyEvent,
    Create,
    Delete,
    Final,
    Grow,
    Looked,
    Replicas,
    partition,
)
from klamm.tools.chaos.registers import Op, unexplained
from klamm.tools.chaos.requests import Asked, Outcome


def lost_moves(events: Sequence[AnyEvent], asks: Sequence[Asked]) -> Iterator[str]:
    """Say for which partitions no order of what was asked explains what was seen."""
    first = _beginnings(asks)
    ops: dict[str, list[Op]] = {name: [] for name in first}
    for each in asks:
        if isinstance(each.sent.ask, Alter):
            for name, target in each.sent.ask.moves.items():
                if name in ops:
                    ops[name] += _op(each, name, target)
    for event in events:
        if isinstance(event, Looked):
            _add_readings(ops, event.since, event.at, event.topics)
        elif isinstance(event, Final):
            _add_readings(ops, event.at, event.at, event.topics)
    for name, replicas in first.items():
        problem = unexplained(Replicas(replicas), ops[name])
        if problem is not None:
            yield f"{name}: {problem}"


def _beginnings(asks: Sequence[Asked]) -> dict[str, tuple[int, ...]]:
    """Return the partitions that were made for sure, with their first replicas."""
    found: dict[str, tuple[int, ...]] = {}
    for each in asks:
        if Outcome.ACCEPTED not in each.parts.values():
            continue
        match each.sent.ask:
            case Create(topic, partitions):
                for number, replicas in enumerate(partitions):
                    found[partition(topic, number)] = replicas
            case Grow(topic, count, replicas):
                found[partition(topic, count - 1)] = replicas
    return found


def _op(each: Asked, name: str, target: tuple[int, ...] | None) -> Iterator[Op]:
    """Give the op of a request for one partition, none if it was refused."""
    sent, answer = each.sent, each.answer
    wanted = "cancel" if target is None else f"alter to {list(target)}"
    what = f"the {wanted} that {sent.client} sent at {sent.at:.3f} s"
    match each.parts[name]:
        case Outcome.ACCEPTED:
            assert answer is not None
            text = f"{what}, accepted at {answer.at:.3f} s,"
            yield Op(sent.at, answer.at, text, target)
        case Outcome.UNKNOWN:
            yield Op(sent.at, each.end, what, target, optional=True)
        case Outcome.REFUSED:
            pass


def _add_readings(
    ops: dict[str, list[Op]], since: float, at: float, topics: dict[str, dict[int, Replicas]]
) -> None:
    for topic, partitions in topics.items():
        for number, held in partitions.items():
            name = partition(topic, number)
            if name in ops:
                moving = f" adding {held.adding} removing {held.removing}" if held.moving else ""
                text = f"what the znode held at {at:.3f} s, {held.replicas}{moving},"
                ops[name].append(Op(since, at, text, seen=held))


def lost_topics(final: Final, asks: Sequence[Asked]) -> Iterator[str]:
    """Say which topics were made or grown and are not there, or were deleted and still are."""
    deleted: dict[str, set[Outcome]] = {}
    for each in asks:
        if isinstance(each.sent.ask, Delete):
            deleted.setdefault(each.sent.ask.topic, set()).update(each.parts.values())
    for topic, outcomes in deleted.items():
        if Outcome.ACCEPTED in outcomes and topic in final.topics:
            yield f"the deletion of {topic} was accepted, and it is still there"
    for name in _beginnings(asks):
        topic, _, number = name.rpartition(":")
        gone = deleted.get(topic, set()) - {Outcome.REFUSED}
        if not gone and int(number) not in final.topics.get(topic, {}):
            yield f"{name} was made, nobody deleted it, and it is not there"
