"""All formats; which one a file is of; reading it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from klamm.tools.pipeline.formats import (
    controller_log,
    cruise_control,
    describe,
    history_file,
    journal,
    log_dirs,
    metadata_log,
    prometheus,
    reassign_json,
    reassign_texts,
    snapshot,
    state_change_log,
    status_answers,
    topicmappr,
    zookeeper,
)
from klamm.tools.pipeline.formats.base import Format, Line, Produced, Source

#: So much of a file's text is enough to recognise it.
HEAD_CHARACTERS = 65_536

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("klamm-journal", "klamm's journal", journal.sniff, journal.read, by_line=True),
        Format(
            "klamm-history",
            "a history of the lab's world",
            history_file.sniff,
            history_file.read,
            by_line=True,
        ),
        Format(
            "controller-log", "Kafka's controller.log", controller_log.sniff, controller_log.read
        ),
        Format(
            "state-change-log",
            "Kafka's state-change.log",
            state_change_log.sniff,
            state_change_log.read,
        ),
        Format(
            "metadata-log",
            "kafka-dump-log --cluster-metadata-decoder",
            metadata_log.sniff,
            metadata_log.read,
        ),
        Format(
            "kafka-topics",
            "kafka-topics --describe",
            describe.sniff,
            describe.read,
            undated=True,
        ),
        Format(
            "reassign-json",
            "plans of kafka-reassign-partitions, also within its output",
            reassign_json.sniff,
            reassign_json.read,
        ),
        Format(
            "reassign-text",
            "kafka-reassign-partitions --list and --verify",
            reassign_texts.sniff,
            reassign_texts.read,
            undated=True,
        ),
        Format(
            "kafka-log-dirs",
            "kafka-log-dirs --describe",
            log_dirs.sniff,
            log_dirs.read,
            undated=True,
        ),
        Format(
            "klamm-snapshot",
            "a cluster at one time, as klamm snapshot takes it",
            snapshot.sniff,
            snapshot.read,
        ),
        Format(
            "zookeeper",
            "znodes of Kafka, as JSON or a session of zkCli",
            zookeeper.sniff,
            zookeeper.read,
            undated=True,
        ),
        Format(
            "cruise-control",
            "Cruise Control's state, load, partition_load and proposals",
            cruise_control.sniff,
            cruise_control.read,
            undated=True,
        ),
        Format(
            "topicmappr",
            "topicmappr's sizes of partitions and storage of brokers",
            topicmappr.sniff,
            topicmappr.read,
            undated=True,
        ),
        Format(
            "prometheus",
            "Prometheus's text exposition",
            prometheus.sniff_text,
            prometheus.read_text,
            by_line=True,
            undated=True,
        ),
        Format(
            "prometheus-query",
            "answers of Prometheus to query and query_range",
            prometheus.sniff_query,
            prometheus.read_query,
        ),
        Format(
            "status-answers",
            "what klamm reassign --dialect kip-179-alter --progress --json prints",
            status_answers.sniff,
            status_answers.read,
            by_line=True,
        ),
        Format("jmx-csv", "CSV of JmxTool", prometheus.sniff_jmx, prometheus.read_jmx),
    )
}


class AmbiguousError(LookupError):
    """A file is of none of the formats, or may be of several; `names` are those."""

    def __init__(self, file: str, names: tuple[str, ...]) -> None:
        super().__init__(file, names)
        self.file = file
        self.names = names

    def __str__(self) -> str:
        if self.names:
            return f"{self.file} may be of the formats {', '.join(self.names)}: name one of them"
        return f"{self.file} is of no known format; known are {', '.join(FORMATS)}"


def candidates(name: str, head: str) -> tuple[Format, ...]:
    """Return the formats that a file may be of, by its name and the beginning of its text."""
    begin = head[:HEAD_CHARACTERS].removeprefix("\ufeff")
    return tuple(each for each in FORMATS.values() if each.sniff(name, begin))


def recognise(name: str, head: str) -> Format | None:
    """Return the format of a file; None if it is of none, or may be of several (`candidates`)."""
    found = candidates(name, head)
    return found[0] if len(found) == 1 else None


def read(
    lines: Iterable[Line], source: Source, format_: Format | str | None = None
) -> Iterator[Produced]:
    """Read numbered lines; without a format it is recognised, or AmbiguousError is raised.

    Text that cannot be decoded is to come with replacement characters: it makes its line a bad one.
    """
    if isinstance(format_, str):
        format_ = FORMATS[format_]
    rest = iter(lines)
    if format_ is None:
        head, size = list[Line](), 0
        for each in rest:
            head.append(each)
            size += len(each[1]) + 1
            if size >= HEAD_CHARACTERS:
                break
        text = "\n".join(text.rstrip("\r\n") for _, text in head)
        found = candidates(source.name, text)
        if len(found) != 1:
            raise AmbiguousError(source.name, tuple(each.name for each in found))
        format_, rest = found[0], _chained(head, rest)
    return format_.reader(source, rest)


def _chained(head: list[Line], rest: Iterator[Line]) -> Iterator[Line]:
    yield from head
    yield from rest
