"""How long it takes to find who begins the next step, when moves are limited and some steps end.

`python -m klamm.tools.bench.batching` has 1,000, 10,000 and 100,000 moves pending behind 500 that
run, of which 5 end a step. Three things are measured: `choice`, the choice alone, by the index that
the controller keeps; `obvious`, the same by KIP-435's own pseudo-code, which computes and sorts the
steps of all moves each time; and `turns`, all that the controller decides and folds into its state
from the five changes of an ISR until five other steps have begun. The ratio is the median over the
rounds of how many times longer the obvious way takes than the choice; both find the same moves.
What counts is the process's own time, so that others on the machine matter little. A topic's znodes
are written whole, so that a turn is linear in the size of the topics that it changes: here they
have 100 partitions each, `--partitions` says otherwise.
`--smoke` makes it short, `--profile` shows what the turns spend their time on.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import median

from klamm.controller.core.apply import apply
from klamm.controller.core.decide import decide
from klamm.controller.core.events import AlterReassignment, Cause, Event, StateRead
from klamm.controller.core.model import (
    Assignment,
    Broker,
    ClusterState,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.pace import Limits, Pace
from klamm.controller.core.settings import Settings
from klamm.controller.core.slots import PaceChange, admissible
from klamm.controller.core.steps import Choice, Situation, next_step
from klamm.tools.bench._rounds import Timed, samples, times_faster

_AIM_MS = 20.0
_HANDFUL = 5
_BROKERS = 12
_LEADERS = 50
_SAMPLE_S = 0.05
_SETTINGS = Settings()


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds of one piece of work, round by round, with so many moves pending."""

    pending: int
    running: int
    ending: int
    choice_s: tuple[float, ...]
    obvious_s: tuple[float, ...]
    turns_s: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """How many times longer the obvious way takes, in the same round."""
        return times_faster(self.choice_s, self.obvious_s)

    def __str__(self) -> str:
        missed = "" if median(self.turns_s) * 1000 <= _AIM_MS else ", missed"
        aim = f"   aim at most {_AIM_MS:g} ms{missed}" if self.ending <= _HANDFUL else ""
        return (
            f"{self.pending:,} moves pending, {self.running:,} running, {self.ending} end a step\n"
            f"  choice   {_ms(self.choice_s)}\n"
            f"  obvious  {_ms(self.obvious_s)}   ratio {self.ratio:,.1f}\n"
            f"  turns    {_ms(self.turns_s)}{aim}"
        )


def _ms(seconds: Iterable[float]) -> str:
    return f"{median(seconds) * 1000:9.3f} ms"


# --- a cluster -----------------------------------------------------------------------------------


