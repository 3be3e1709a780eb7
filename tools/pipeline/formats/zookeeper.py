"""Dumps of Kafka's znodes: what people take from ZooKeeper by hand or by script.

JSON lines, or one list, of {"path":..,"data":..,"version":..,"mtime":..} as short scripts on kazoo
write it; one object from path to data; and sessions pasted from zkCli or zk-shell:

    [zk: localhost:2181(CONNECTED) 0] get -s /brokers/topics/orders
    {"partitions":{"0":[0,1]},"version":2,...}
    cZxid = 0x1f
    ...

`data` is the znode's text, or its JSON itself. A topic's znode and the states below it become one
row of `partitions` each, broker ids rows of `clusters`, /admin/reassign_partitions a plan. All that
is in a dump is of one moment: the source's time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from klamm.controller.znodes import (
    BrokerZnode,
    StateZnode,
    TopicZnode,
    ZnodeError,
    decode_broker,
    decode_config,
    decode_controller,
    decode_controller_epoch,
    decode_reassign_partitions,
    decode_state,
    decode_topic,
    encode_uuid,
    paths,
)
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
from klamm.tools.pipeline.formats.reassign_json import plan_rows
from klamm.tools.pipeline.formats.replica_rows import partition_rows

_PROMPT = re.compile(r"(?:\[zk: \S+\(\w+\) \d+\]|\(\w+\) \S*>) *(.*)", re.ASCII)
_GET = re.compile(r"get (?:-[sw] )*(/?\S+)(?: +\w+)?\s*", re.ASCII)
_STAT = re.compile(
    r"(?:[cmp]Zxid|[cm]time|cversion|dataVersion|aclVersion|ephemeralOwner|dataLength|numChildren)"
    r" *= *\S.*",
    re.ASCII,
)
_TOPIC = re.compile(r"/brokers/topics/([\w.-]{1,249})", re.ASCII)
_STATE = re.compile(r"/brokers/topics/([\w.-]{1,249})/partitions/(\d{1,10})/state", re.ASCII)
_CONFIG = re.compile(r"/config/topics/([\w.-]{1,249})", re.ASCII)
_INT32_MAX = 2**31 - 1


class _Node(NamedTuple):
    line: int
    path: str
    data: bytes | None


@dataclass(slots=True)
class _Dump:
    """What a dump has come to; everything is told at its end, for states may precede topics."""

    topics: dict[str, tuple[int, TopicZnode]] = field(default_factory=dict)
    states: dict[tuple[str, int], tuple[int, StateZnode]] = field(default_factory=dict)
    configs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    brokers: dict[int, tuple[int, BrokerZnode]] = field(default_factory=dict)
    controller: int | None = None


def sniff(_name: str, head: str) -> bool:
    """Tell whether znodes of Kafka are there under their paths."""
    known = ("/brokers/", "/controller", "/admin/", "/config/")
    if re.search(r"^(\[zk: |\(\w+\) \S*> *get)", head, re.MULTILINE):
        return True
    text = head.lstrip("\ufeff \t\r\n")
    if not text.startswith(("{", "[")) or '"kind":' in text or '"payload"' in text:
        return False
    return any(f'"path":"{each}' in text or f'"path": "{each}' in text for each in known) or bool(
        re.match(r'\{\s*"/', text)
    )


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read a dump; see `klamm.tools.pipeline.formats.base`."""
    dump, path = _Dump(), ""
    for each in documents(lines):
        if isinstance(each, Bad):
            yield each
        elif isinstance(each, Document):
            nodes = _nodes(each, path)
            path = ""
            if isinstance(nodes, Bad):
                yield nodes
                continue
            for node in nodes:
                yield from _take(source, dump, node)
        else:
            said, path = _prose(each.line, each.text, path)
            yield from _take(source, dump, said) if isinstance(said, _Node) else (said,)
    yield from _told(source, dump)


def _prose(line: int, text: str, path: str) -> tuple[Produced | _Node, str]:
    """Read a line of a session: a command, the stat of a znode, or a znode that is no JSON."""
    if not text.strip() or _STAT.fullmatch(text.strip()):
        return Passed(line), path
    if (prompt := _PROMPT.fullmatch(text.strip())) is not None:
        get = _GET.fullmatch(prompt[1])
        found = "" if get is None else f"/{get[1].lstrip('/')}"
        return Passed(line), found
    if path:
        return _Node(line, path, text.strip().encode()), ""
    if re.match(r"(Connecting to |WATCHER|WatchedEvent|Node does not exist|null$)", text.strip()):
        return Passed(line), path
    return bad(line, "neither a znode with its path nor what zkCli says", text), path


