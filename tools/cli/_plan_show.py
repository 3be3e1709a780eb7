"""A plan in words, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from klamm.tools.cli._sizes import counted, format_bytes
from klamm.tools.planner.facts import Facts, Spread

#: So many brokers, and groups, are shown one by one.
_FEW = 30


def lines(facts: Facts) -> Iterator[str]:
    """Yield what a plan comes to, line by line."""
    yield f"{facts.what}: {counted(facts.changed, 'partition')} of {facts.partitions} change"
    yield (
        f"  {counted(facts.moved, 'replica')} to copy, {format_bytes(facts.after.moved_bytes)};"
        f" any plan copies at least {facts.lower_bound} (gap {facts.gap:.1%})"
    )
    if facts.gap:
        yield "  (the bound counts without racks or room: a part of the gap may be its own)"
    if facts.order_only:
        yield f"  {facts.order_only} only in the order of their replicas"
    for change, count in facts.factor_changes.items():
        yield f"  replication factor {change}: {counted(count, 'partition')}"
    if facts.amiss:
        off = format_bytes(facts.amiss) if facts.by_bytes else counted(facts.amiss, "replica")
        yield f"  loads stay {off} off their fair share: racks, room or sizes forbid the rest"
    if facts.after.worse_racks:
        worse = counted(facts.after.worse_racks, "partition")
        yield f"  warning: {worse} must share more of a rack: no broker of another one is left"
    for dead, count in facts.waiting.items():
        yield (
            f"  warning: {counted(count, 'move')} will not end before broker {dead} is back, for it"
            " keeps its replicas; drain it as well, or start it"
        )
    if len(facts.batches) > 1:
        yield f"  {len(facts.batches)} batches, of {min(facts.batches)} to {max(facts.batches)}"
    yield from _compared(facts)
    yield from _brokers(facts)
    yield from _groups(facts)


def _compared(facts: Facts) -> Iterator[str]:
    yield ""
    yield f"{'':<10}{'replicas':>10}{'bytes':>12}{'deviation of':>24}{'racks':>18}"
    head = f"{'copied':>10}{'copied':>12}{'replicas':>10}{'leaders':>9}{'bytes':>7}"
    yield f"{'':<10}{head}{'shared':>8}{'worse':>8}"
    yield _row("before", facts.before)
    yield _row("after", facts.after)
    if isinstance(facts.stock, str):
        yield f"stock --generate has no answer: {facts.stock}"
    else:
        yield _row("--generate", facts.stock)


def _row(name: str, spread: Spread) -> str:
    return (
        f"{name:<10}{spread.moved:>10}{format_bytes(spread.moved_bytes):>12}"
        f"{spread.replicas_deviation:>10.1%}{spread.leaders_deviation:>9.1%}"
        f"{spread.bytes_deviation:>7.0%}{spread.crowded:>8}{spread.worse_racks:>8}"
    )


def _brokers(facts: Facts) -> Iterator[str]:
    """Show the brokers whose load changes, the most changed ones if they are many."""
    before, after = facts.before.loads, facts.after.loads
    changed = [id_ for id_ in after if after[id_] != before[id_]]
    changed.sort(key=lambda id_: (-abs(after[id_].replicas - before[id_].replicas), id_))
    if not changed:
        return
    yield ""
    yield f"{'broker':>6} {'rack':<8}{'replicas':>16}{'leaders':>14}{'bytes':>26}"
    for id_ in sorted(changed[:_FEW]):
        old, new = before[id_], after[id_]
        yield (
            f"{id_:>6} {facts.brokers.get(id_) or '-':<8}"
            f"{f'{old.replicas} -> {new.replicas}':>16}{f'{old.leaders} -> {new.leaders}':>14}"
            f"{f'{format_bytes(old.bytes)} -> {format_bytes(new.bytes)}':>26}"
        )
    if len(changed) > _FEW:
        yield f"       and {len(changed) - _FEW} more; --json and --report have them all"


def _groups(facts: Facts) -> Iterator[str]:
    if not facts.groups:
        return
    proven = sum(each.proven for each in facts.groups)
    yield ""
    yield f"solved in {counted(len(facts.groups), 'group')}, {proven} proven best"
    yield f"{'group':>6}{'partitions':>12}{'copied':>8}{'bound':>7}{'gap':>9}  topics"
    for each in facts.groups[:_FEW]:
        yield (
            f"{each.number:>6}{each.partitions:>12}{each.moved:>8}{each.bound:>7}{each.gap:>9.1%}"
            f"  {each.topics}"
        )
    if len(facts.groups) > _FEW:
        yield f"       and {len(facts.groups) - _FEW} more; --json and --report have them all"