def cluster(moves: int, running: int, per_topic: int) -> ClusterState:
    """Return a cluster with so many moves ordered; so many of them may run, and do.

    Topics have `per_topic` partitions. Every tenth move brings another leader, and only few of
    those may run at once.
    """
    limits = Limits(replicas=1, partitions=running, leaders=max(running * _LEADERS // 500, 1))
    brokers = {id_: Broker(id_, id_ + 100, ()) for id_ in range(_BROKERS)}
    topics = {}
    orders: list[Event] = []
    for first in range(0, moves, per_topic):
        name = f"topic-{first // per_topic:05}"
        partitions = {}
        for number in range(min(per_topic, moves - first)):
            replicas = tuple((number + i) % _BROKERS for i in range(3))
            partitions[number] = Partition(
                Assignment(replicas), Leadership(replicas[0], 0, replicas, 1, 0)
            )
            a, b, c = ((number + i) % _BROKERS for i in (3, 4, 5))
            target = (a, b, c) if number % 10 == 0 else (replicas[0], b, c)
            orders.append(AlterReassignment(TopicPartition(name, number), target))
        topics[name] = Topic(name, 0, partitions)
    state = ClusterState(900, 1, 0, brokers, topics=topics, limits=limits, has_hints=True)
    return run(state, orders)


def run(state: ClusterState, events: Iterable[Event]) -> ClusterState:
    """Decide on the events, and on all that follows, as a node does with a store that obeys."""
    due = list(events)
    while due:
        plan = decide(state, [Cause(i + 1, event) for i, event in enumerate(due)], _SETTINGS)
        due = []
        for commit in plan:
            state = apply(state, commit.changes)
            due += commit.follow_ups
    return state


def caught_up(state: ClusterState, count: int) -> list[Event]:
    """Return what ZooKeeper shows once the additions of so many running steps are in sync."""
    events: list[Event] = []
    for name in state.slots.running:
        partition = state.partition(name)
        assert partition is not None
        assert partition.leadership is not None
        assert partition.pace is not None
        assert partition.pace.running is not None
        held, adding = partition.leadership, partition.pace.running.adding
        if adding and len(events) < count:
            in_sync = replace(held, isr=(*held.isr, *adding), version=held.version + 1)
            events.append(StateRead(name, in_sync))
    return events


# --- choosing ------------------------------------------------------------------------------------


def situation(state: ClusterState, name: TopicPartition) -> Situation:
    """Return what the next step of a move is chosen from."""
    partition = state.topics[name.topic].partitions[name.partition]
    held, pace = partition.leadership, partition.pace
    assert held is not None
    assert pace is not None
    alive = state.brokers.keys()
    return Situation(partition.assignment, held.leader, held.isr, alive, 1, pace.steps)


def ended(state: ClusterState, names: Iterable[TopicPartition]) -> list[PaceChange]:
    """Return the paces of these moves, whose step has ended, with what is next of them."""
    changes: list[PaceChange] = []
    for name in names:
        partition = state.topics[name.topic].partitions[name.partition]
        before = partition.pace
        assert before is not None
        found = next_step(situation(state, name), state.limits.replicas)
        leads = isinstance(found, Choice) and found.kind == "leader"
        reason = found if isinstance(found, str) else None
        after = replace(before, running=None, steps=before.steps + 1, leads=leads, waiting=reason)
        changes.append((name, before, after))
    return changes


def choice(state: ClusterState, names: Iterable[TopicPartition]) -> list[TopicPartition]:
    """Find who begins a step once these have ended one, by what the controller keeps."""
    granted = admissible(state.slots, ended(state, names), state.limits)
    for name in granted:
        next_step(situation(state, name), state.limits.replicas)
    return list(granted)


def obvious(
    state: ClusterState, names: Iterable[TopicPartition], paces: Mapping[TopicPartition, Pace]
) -> list[TopicPartition]:
    """Find them as KIP-435 writes it down: all steps are computed, divided and sorted anew."""
    paces = {**paces, **{name: after for name, _, after in ended(state, names) if after}}
    running = [pace.running for pace in paces.values() if pace.running]
    leaders: list[TopicPartition] = []
    others: list[TopicPartition] = []
    for name, pace in sorted(paces.items(), key=lambda item: item[0]):
        if pace.running is None:
            found = next_step(situation(state, name), state.limits.replicas)
            if isinstance(found, Choice):
                (leaders if found.kind == "leader" else others).append(name)
    free = state.limits.partitions - len(running)
    leading = state.limits.leaders - sum(step.kind == "leader" for step in running)
    first = leaders[: max(min(free, leading), 0)]
    return [*first, *others[: free - len(first)]]


def spent(work: Callable[[], object]) -> Timed:
    """Time a callable by what this process alone takes."""

    def run_it(times: int) -> float:
        started = time.process_time()
        for _ in range(times):
            work()
        return time.process_time() - started

    return run_it


def measure(pending: int, running: int, ending: int, rounds: int, per_topic: int = 100) -> Result:
    """Let so many steps end, again and again from the same state."""
    state = cluster(pending + running, running, per_topic)
    events = caught_up(state, ending)
    names = [event.partition for event in events if isinstance(event, StateRead)]
    paces = {name: p.pace for name, p in state.moving() if p.pace is not None}
    assert choice(state, names) == obvious(state, names, paces)
    assert len(run(state, events).slots.running) == running
    found = samples(
        {
            "choice": spent(lambda: choice(state, names)),
            "obvious": spent(lambda: obvious(state, names, paces)),
            "turns": spent(lambda: run(state, events)),
        },
        rounds,
        _SAMPLE_S,
    )
    return Result(
        len(state.slots.leaders) + len(state.slots.others),
        len(state.slots.running),
        len(names),
        tuple(found["choice"]),
        tuple(found["obvious"]),
        tuple(found["turns"]),
    )


def profile(pending: int, running: int, ending: int, per_topic: int) -> None:
    """Print what the turns spend their time on."""
    state = cluster(pending + running, running, per_topic)
    events = caught_up(state, ending)
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(20):
        run(state, events)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.batching")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--partitions", type=int, default=100, help="of each topic")
    parser.add_argument("--smoke", action="store_true", help="10 times fewer pending, 1 round")
    parser.add_argument("--profile", action="store_true", help="with 10,000 moves pending")
    chosen = parser.parse_args()
    if chosen.profile:
        profile(10_000, 500, _HANDFUL, chosen.partitions)
        return
    sizes, running, rounds = (1_000, 10_000, 100_000), 500, chosen.rounds
    if chosen.smoke:
        sizes, running, rounds = (100, 1_000, 10_000), 500, 1
    results = [measure(size, running, _HANDFUL, rounds, chosen.partitions) for size in sizes]
    for each in results:
        print(each)
    many = measure(sizes[1], running, running // 10, rounds, chosen.partitions)
    print(many)
    print(f"of 100 times as many pending: {_grown(results[0], results[-1])}")
    print(f"of 10 times as many that end: {_grown(results[1], many)}")


def _grown(first: Result, second: Result) -> str:
    """Tell how many times longer everything took than before."""
    times = {
        what: median(getattr(second, what)) / median(getattr(first, what))
        for what in ("choice_s", "turns_s")
    }
    return f"choice {times['choice_s']:.2f} times as long, turns {times['turns_s']:.2f} times"


if __name__ == "__main__":
    main()
