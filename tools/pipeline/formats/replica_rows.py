"""Rows of `partitions`, and of `replicas`, that several formats make of the same facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from klamm.tools.pipeline.formats.base import Good, Source


def partition_rows(
    source: Source,
    line: int,
    *,
    topic: str,
    partition: int,
    replicas: Sequence[int],
    adding: Sequence[int] = (),
    removing: Sequence[int] = (),
    isr: Sequence[int] | None = None,
    leader: int | None = None,
    topic_id: str | None = None,
    **columns: object,
) -> Iterator[Good]:
    """Give the row of a partition, and one of each of its replicas.

    A replica's role is `adding` or `removing` while it is moved, `origin` otherwise. `leader` is -1
    if there is none, and None if the source does not say; so with `isr`.
    """
    about = {"topic": topic, "partition": partition, "topic_id": topic_id}
    row = {
        "replicas": list(replicas),
        "adding": list(adding),
        "removing": list(removing),
        "leader": leader,
        "isr": None if isr is None else list(isr),
    }
    yield Good("partitions", source.row(line, source.ts_ms, **about, **row, **columns))
    for ord_, broker in enumerate(replicas):
        role = "adding" if broker in adding else "removing" if broker in removing else "origin"
        replica = {
            "broker": broker,
            "ord": ord_,
            "role": role,
            "in_isr": None if isr is None else broker in isr,
            "is_leader": None if leader is None else broker == leader,
        }
        yield Good("replicas", source.row(line, source.ts_ms, **about, **replica))
