"""Reading texts and fixtures in tests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

from klamm.tools.pipeline.formats import Bad, Good, Passed, Produced, Source, read

DATA = Path(__file__).parent / "data"
AT_MS = 1_768_400_000_000


def produced(
    text: str, format_: str | None = None, *, name: str = "file", tz: tzinfo = UTC
) -> list[Produced]:
    """Read a text."""
    source = Source(name, "c", AT_MS, tz)
    return list(read(enumerate(text.splitlines(keepends=True), 1), source, format_))


def rows(found: Iterable[Produced], table: str = "events") -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return [dict(each.row) for each in found if isinstance(each, Good) and each.table == table]


def faults(found: Iterable[Produced]) -> list[Bad]:
    """Return the bad lines."""
    return [each for each in found if isinstance(each, Bad)]


def passed(found: Iterable[Produced]) -> list[int]:
    """Return the numbers of lines that say nothing."""
    return [each.line for each in found if isinstance(each, Passed)]


def fixture(name: str) -> str:
    """Return the text of a file of Kafka's own; see data/README.md."""
    return (DATA / name).read_text()


def one(text: str, format_: str, table: str = "events") -> dict[str, Any]:
    """Read a text that gives a single row of a table, and nothing bad."""
    found = produced(text, format_)
    assert faults(found) == []
    [row] = rows(found, table)
    return row


#: Short texts of the formats that Kafka itself does not write.
EXAMPLES = {
    "klamm-journal": (
        '{"v":1,"seq":7,"node":900,"epoch":3,"wall_ms":1768368061677,"monotonic_s":1.5,'
        '"severity":"info","kind":"accept","topic":"t","partition":1,"before":{"replicas":[1]},'
        '"after":{"replicas":[1,2],"adding":[2]},"cause":{"kind":"entry","sequence":6}}'
    ),
    "klamm-history": (
        '{"step":4,"seq":9,"ts_ms":1768368061677,"origin":"zookeeper","kind":"znode-written",'
        '"topic":"t","partition":0,"after":{"replicas":[1,2],"isr":[1]},"detail":"{}"}'
    ),
    "klamm-snapshot": (
        '{"format":"klamm-snapshot","version":1,"cluster_id":"k","taken_ms":1768368061677,\n'
        '"brokers":[\n{"id":1,"rack":"a","capacity_bytes":900},\n{"id":2,"alive":false}],\n'
        '"partitions":[\n{"topic":"t","partition":0,"replicas":[1,2,3],"adding":[3],"leader":1,'
        '"isr":[1,2],"size_bytes":5,"bytes_in_per_s":1.5,"min_isr":2},\n'
        '{"topic":"u","partition":0,"replicas":[2]}]}\n'
    ),
    "status-answers": (
        '{"action":"progress","replicas":[{"topic":"t","partition":0,"broker":2,"lag":5,'
        '"taken_ms":1768368061677,"in_sync":false}]}'
    ),
    "zookeeper": (
        '{"path":"/brokers/topics/t","data":"{\\"partitions\\":{\\"0\\":[1]},\\"version\\":1}"}\n'
        '{"path":"/brokers/topics/t/partitions/0/state","data":{"leader":1,"leader_epoch":0,'
        '"isr":[1],"controller_epoch":1,"version":1}}\n'
        '[zk: localhost:2181(CONNECTED) 0] get /controller\n{"version":1,"brokerid":2}'
    ),
    "cruise-control": (
        '{"records":[{"topic":"t","partition":1,"networkInbound":2.0}],"version":1}\n'
        '{"brokers":[{"Broker":3,"Host":"h","BrokerState":"ALIVE","DiskCapacityMB":10.0}]}\n'
        '{"proposals":[{"topicPartition":{"topic":"t","partition":1},"oldReplicas":[1],'
        '"newReplicas":[2]}]}\n{"ExecutorState":{"state":"NO_TASK_IN_PROGRESS","version":1}}'
    ),
    "topicmappr": '{"t":{"0":{"Size":1048576.0}}}\n{"1001":{"StorageFree":5.0}}',
    "prometheus": '# TYPE up gauge\nup{broker="1",topic="t"} 1.5 1768368061677',
    "prometheus-query": (
        '{"status":"success","data":{"resultType":"vector","result":[{"metric":'
        '{"__name__":"up","broker":"1"},"value":[1768368061.5,"1"]}]}}'
    ),
    "jmx-csv": '"time","kafka.log:type=Log,name=Size,topic=t,partition=0:Value"\n1768368061677,5',
}
