"""How many replicas plans move for 100 brokers and 50,000 partitions, and how long they take.

`python -m klamm.tools.bench.plan` makes a cluster as Kafka's own placement fills it, by a seed,
and plans an expansion by a tenth, a drain of two brokers, and a rebalance of what chance has left
uneven. Beside each plan stands the stock --generate for the same partitions and brokers. The aim is
to move at most 5% more replicas than any plan has to, and to spread no partition over racks worse.
`--smoke` makes it short.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable, Collection, Iterator

from klamm.controller.core.assignment import assign_replicas
from klamm.tools.planner import facts, intents
from klamm.tools.planner.facts import Facts
from klamm.tools.planner.goal import Cluster, Goal
from klamm.tools.planner.plan import make
from klamm.tools.planner.runner import Local
from klamm.tools.planner.snapshot import Broker, Partition, Snapshot

_RACKS = 5
_FACTOR = 3
_PER_TOPIC = 50
_AIM = 0.05


def cluster(brokers: int, topics: int, new: Collection[int], seed: int) -> Cluster:
    """Return a cluster whose topics were created before the `new` brokers came."""
    draw = random.Random(seed)  # noqa: S311 - the same cluster for the same seed
    racks = {id_: f"r{id_ % _RACKS}" for id_ in range(brokers)}
    old: dict[int, str | None] = {id_: rack for id_, rack in racks.items() if id_ not in new}
    partitions = []
    for topic in range(topics):
        start, shift = draw.randrange(len(old)), draw.randrange(len(old))
        placed = assign_replicas(old, _PER_TOPIC, _FACTOR, start, shift)
        for number, ids in placed.items():
            size = round(draw.lognormvariate(20, 1.5))
            name = f"topic-{topic:04}"
            partitions.append(Partition(name, number, ids, leader=ids[0], isr=ids, size_bytes=size))
    members = tuple(Broker(id_, rack) for id_, rack in racks.items())
    return Cluster.of(Snapshot("bench", 0, members, tuple(partitions)))


def cases(brokers: int, topics: int) -> Iterator[tuple[str, Callable[[], Goal]]]:
    """Yield what is planned."""
    new = range(brokers - brokers // 10, brokers)
    yield "expand", lambda: intents.expand(cluster(brokers, topics, new, 1), new)
    yield "drain", lambda: intents.drain(cluster(brokers, topics, (), 1), [3, 7])
    yield "rebalance", lambda: intents.rebalance(cluster(brokers, topics, (), 1))


def told(found: Facts, seconds: float, cpu_s: float) -> str:
    """Write a plan and its peer as text."""
    proven = sum(each.proven for each in found.groups)
    gaps = max((each.gap for each in found.groups), default=0.0)
    missed = "" if found.gap <= _AIM and not found.after.worse_racks else ", missed"
    above = f"{found.gap:.1%} above the least there can be, {found.lower_bound:,}"
    lines = [
        f"{found.what}: {found.partitions:,} partitions on {len(found.brokers)} brokers",
        f"  time           {seconds:9.1f} s, {cpu_s:.1f} s of a core",
        f"  replicas moved {found.moved:9,}   {above}; aim at most {_AIM:.0%}{missed}",
        f"  racks worse    {found.after.worse_racks:9,}   aim 0",
        f"  groups         {len(found.groups):9,}   {proven} proven best, widest gap {gaps:.1%}",
    ]
    if not isinstance(found.stock, str):
        ratio = found.stock.moved / max(1, found.moved)
        lines.append(
            f"  --generate     {found.stock.moved:9,}   {ratio:.1f} times as many,"
            f" {found.stock.worse_racks:,} with worse racks"
        )
        for name, side in (("plan", found.after), ("--generate", found.stock)):
            lines.append(
                f"  deviation by {name:<10} replicas {side.replicas_deviation:.1%},"
                f" leaders {side.leaders_deviation:.1%}, bytes {side.bytes_deviation:.1%}"
            )
    return "\n".join(lines)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.plan")
    parser.add_argument("--smoke", action="store_true", help="20 brokers, 500 partitions")
    chosen = parser.parse_args()
    for name, goal_of in cases(*((20, 10) if chosen.smoke else (100, 1000))):
        goal = goal_of()
        started, cpu = time.perf_counter(), time.process_time()
        plan = make(goal, Local())
        seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu
        print(told(facts.of(plan, name, [], 0), seconds, cpu_s), flush=True)
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB at most")


if __name__ == "__main__":
    main()
