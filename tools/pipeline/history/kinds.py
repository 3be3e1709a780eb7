"""Kinds of events: what each means, and which columns it fills.

A row of `events` is about one partition, or about none: then `topic` or `partition` is null. What
concerns several partitions at once, such as a topic's znode, is one row for each partition that it
changes (`part` counts them), so that a partition's history is complete in itself.

Every row has source, line, part, origin, at_ms (and ts_ms), kind, and seq where its source counts;
`controller_epoch` is the writer's, and null where a source has none. What is listed below comes on
top. `after` and `before` are `klamm.tools.pipeline.tables.FORM`: fields that a kind does not know
are null.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from klamm.controller.node.kinds import KINDS as _JOURNAL

#: Who has seen an event: a column of its own, for one kind can be told by several.
JOURNAL: Final = "journal"
CONTROLLER_LOG: Final = "controller-log"
STATE_CHANGE_LOG: Final = "state-change-log"
SERVER_LOG: Final = "server-log"
METADATA_LOG: Final = "metadata-log"
ZOOKEEPER: Final = "zookeeper"
BROKER: Final = "broker"
CLIENT: Final = "client"
END: Final = "end"
ORIGINS: Final = frozenset(
    {
        JOURNAL,
        CONTROLLER_LOG,
        STATE_CHANGE_LOG,
        SERVER_LOG,
        METADATA_LOG,
        ZOOKEEPER,
        BROKER,
        CLIENT,
        END,
    }
)


class Kind(NamedTuple):
    """What an event of a kind means, and what its row has beside what all have.

    `detail` names the members of the JSON object in the column of that name.
    """

    meaning: str
    columns: tuple[str, ...]
    detail: Mapping[str, str] = MappingProxyType({})


_TOLD = ("node", "controller_epoch", "topic", "partition", "broker", "rpc_api", "request", "after")
_ENTRY = ("node", "controller_epoch", "seq", "severity", "text", "cause_seq", "cause")

#: What ZooKeeper, brokers and clients saw. A reader of ZooKeeper's transaction log, of Kafka's
#: state-change, server and request logs, and the lab, write these.
WORLD: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "znode-written": Kind(
            "a znode was made, changed or removed; of topic znode, state znode and"
            " /admin/reassign_partitions one row for each partition whose part has changed, and"
            " one without partition for the znode",
            ("zk_path", "zk_version", "zk_session", "node", "topic", "partition", "after"),
            {
                "data": "text of the znode, in rows without partition; null if it has none",
                "owner": "the session that the znode ends with, if it is ephemeral",
                "zxid": "of the transaction: rows of one multi have the same",
                "incumbent": "the session that wrote /controller_epoch last",
                "unreadable": "why what was written cannot be read",
                "topic_id": "of a topic znode; empty if it has none",
                "dropped": "the topic znode has this partition no more",
                "registered": "broker ids registered now, in rows of a topic znode",
                "limited": "moves are, or were, limited (KIP-435), in rows of a topic znode",
                "live": "the brokers that the writer told others to be alive, the last time",
                "owed": "brokers that owe the deletion of their log",
                "hints": "what the topic's hints of steps say",
            },
        ),
        "told-lead": Kind(
            "a controller sends LeaderAndIsr about a partition",
            _TOLD,
            {"is_new": "the replica is to be made", "broker_epoch": "whom it is meant for"},
        ),
        "told-metadata": Kind(
            "a controller sends UpdateMetadata about a partition",
            _TOLD,
            {"live": "the brokers that it tells to be alive"},
        ),
        "told-stop": Kind(
            "a controller sends StopReplica about a partition; `after` has no replicas",
            _TOLD,
            {"delete": "the log is to be deleted"},
        ),
        "heard-lead": Kind(
            "a broker took LeaderAndIsr; rpc_error is its answer for the partition",
            (*_TOLD, "rpc_error"),
            {"late": "its connection had ended before", "is_new": "as told"},
        ),
        "heard-metadata": Kind(
            "a broker took UpdateMetadata", (*_TOLD, "rpc_error"), {"late": "as above"}
        ),
        "heard-stop": Kind(
            "a broker took StopReplica",
            (*_TOLD, "rpc_error"),
            {"late": "as above", "delete": "as told"},
        ),
        "control-sent": Kind(
            "a controller sends a request to a broker",
            ("node", "broker", "rpc_api", "request"),
            {"broker_epoch": "of whom it is meant for", "delete": "of StopReplica, as told"},
        ),
        "control-heard": Kind(
            "a broker took the request; rpc_error is its top-level answer",
            ("node", "broker", "rpc_api", "request", "rpc_error"),
        ),
        "control-answered": Kind(
            "the broker's answer has arrived", ("node", "broker", "rpc_api", "request")
        ),
        "control-lost": Kind(
            "the connection ended before the answer", ("node", "broker", "rpc_api", "request")
        ),
        "log-created": Kind("a broker made a log", ("broker", "topic", "partition")),
        "log-deleted": Kind("a broker deleted a log", ("broker", "topic", "partition")),
        "log-lost": Kind("a log went with its disk", ("broker", "topic", "partition")),
        "led": Kind(
            "a broker begins to lead, or goes on with less than it had",
            ("broker", "topic", "partition", "after"),
            {"offset": "end of its log"},
        ),
        "followed": Kind(
            "a broker begins to follow, or has nobody to follow",
            ("broker", "topic", "partition", "after"),
            {"offset": "end of its log"},
        ),
        "fetching-stopped": Kind(
            "a broker's fetchers stand still: it copies nothing", ("broker", "topic", "partition")
        ),
        "fetching-resumed": Kind("they fetch again", ("broker", "topic", "partition")),
        "isr-asked": Kind(
            "a leader asks for another ISR (AlterPartition, KIP-497); `after` is what it wants",
            ("broker", "node", "request", "topic", "partition", "after"),
        ),
        "isr-answered": Kind(
            "it is answered; `after` is what the controller says is so",
            ("broker", "node", "request", "rpc_error", "topic", "partition", "after"),
        ),
        "isr-lost": Kind(
            "the connection ended before the answer",
            ("broker", "node", "request", "topic", "partition"),
        ),
        "leaving": Kind("a broker asks to leave (ControlledShutdown)", ("broker",)),
        "failed": Kind(
            "an error that nobody expected ended what a process was doing, as its log has it",
            ("node", "broker", "severity", "text"),
        ),
        "produced": Kind(
            "what producers were told is safe: all in sync had it",
            ("broker", "topic", "partition"),
            {"offset": "the high watermark"},
        ),
        "request": Kind(
            "a client's request reached a node; of AlterPartitionReassignments one row for each"
            " partition as well: `after.replicas` is the target, `after` null cancels",
            ("node", "rpc_api", "request", "client_id", "topic", "partition", "after"),
            {"connection": "the client's", "name": "what it asks for, in words"},
        ),
        "reply": Kind(
            "a node answered; of AlterPartitionReassignments one row for each partition, of"
            " ListPartitionReassignments one for each move that it lists",
            ("node", "rpc_api", "request", "rpc_error", "topic", "partition", "after"),
            {
                "all": "a list of all moves: `after` is null of what does not move",
                "polled": "asked by whoever watches the controllers, after each turn of theirs",
            },
        ),
        "request-lost": Kind(
            "the connection ended before an answer: there will be none",
            ("node", "rpc_api", "request"),
        ),
        "process-started": Kind("a node's or broker's process starts", ("node", "broker", "text")),
        "process-ended": Kind("a node's or broker's process is over", ("node", "broker", "text")),
        "faults-over": Kind("from here on nothing fails any more", ()),
        "disk": Kind(
            "at the end: a log that lies on a disk",
            ("broker", "topic", "partition"),
            {"offset": "end of the log", "running": "a process of the broker runs"},
        ),
        "hosted": Kind(
            "at the end: what a broker that runs has of a partition in memory",
            ("broker", "topic", "partition", "after"),
        ),
        "shown": Kind(
            "at the end: what a broker, or node, tells clients of a partition",
            ("broker", "topic", "partition", "after"),
        ),
        "still": Kind(
            "the end of a history without rest: nothing is on its way, and nobody does anything"
            " before more time passes; `detail` as of `rest`, as far as it is known",
            ("topic", "partition"),
        ),
        "rest": Kind(
            "the end: all was quiet, or so long was waited after the faults; one row for each"
            " partition as well",
            ("topic", "partition"),
            {
                "waited_s": "since faults-over",
                "able": "brokers that run, are registered, and whose disk takes the partition",
                "registered": "broker ids in ZooKeeper",
                "dying": "the topic is to be deleted",
                "nodes": "ids of nodes that run",
                "znodes": "paths that should not outlast their work: orders, elections, notices",
                "owed": "brokers that owe the deletion of their log",
                "running": "brokers that run",
                "whole": "brokers that run, with all their disks",
                "controller": "what /controller holds",
                "epoch": "what /controller_epoch holds, in the row without partition",
                "held_up": "partitions whose move cannot end, for a broker or a tool",
                "rebalance_s": "how often leads are given back, as configured; null for never",
                "tools": "other programs have written what decides about this partition",
            },
        ),
    }
)

#: What Kafka's own controller says beyond what maps to a journal's kind.
KAFKA: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "caught-up": Kind("all target replicas of a move are in sync", ("topic", "partition")),
        "assignment-updated": Kind(
            "the topic znode has a new assignment", ("topic", "partition", "after")
        ),
        "leadership": Kind(
            "a partition's state as a log line tells it", ("topic", "partition", "after")
        ),
        "replica-state": Kind("a replica goes to another state", ("topic", "partition", "broker")),
        "verified": Kind(
            "kafka-reassign-partitions --verify tells how a move stands",
            ("topic", "partition", "broker", "after", "text"),
            {
                "state": "done, running, elsewhere (other replicas, or log directory) or lost",
                "target": "the replicas that the tool was asked about",
            },
        ),
        "warned": Kind("the controller says that something went wrong", ("severity", "text")),
    }
)

#: Every kind, a journal's first; those are described in schemas/journal.json.
KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {**{name: Kind(meaning, _ENTRY) for name, meaning in _JOURNAL.items()}, **WORLD, **KAFKA}
)

#: Members of `detail` of a journal's entries, each as the journal has it: what a step was, how a
#: move in steps goes on before and after, the messages and writes of a Commit, the reply, the
#: brokers, the content of a topic.
ENTRY_DETAIL: Final = (
    "step",
    "pace_before",
    "pace_after",
    "messages",
    "writes",
    "reply",
    "brokers",
    "content",
    "event",
    "status",
    "counters",
    "cause",
    "lost",
    "monotonic_s",
)
