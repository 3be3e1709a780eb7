"""What topicmappr's metricsfetcher stores: sizes of partitions, and free storage of brokers.

    {"orders":{"0":{"Size":1048576.0}}}           /topicmappr/partitionmeta
    {"1001":{"StorageFree":1099511627776.0}}      /topicmappr/brokermetrics

Its maps are plans of kafka-reassign-partitions and are read as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from klamm.tools.pipeline.formats.base import (
    Bad,
    Good,
    Line,
    Passed,
    Produced,
    Source,
    bad,
)
from klamm.tools.pipeline.formats.documents import Document, documents
from klamm.tools.pipeline.formats.prometheus import metric

SIZE = "topicmappr_partition_size_bytes"
FREE = "topicmappr_broker_storage_free_bytes"


class _Size(msgspec.Struct, rename="pascal"):
    size: float


class _Free(msgspec.Struct, rename="pascal"):
    storage_free: float


def sniff(_name: str, head: str) -> bool:
    """Tell whether it is one of the two."""
    text = "".join(head[:4096].split())
    sizes = re.match(r'\{"[\w.-]+":\{"\d+":\{"Size":', text)
    return bool(sizes or re.match(r'\{"\d+":\{"StorageFree":', text))


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read the data; see `klamm.tools.pipeline.formats.base`."""
    for each in documents(lines):
        if isinstance(each, Bad):
            yield each
        elif isinstance(each, Document):
            try:
                rows = list(_rows(source, each))
            except msgspec.ValidationError as error:
                yield bad(each.line, f"no data of topicmappr: {error}", each.text)
                continue
            yield from rows or (Passed(each.line),)
        elif each.text.strip():
            yield bad(each.line, "no data of topicmappr: expected JSON", each.text)
        else:
            yield Passed(each.line)


def _rows(source: Source, document: Document) -> Iterator[Good]:
    inner = document.value.values() if isinstance(document.value, dict) else ()
    if any(isinstance(each, dict) and "StorageFree" in each for each in inner):
        brokers = msgspec.convert(document.value, dict[str, _Free])
        for broker, free in sorted(brokers.items()):
            labels = {"broker": broker}
            yield metric(source, document.line, source.ts_ms, FREE, labels, free.storage_free)
        return
    topics = msgspec.convert(document.value, dict[str, dict[str, _Size]])
    for topic, partitions in sorted(topics.items()):
        for partition, size in sorted(partitions.items()):
            labels = {"topic": topic, "partition": partition}
            yield metric(source, document.line, source.ts_ms, SIZE, labels, size.size)
