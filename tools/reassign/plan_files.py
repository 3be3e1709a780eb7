"""The two JSON files of kafka-reassign-partitions: which partitions go where, and which topics.

    {"version":1,"partitions":[{"topic":"foo","partition":0,"replicas":[2,3],"log_dirs":["any","/d"]}]}
    {"version":1,"topics":[{"topic":"foo"}]}

`version` and `log_dirs` may be left out, and keys that are not known are passed over.
Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (parsePartitionReassignmentData,
parseExecuteAssignmentArgs, parseTopicsData, formatAsReassignmentJson).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from klamm.tools.admin import TopicPartition, TopicPartitionReplica
from klamm.tools.reassign import texts
from klamm.tools.reassign.output import CommandError
from klamm.tools.reassign.state import Target

T = TypeVar("T")

#: The log directory that leaves the choice to the broker.
ANY: Final = "any"

_VERSION: Final = 1
_INT32_MAX: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What a file wants: each entry in the order of the file, and replicas with a log directory.

    `log_dirs` leaves out those that may go to any.
    """

    entries: tuple[tuple[TopicPartition, Target], ...]
    log_dirs: Mapping[TopicPartitionReplica, str] = field(default_factory=dict)

    @property
    def targets(self) -> dict[TopicPartition, Target]:
        """The replicas of each partition; the last entry for one counts."""
        return dict(self.entries)

    @property
    def topics(self) -> list[str]:
        """The topics of all partitions, sorted."""
        return sorted({name.topic for name, _ in self.entries})

    @property
    def brokers(self) -> set[int]:
        """Every broker that any entry names."""
        return {broker for _, target in self.entries for broker in target}

    def log_dirs_of(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartitionReplica, str]:
        """Return the wanted log directories of these partitions' replicas."""
        wanted = set(partitions)
        return {
            replica: folder
            for replica, folder in self.log_dirs.items()
            if TopicPartition(replica.topic, replica.partition) in wanted
        }


def parse_plan(text: str) -> Plan:
    """Read a reassignment file; raises CommandError. A partition may stand there twice."""
    top = _versioned(text)
    entries = []
    log_dirs = {}
    for index, item in enumerate(_list_at(top, "partitions", [])):
        where = f"partitions[{index}]"
        entry = _object(item, where)
        name = TopicPartition(_text(entry, "topic", where), _number(entry, "partition", where))
        replicas = _numbers(entry, "replicas", where)
        folders = _texts(entry, "log_dirs", where, [ANY] * len(replicas))
        if len(replicas) != len(folders):
            raise CommandError(
                f"Size of replicas list {_java_list(replicas)} is different from size of log dirs"
                f" list {_java_list(folders)} for partition {name}"
            )
        entries.append((name, tuple(replicas)))
        for broker, folder in zip(replicas, folders, strict=True):
            if folder != ANY:
                log_dirs[TopicPartitionReplica(*name, broker)] = folder
    return Plan(tuple(entries), log_dirs)


def check_executable(plan: Plan) -> None:
    """Refuse, in the words of the stock tool, what --execute never sends; raises CommandError."""
    if not plan.entries:
        raise CommandError("Partition reassignment list cannot be empty")
    empty = [name for name, target in plan.entries if not target]
    if empty:
        raise CommandError(
            "Partition replica list cannot be empty", f"Without replicas: {texts.names(empty)}"
        )
    twice = _repeated([name for name, _ in plan.entries])
    if twice:
        raise CommandError(
            "Partition reassignment contains duplicate topic partitions: "
            + ",".join(map(str, twice))
        )
    complaints = [
        f"{name} contains multiple entries for {texts.ids(_repeated(target))}"
        for name, target in plan.entries
        if _repeated(target)
    ]
    if complaints:
        raise CommandError(
            "Partition replica lists may not contain duplicate entries: " + ". ".join(complaints)
        )


def parse_topics(text: str) -> list[str]:
    """Read a file of topics to move; raises CommandError, also when one stands there twice."""
    top = _versioned(text)
    topics = []
    for index, item in enumerate(_list_at(top, "topics", [])):
        where = f"topics[{index}]"
        topics.append(_text(_object(item, where), "topic", where))
    twice = _repeated(topics)
    if twice:
        raise CommandError(
            f"List of topics to reassign contains duplicate entries: {_java_list(twice)}"
        )
    return topics


def parse_brokers(text: str) -> list[int]:
    """Read a broker list such as `0,1,2`; raises CommandError."""
    brokers = []
    for part in text.split(","):
        word = part.strip()
        if not (word.isascii() and word.removeprefix("-").isdigit()):
            raise CommandError(
                f"Broker list contains {part!r}, which is no broker id; give ids as 0,1,2"
            )
        brokers.append(int(word))
    twice = _repeated(brokers)
    if twice:
        raise CommandError(f"Broker list contains duplicate entries: {_java_list(twice)}")
    return brokers


def format_plan(replicas: Mapping[TopicPartition, Sequence[int]]) -> str:
    """Write an assignment as a reassignment file, sorted; every log directory is `any`."""
    return json.dumps(as_facts(replicas), separators=(",", ":"), ensure_ascii=False)


def as_facts(replicas: Mapping[TopicPartition, Sequence[int]]) -> dict[str, object]:
    """Return an assignment as the JSON object of a reassignment file."""
    return {
        "version": _VERSION,
        "partitions": [
            {
                "topic": name.topic,
                "partition": name.partition,
                "replicas": list(brokers),
                "log_dirs": [ANY] * len(brokers),
            }
            for name, brokers in sorted(replicas.items())
        ],
    }


def _versioned(text: str) -> Mapping[str, object]:
    try:
        top = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"The input string is not a valid JSON: {error}") from error
    found = _object(top, "the file")
    version = _number(found, "version", "the file") if "version" in found else _VERSION
    if version != _VERSION:
        raise CommandError(f"Not supported version field value {version}")
    return found


def _object(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise CommandError(f"{where} is {_shown(value)}, and must be a JSON object")
    return value


def _list_at(entry: Mapping[str, object], key: str, default: list[object]) -> list[object]:
    value = entry.get(key, default)
    if not isinstance(value, list):
        raise CommandError(f"{key} is {_shown(value)}, and must be a JSON list")
    return value


def _field(entry: Mapping[str, object], key: str, where: str) -> object:
    if key not in entry:
        raise CommandError(f"{where} has no {key}")
    return entry[key]


def _text(entry: Mapping[str, object], key: str, where: str) -> str:
    return _as_text(_field(entry, key, where), f"{where}.{key}")


def _number(entry: Mapping[str, object], key: str, where: str) -> int:
    return _as_number(_field(entry, key, where), f"{where}.{key}")


def _numbers(entry: Mapping[str, object], key: str, where: str) -> list[int]:
    _field(entry, key, where)
    values = enumerate(_list_at(entry, key, []))
    return [_as_number(value, f"{where}.{key}[{index}]") for index, value in values]


def _texts(entry: Mapping[str, object], key: str, where: str, default: list[str]) -> list[str]:
    values = enumerate(_list_at(entry, key, [*default]))
    return [_as_text(value, f"{where}.{key}[{index}]") for index, value in values]


def _as_text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise CommandError(f"{where} is {_shown(value)}, and must be a string")
    return value


def _as_number(value: object, where: str) -> int:
    # bool is an int in Python, and not in JSON.
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _INT32_MAX:
        raise CommandError(f"{where} is {_shown(value)}, and must be a whole number of 32 bits")
    return value


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _java_list(values: Iterable[object]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _repeated(values: Iterable[T]) -> list[T]:
    return [value for value, count in Counter(values).items() if count > 1]
