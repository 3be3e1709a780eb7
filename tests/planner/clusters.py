"""Snapshots for tests: drawn by Hypothesis, or a few brokers with what a test needs."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from klamm.tools.planner.snapshot import Broker, Partition, Snapshot


def snapshot(
    brokers: Sequence[Broker],
    replicas: Mapping[tuple[str, int], tuple[int, ...]],
    size_bytes: int = 0,
) -> Snapshot:
    """Return a cluster at rest, all in sync."""
    partitions = tuple(
        Partition(topic, number, ids, leader=ids[0], isr=ids, size_bytes=size_bytes)
        for (topic, number), ids in replicas.items()
    )
    return Snapshot("test", 0, tuple(brokers), partitions)


@st.composite
def snapshots(
    draw: st.DrawFn, *, most_brokers: int = 7, most_partitions: int = 12, dead: bool = True
) -> Snapshot:
    """Draw a cluster with or without racks, sizes and capacities; at least one broker is alive."""
    count = draw(st.integers(2, most_brokers))
    racks = draw(st.sampled_from([0, 2, 3]))
    lives = [True, *(draw(st.booleans()) or not dead for _ in range(count - 1))]
    brokers = tuple(
        Broker(
            id_,
            f"r{draw(st.integers(0, racks - 1))}" if racks else None,
            capacity_bytes=draw(st.sampled_from([None, None, 200, 400])),
            alive=lives[id_],
        )
        for id_ in range(count)
    )
    partitions = []
    for number in range(draw(st.integers(0, most_partitions))):
        ids = tuple(
            draw(
                st.lists(st.integers(0, count - 1), min_size=1, max_size=min(3, count), unique=True)
            )
        )
        adding = ids[1:] if draw(st.integers(0, 9)) == 0 else ()
        partitions.append(
            Partition(
                f"t{number % 3}",
                number // 3,
                ids,
                adding=adding,
                leader=ids[0],
                isr=ids,
                size_bytes=draw(st.integers(0, 40)),
            )
        )
    return Snapshot("drawn", 0, brokers, tuple(partitions))
