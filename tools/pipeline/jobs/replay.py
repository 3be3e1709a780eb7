"""`klamm pipeline replay`: topics' znodes as journals tell them, and as ZooKeeper has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from klamm.controller.znodes import paths
from klamm.tools.pipeline.history import replay
from klamm.tools.pipeline.history.replay import ZNODES, Held, ReplayError, differences
from klamm.tools.pipeline.history.surroundings import Surroundings
from klamm.tools.pipeline.jobs.around import around_on_spark, around_plain
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.steps import ByKey
from klamm.tools.pipeline.tables import EVENTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECT_SECONDS = 30.0

#: What makes a topic's entries its znodes.
TOPICS = ByKey(("cluster", "topic"), ("seq", "line"), replay.READS, ZNODES, replay.znodes)


@dataclass(frozen=True, slots=True)
class Begin:
    """The entry that the last office of a cluster begins with: what is before it does not count."""

    cluster: str
    controller_epoch: int
    node: int
    seq: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Of each cluster: where its last office begins, how many znodes, how many entries lack."""

    begin: Begin
    znodes: int
    missing: int


def plain(lake: Lake) -> list[Rebuilt]:
    """Rebuild in this process; raises LakeError and ReplayError."""
    events = lake.read_plain(EVENTS)
    snapshots = events.filter(pc.field("kind") == "snapshot").select(_BEGIN)
    begins = _begins(snapshots.to_pylist())
    entries = events.filter((pc.field("part") == 0) & pc.field("topic").is_valid())
    parts = [entries.filter(_after(begin)) for begin in begins]
    found = TOPICS.plain(pa.concat_tables([entries.slice(0, 0), *parts]))
    lake.write_plain(found, ZNODES, clusters=[begin.cluster for begin in begins])
    counts = Counter(found["cluster"].to_pylist())
    return _rebuilt(begins, counts, around_plain(events))


def on_spark(spark: SparkSession, lake: Lake) -> list[Rebuilt]:
    """Rebuild on Spark; raises LakeError, and what Spark makes of a ReplayError."""
    from pyspark.sql import functions as F

    events = lake.read(spark, EVENTS)
    snapshots = events.where(F.col("kind") == "snapshot").select(*_BEGIN)
    # One for each office: as many as there were failovers.
    begins = _begins([row.asDict() for row in snapshots.collect()])
    wanted = F.lit(False)
    for begin in begins:
        wanted = wanted | (
            (F.col("cluster") == begin.cluster)
            & (F.col("controller_epoch") == begin.controller_epoch)
            & (F.col("node") == begin.node)
            & (F.col("seq") > begin.seq)
        )
    entries = events.where((F.col("part") == 0) & F.col("topic").isNotNull() & wanted)
    lake.write(TOPICS.on_spark(entries), ZNODES, clusters=[begin.cluster for begin in begins])
    counted = lake.read(spark, ZNODES).groupBy("cluster").count().collect()
    return _rebuilt(begins, dict(map(tuple, counted)), around_on_spark(events))


def check(lake: Lake, cluster: str, held: Mapping[str, Held]) -> list[str]:
    """Tell where the znodes of a cluster, as rebuilt, are not what ZooKeeper holds."""
    return list(differences(lake.read_plain(ZNODES, [cluster]).to_pylist(), held))


def zookeeper(connect: str) -> dict[str, Held]:
    """Read the topic and state znodes that a ZooKeeper holds, by path.

    Raises ReplayError if it cannot be reached. What is changed while it is read may be read in two
    states: ask at rest.
    """
    from kazoo.client import KazooClient
    from kazoo.exceptions import KazooException, NoNodeError
    from kazoo.handlers.threading import KazooTimeoutError

    client = KazooClient(connect, read_only=True)
    try:
        client.start(timeout=CONNECT_SECONDS)
        held = {}
        for topic in client.get_children(paths.TOPICS):
            names = [paths.topic(topic)]
            try:
                numbers = client.get_children(paths.partitions(topic))
            except NoNodeError:
                numbers = []
            for path in names + [paths.state(topic, int(number)) for number in numbers]:
                try:
                    data, stat = client.get(path)
                except NoNodeError:
                    continue
                held[path] = Held(data, stat.version)
        return held
    except NoNodeError:
        return {}
    except (KazooException, KazooTimeoutError) as error:
        raise ReplayError(f"ZooKeeper at {connect} cannot be read: {error!r}") from error
    finally:
        client.stop()
        client.close()


def _after(begin: Begin) -> pc.Expression:
    """What the office of a snapshot has written since."""
    office = (pc.field("cluster") == begin.cluster) & (pc.field("node") == begin.node)
    in_epoch = pc.field("controller_epoch") == begin.controller_epoch
    return office & in_epoch & (pc.field("seq") > begin.seq)


def _rebuilt(
    begins: Sequence[Begin], counts: Mapping[str, int], around: Mapping[str, Surroundings]
) -> list[Rebuilt]:
    return [
        Rebuilt(
            begin,
            counts.get(begin.cluster, 0),
            sum(
                gap.entries
                for gap in around[begin.cluster].gaps
                if gap.node == begin.node and gap.before_ms >= begin.at_ms
            ),
        )
        for begin in begins
    ]


_BEGIN = ("cluster", "controller_epoch", "node", "seq", "at_ms")


def _begins(snapshots: Iterable[Mapping[str, Any]]) -> list[Begin]:
    """Return the last snapshot of each cluster."""
    last: dict[str, Begin] = {}
    for row in snapshots:
        begin = Begin(**row)
        known = last.setdefault(begin.cluster, begin)
        if (begin.controller_epoch, begin.seq) > (known.controller_epoch, known.seq):
            last[begin.cluster] = begin
    return [last[cluster] for cluster in sorted(last)]
