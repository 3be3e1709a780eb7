"""Journals of any length for benchmarks: moves of many partitions, as `klamm serve` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from klamm.controller.node.forms import VERSION

_START_MS = 1_767_225_600_000  # 2026-01-01
#: About 43 million entries in a month: a day takes less than two million.
_STEP_MS = 60
#: So many lines go to the file at once.
_TOGETHER = 10_000
_PARTITIONS = 100


def write_journal(path: Path, entries: int) -> None:
    """Write so many entries: each move is accepted, is joined by two brokers, leads and ends."""
    with path.open("w") as file:
        waiting = list[str]()
        for line in _entries(entries):
            waiting.append(line)
            if len(waiting) == _TOGETHER:
                file.write("".join(waiting))
                waiting.clear()
        file.write("".join(waiting))


def _entries(count: int) -> Iterator[str]:
    for seq in range(1, count + 1):
        move, phase = divmod(seq - 1, 5)
        topic, partition = divmod(move, _PARTITIONS)
        a, b, c, d, e = ((move + step) % 50 for step in range(5))
        before = _form((a, b, c, d, e), (d, e), (a, b), a, 3 + phase, (a, b, c), 7 + phase)
        after = _form((a, b, c, d, e), (d, e), (a, b), a, 4 + phase, (a, b, c, d), 8 + phase)
        kind = ("accept", "isr-join", "isr-join", "elect", "end")[phase]
        state = f"/brokers/topics/t{topic % 1000:04}/partitions/{partition}/state"
        yield (
            f'{{"v":{VERSION},"seq":{seq},"node":900,"epoch":5,'
            f'"wall_ms":{_START_MS + seq * _STEP_MS},"monotonic_s":{seq / 100},'
            f'"severity":"info","kind":"{kind}","topic":"t{topic % 1000:04}",'
            f'"partition":{partition},"before":{before},"after":{after},'
            f'"cause":{{"kind":"request","peer":"127.0.0.1:50000","correlation_id":{seq},'
            f'"api_key":45}},"writes":[{{"path":"{state}",'
            f'"before":{7 + phase},"after":{8 + phase}}}]}}\n'
        )


def _form(
    replicas: tuple[int, ...],
    adding: tuple[int, ...],
    removing: tuple[int, ...],
    leader: int,
    leader_epoch: int,
    isr: tuple[int, ...],
    version: int,
) -> str:
    return (
        f'{{"replicas":{_list(replicas)},"adding":{_list(adding)},"removing":{_list(removing)},'
        f'"leader":{leader},"leader_epoch":{leader_epoch},"isr":{_list(isr)},'
        f'"controller_epoch":5,"version":{version}}}'
    )


def _list(brokers: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, brokers))}]"


def write_description(path: Path, replicas: int) -> None:
    """Write partitions with three replicas each, or fewer, as `kafka-topics --describe` does."""
    partitions = -(-replicas // 3)
    with path.open("w") as file:
        for number in range(partitions):
            topic, partition = divmod(number, _PARTITIONS)
            if not partition:
                file.write(
                    f"Topic: t{topic:05}\tTopicId: AAAAAAAAAAAAAAAAA{topic:05}"
                    f"\tPartitionCount: {min(_PARTITIONS, partitions - number)}"
                    "\tReplicationFactor: 3\tConfigs: \n"
                )
            brokers = ",".join(
                str((number + step) % 50) for step in range(min(3, replicas - number * 3))
            )
            file.write(
                f"\tTopic: t{topic:05}\tPartition: {partition}\tLeader: {number % 50}"
                f"\tReplicas: {brokers}\tIsr: {brokers}\n"
            )
