"""The table of crash points as Markdown: an overview, then every gap."""

from collections.abc import Iterable, Iterator, Sequence

from klamm.tools.lab.apache.crash_points import CONTROLLERS, Row
from klamm.tools.lab.apache.outcomes import NO_REPLY, REQUEST_LOST, Outcome
from klamm.tools.lab.apache.scenarios import Scenario

COMMAND = "klamm lab crash-points"

_HEAD = f"""\
# Crash points: Kafka 3.9's sequence and klamm's

Made by `{COMMAND} --to tools/lab/crash_points.md`; the tests make parts of it again and compare.

`apache` decides as Kafka 3.9 does, each write on its own, in the nodes, stores and links of klamm;
`klamm` is the product. One partition is on five brokers, b1 to b5, at
inter.broker.protocol.version 2.4-IV0. A controller is in the middle of something and is killed:
before each write, each request to a broker and each reply, and right after each write, with its
answer unread. What it has sent arrives; a write under way is lost, unless the kill is right after
it. Another controller takes over, whatever was held up goes on, and everything comes to rest.

* **F**: the replicas are as asked for, or the topic is gone. **origin**, **former target**: they
  are what they were, or what was asked for before.
* **replied**, **no reply**: what the client saw; without a reply its connection was dropped.
  **{REQUEST_LOST}**: it must ask again, and nothing of its request goes on.
* **stray**: a broker keeps the log of a partition that it is no replica of. **stuck**: the move
  never ends. **leaderless**, **data lost**, **loops**, **reply before durable**: as they say.
* Replicas are [RS] +[adding] -[removing].

In the last ones moves are limited to one replica, one partition and one leader at a time: `klamm`
makes them in steps (KIP-435), while `apache` knows no limits.

How many gaps leave a stray depends on when brokers answer: a link carries one request at a time,
and StopReplica waits its turn. Kafka's does so too. Here ZooKeeper answers before brokers do.
"""


def markdown(scenarios: Sequence[Scenario], rows: Iterable[Row]) -> str:
    """Render all rows, with an overview before them."""
    found = list(rows)
    return "\n".join((_HEAD, *_overview(scenarios, found), *_details(scenarios, found)))


def _overview(scenarios: Sequence[Scenario], rows: Sequence[Row]) -> Iterator[str]:
    yield "## Overview"
    yield ""
    yield "Gaps by outcome. *broken*: invariants of the lab, the first of each run that failed."
    yield ""
    yield "| scenario | killed | next | gaps | well | request lost | trouble | broken |"
    yield "| --- | --- | --- | ---: | ---: | ---: | --- | --- |"
    for scenario in scenarios:
        for first in CONTROLLERS:
            here = [row for row in rows if (row.scenario, row.first) == (scenario.name, first)]
            for index, second in enumerate(CONTROLLERS):
                ends = [each[index] for row in here for each in row.ends]
                yield f"| {scenario.name} | {first} | {second} | {_counts(ends)} |"
    yield ""


def _counts(ends: Sequence[Outcome]) -> str:
    troubles: dict[str, int] = {}
    for end in ends:
        for trouble in trouble_of(end):
            troubles[trouble] = troubles.get(trouble, 0) + 1
    well = sum(end.ends == "F" and not trouble_of(end) for end in ends)
    lost = sum(end.client == REQUEST_LOST for end in ends)
    named = ", ".join(f"{name}: {count}" for name, count in sorted(troubles.items()))
    broken = ", ".join(sorted({end.broken for end in ends} - {""}))
    return f"{len(ends)} | {well} | {lost} | {named or '-'} | {broken or '-'}"


def trouble_of(end: Outcome) -> tuple[str, ...]:
    """What nobody asked for and no repetition by the client mends."""
    words = tuple(trouble.partition(" on ")[0] for trouble in end.troubles)
    if end.ends == "F" or end.client == REQUEST_LOST:
        return words
    return (*words, end.ends if end.client in ("", NO_REPLY) else end.client)


def _details(scenarios: Sequence[Scenario], rows: Sequence[Row]) -> Iterator[str]:
    for scenario in scenarios:
        yield f"## {scenario.name.capitalize()}"
        yield ""
        yield scenario.story
        yield ""
        for first in CONTROLLERS:
            nexts = " | ".join(f"then {second}" for second in CONTROLLERS)
            yield f"| {first} is killed | gaps | ZooKeeper holds | {nexts} |"
            yield "| --- | ---: | --- |" + " --- |" * len(CONTROLLERS)
            for row in rows:
                if (row.scenario, row.first) == (scenario.name, first):
                    ends = " | ".join(map(str, row.outcomes))
                    yield f"| {row.label} | {len(row.points)} | {row.found} | {ends} |"
            yield ""
