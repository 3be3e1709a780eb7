"""What the nodes' journals tell: one controller at a time, and no data deleted in use. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence

from klamm.controller.node.forms import Line, PartitionForm
from klamm.controller.znodes import paths
from klamm.tools.chaos.history import (
    AnyEvent,
    Began,
    Delete,
    Dropped,
    Elected,
    Sent,
    partition,
    topic_of,
)

Journals = Mapping[int, Sequence[Line]]

#: For how long before its data went a replica must have been in use to make that a fault: orders
#: to delete are under way for a while, and what they were decided for may be over by then.
_IN_USE_MS = 5000


def gaps(journals: Journals) -> Iterator[str]:
    """Say where the sequence of a process's entries has a gap, or an entry comes twice."""
    for node, lines in journals.items():
        before: Line | None = None
        for line in lines:
            if before is not None and line.kind != "started":
                follows = before.seq + (before.lost or 1)
                if line.seq != follows:
                    yield f"node {node}: after entry {before.seq} comes {line.seq}"
            if line.node != node:
                yield f"node {node}: entry {line.seq} is of node {line.node}"
            before = line


def rivals(events: Sequence[AnyEvent], journals: Journals) -> Iterator[str]:
    """Say which epochs had two controllers, or did not rise, or which version two have written."""
    winners: dict[int, int] = {}
    writers: dict[int, int] = {}
    written: dict[tuple[str, int], tuple[int, int]] = {}
    for node, lines in journals.items():
        highest = 0
        for line in lines:
            if line.kind == "elected":
                if winners.setdefault(line.epoch, node) != node:
                    yield f"epoch {line.epoch} was won by nodes {winners[line.epoch]} and {node}"
                if line.epoch <= highest:
                    yield f"node {node} won epoch {line.epoch} after {highest}"
                highest = line.epoch
            for write in line.writes:
                if not write.path.startswith(f"{paths.TOPICS}/") or write.after is None:
                    continue
                if writers.setdefault(line.epoch, node) != node:
                    yield f"nodes {writers[line.epoch]} and {node} both wrote in {line.epoch}"
                term = written.setdefault((write.path, write.after), (node, line.epoch))
                if term != (node, line.epoch):
                    yield (
                        f"version {write.after} of {write.path} was written by node {term[0]} in"
                        f" epoch {term[1]} and by node {node} in epoch {line.epoch}"
                    )
    epoch = 0
    for event in events:
        if isinstance(event, Elected):
            if event.epoch < epoch:
                yield f"/controller_epoch fell from {epoch} to {event.epoch} at {event.at:.3f} s"
            epoch = event.epoch
    if winners and max(winners) > epoch:
        yield f"epoch {max(winners)} was won; /controller_epoch is {epoch}"


def offices(events: Sequence[AnyEvent], journals: Journals) -> dict[int, list[tuple[float, float]]]:
    """Return from and until when each node was controller, in seconds of the history."""
    wall = next(event.wall_ms for event in events if isinstance(event, Began))
    found: dict[int, list[tuple[float, float]]] = {}
    for node, lines in journals.items():
        since: float | None = None
        terms = found[node] = []
        for line in lines:
            if line.kind in ("elected", "resigned", "started") and since is not None:
                terms.append((since, (line.wall_ms - wall) / 1000))
                since = None
            if line.kind == "elected":
                since = (line.wall_ms - wall) / 1000
        if since is not None:
            terms.append((since, math.inf))
    return found


def skipped_epochs(journals: Journals) -> list[int]:
    """Return the epochs of which no journal tells: who won them ended before saying so."""
    won = {line.epoch for lines in journals.values() for line in lines if line.kind == "elected"}
    return sorted(set(range(1, max(won, default=0))) - won)


def takeovers(journals: Journals) -> int:
    """Count the elections that were won."""
    return sum(line.kind == "elected" for lines in journals.values() for line in lines)


def deleted_in_use(events: Sequence[AnyEvent], journals: Journals) -> Iterator[str]:
    """Say which replicas lost their data while they were in sync, by all that was known then.

    Those of a topic whose deletion was asked for may.
    """
    doomed: set[str] = set()
    wall = next(event.wall_ms for event in events if isinstance(event, Began))
    known = _timelines(journals)
    for event in events:
        if isinstance(event, Sent) and isinstance(event.ask, Delete):
            doomed.add(event.ask.topic)
        elif isinstance(event, Dropped) and topic_of(event.partition) not in doomed:
            until = wall + event.at * 1000
            states = _in_force(known.get(event.partition, []), until - _IN_USE_MS, until)
            if states and all(event.broker in state.isr for state in states):
                yield (
                    f"broker {event.broker} deleted {event.partition} at {event.at:.3f} s, whose"
                    f" ISR was {list(states[-1].isr)} and leader epoch {states[-1].leader_epoch}"
                )


def _timelines(journals: Journals) -> dict[str, list[tuple[int, PartitionForm]]]:
    """Return the states of each partition with the wall time at which a journal tells of them.

    By leader epoch and version, whoever tells first: a node that was halted tells late. Of the
    entries of one Commit the last one counts, which tells how the partition stood after it.
    """
    found: dict[str, dict[tuple[int, int], tuple[int, PartitionForm]]] = {}
    for lines in journals.values():
        own: dict[tuple[str, int, int], tuple[int, PartitionForm]] = {}
        for line in lines:
            for name, state in _states(line):
                key = name, state.leader_epoch, state.version
                own[key] = own.get(key, (line.wall_ms, state))[0], state
        for (name, epoch, version), told in own.items():
            states = found.setdefault(name, {})
            states[epoch, version] = min(states.get((epoch, version), told), told, key=_when)
    return {name: [states[key] for key in sorted(states)] for name, states in found.items()}


def _when(told: tuple[int, PartitionForm]) -> int:
    return told[0]


def _states(line: Line) -> Iterator[tuple[str, PartitionForm]]:
    """Return what an entry tells of partitions, by name."""
    if line.topic is not None:
        for number, state in (line.content.partitions if line.content else {}).items():
            yield partition(line.topic, number), state
        if line.partition is not None and line.after is not None:
            yield partition(line.topic, line.partition), line.after


def _in_force(
    timeline: Sequence[tuple[int, PartitionForm]], since: float, until: float
) -> list[PartitionForm]:
    """Return the states that were in force at some time between, by when they were told."""
    told = [each for each in timeline if each[0] <= until]
    begun = [number for number, (wall_ms, _) in enumerate(told) if wall_ms <= since]
    return [state for _, state in told[max(begun, default=0) :]]