def _nodes(document: Document, path: str) -> list[_Node] | Bad:
    """Return the znodes of a document: the one of the command before it, or those that it names."""
    value, line = document.value, document.line
    if path:
        return [_Node(line, path, msgspec.json.encode(value))]
    try:
        entries = value if isinstance(value, list) else [value]
        found: list[_Node] = []
        for entry in entries:
            if not isinstance(entry, dict):
                raise ValueError("expected objects with path and data")
            if "path" in entry:
                found.append(_Node(line, str(entry["path"]), _data(entry.get("data"))))
            elif entry and all(key.startswith("/") for key in entry):
                found += [_Node(line, name, _data(data)) for name, data in entry.items()]
            else:
                raise ValueError("expected path and data, or paths as keys")
    except (ValueError, UnicodeError) as error:
        return bad(line, f"no dump of znodes: {error}", document.text)
    return found


def _data(value: object) -> bytes | None:
    if isinstance(value, dict) and value.keys() >= {"data"} and "partitions" not in value:
        value = value["data"]
    if value is None:
        return None
    return value.encode() if isinstance(value, str) else msgspec.json.encode(value)


def _take(source: Source, dump: _Dump, node: _Node) -> Iterator[Produced]:
    line, path, data = node
    try:
        if (state := _STATE.fullmatch(path)) is not None:
            dump.states[state[1], int(state[2])] = line, decode_state(data, path)
        elif (topic := _TOPIC.fullmatch(path)) is not None:
            dump.topics[topic[1]] = line, decode_topic(data, path)
        elif path.startswith("/brokers/ids/"):
            broker = decode_broker(data, path)
            dump.brokers[broker.id] = line, broker
        elif path == paths.CONTROLLER:
            dump.controller = decode_controller(data, path).broker_id
        elif path == paths.CONTROLLER_EPOCH:
            decode_controller_epoch(data, path)
        elif (config := _CONFIG.fullmatch(path)) is not None:
            dump.configs[config[1]] = decode_config(data, path).config
        elif path == paths.REASSIGN_PARTITIONS:
            yield from _ordered(source, node)
            return
        yield Passed(line)
    except ZnodeError as error:
        yield bad(
            line, f"a znode that cannot be read: {error}", (data or b"").decode("utf-8", "replace")
        )


def _ordered(source: Source, node: _Node) -> Iterator[Produced]:
    found = decode_reassign_partitions(node.data, node.path)
    for rejected in found.rejected:
        yield bad(node.line, f"an entry of {node.path}: {rejected.reason}", rejected.entry)
    moves = [(each.topic, each.partition, each.replicas, None) for each in found.entries]
    yield from plan_rows(source, node.line, "plan", moves)


def _told(source: Source, dump: _Dump) -> Iterator[Produced]:
    for id_, (line, broker) in sorted(dump.brokers.items()):
        columns = {
            "broker": id_,
            "rack": broker.rack,
            "host": broker.endpoints[0].host if broker.endpoints else None,
            "alive": True,
            "is_controller": None if dump.controller is None else dump.controller == id_,
        }
        yield Good("clusters", source.row(line, source.ts_ms, **columns))
    for name, (line, topic) in sorted(dump.topics.items()):
        yield from _topic(source, dump, name, line, topic)
    for (name, number), (line, _) in sorted(dump.states.items()):
        if name not in dump.topics or number not in dump.topics[name][1].partitions:
            reason = f"the state of {name}-{number}, of which no topic's znode is in the dump"
            yield bad(line, reason, paths.state(name, number))


def _topic(
    source: Source, dump: _Dump, name: str, line: int, topic: TopicZnode
) -> Iterator[Produced]:
    config = dump.configs.get(name)
    configs = None if config is None else json.dumps(dict(config), sort_keys=True)
    minimum = None if config is None else config.get("min.insync.replicas")
    for number, replicas in sorted(topic.partitions.items()):
        _, state = dump.states.get((name, number), (0, None))
        yield from partition_rows(
            source,
            line,
            topic=name,
            partition=number,
            replicas=replicas,
            adding=topic.adding.get(number, ()),
            removing=topic.removing.get(number, ()),
            isr=None if state is None else state.isr,
            leader=None if state is None else state.leader,
            topic_id=None if topic.topic_id is None else encode_uuid(topic.topic_id),
            leader_epoch=None if state is None else state.leader_epoch,
            min_isr=_minimum(minimum),
            configs=configs,
        )


def _minimum(text: str | None) -> int | None:
    """Return the config's number, if it is one that Kafka would take."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 10:
        return None
    return int(text) if int(text) <= _INT32_MAX else None
