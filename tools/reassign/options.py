"""Which options there are, which actions take them, and which dialects know them: as data.

Source of names, order of actions and what belongs together: Kafka 3.9, tools,
ReassignPartitionsCommandOptions.java and ReassignPartitionsCommand.java (validateAndParseArgs);
for 4.x's additions the same files there, for `--zookeeper` Kafka 2.6's
ReassignPartitionsCommand.scala.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from klamm.tools.reassign.kip_179_options import PROGRESS, REQUEST
from klamm.tools.reassign.option import PLAN_FILE as PLAN_FILE
from klamm.tools.reassign.option import WITH_ZOOKEEPER
from klamm.tools.reassign.option import Action as Action
from klamm.tools.reassign.option import Dialect as Dialect
from klamm.tools.reassign.option import Kind as Kind
from klamm.tools.reassign.option import Option as Option
from klamm.tools.reassign.safe_options import SAFE_OPTIONS

#: What every action takes.
COMMON: Final = frozenset({"bootstrap-server", "command-config", "dialect", "json"})

#: The stock actions, in the order in which they are asked for.
STOCK_ACTIONS: Final = (
    Action(
        "generate",
        ("topics-to-move-json-file", "broker-list"),
        frozenset({"disable-rack-aware", "zookeeper"}),
    ),
    Action(
        "execute",
        (PLAN_FILE,),
        frozenset(
            {
                "additional",
                "deadline-ms",
                "disallow-replication-factor-change",
                "incremental",
                "no-rollback-file",
                "order",
                "own-throttles",
                "pause-when-unhealthy",
                "plan-check",
                "reassignment-batch-size",
                "reassignment-poll-interval-ms",
                "replica-alter-log-dirs-throttle",
                "resume",
                "rollback-file",
                "throttle",
                "timeout",
                "wait",
                "zookeeper",
            }
        ),
    ),
    Action("verify", (PLAN_FILE,), frozenset({"own-throttles", "preserve-throttles", "zookeeper"})),
    Action(
        "cancel",
        (PLAN_FILE,),
        frozenset(
            {
                "bootstrap-controller",
                "cancel-rule",
                "own-throttles",
                "preserve-throttles",
                "restore-order",
                "timeout",
                "write-plan",
            }
        ),
    ),
    Action("list", (), frozenset({"bootstrap-controller"})),
)

#: Actions that only klamm's tool has.
OWN_ACTIONS: tuple[Action, ...] = (
    Action("progress", (), frozenset({PLAN_FILE, "deadline-ms", "interval-ms"}), ours=True),
    Action("check", (PLAN_FILE,), ours=True),
    Action("sweep", (), frozenset({"yes"}), ours=True),
)

ACTIONS: Final = {action.name: action for action in (*STOCK_ACTIONS, *OWN_ACTIONS)}


def stock_actions(dialect: Dialect) -> tuple[Action, ...]:
    """Return the actions that the tool of a dialect has, in the order in which it asks."""
    progress = PROGRESS.get(dialect)
    return STOCK_ACTIONS if progress is None else (*STOCK_ACTIONS, progress)


def actions(dialect: Dialect) -> Mapping[str, Action]:
    """Return every action by name: what the dialect's tool has goes before what is our own."""
    return {**ACTIONS, **{action.name: action for action in stock_actions(dialect)}}


#: What a ZooKeeper alone cannot do, in the order of complaint.
ONLY_WITH_SERVER: Final = (
    "additional",
    "cancel",
    "command-config",
    "replica-alter-log-dirs-throttle",
    "list",
    "timeout",
    "disallow-replication-factor-change",
    "order",
    "reassignment-batch-size",
    "resume",
    "wait",
    "check",
    "sweep",
    "plan-check",
    "rollback-file",
    "no-rollback-file",
    "own-throttles",
)

_FILE_FORMAT: Final = (
    '{"version": 1, "partitions": [{"topic": "foo", "partition": 1, "replicas": [1, 2, 3],'
    ' "log_dirs": ["any", "/d1", "/d2"]}]}'
)

OPTIONS: Final = {
    option.name: option
    for option in (
        Option("generate", "Propose a plan that spreads topics over brokers; nothing is started."),
        Option("execute", "Start the moves of --reassignment-json-file."),
        Option(
            "verify",
            "Tell how far the moves of --reassignment-json-file are, and remove the throttles once"
            " nothing in the cluster moves.",
        ),
        Option("cancel", "Cancel those moves of --reassignment-json-file that are running."),
        Option("list", "List every move that is running."),
        Option(
            "additional",
            "Start the plan although others run already; also the way to change the throttle of"
            " the plan that runs.",
        ),
        Option(
            "bootstrap-controller",
            "Ask the controllers of a KRaft cluster themselves (Kafka 4.0 and later); for --list"
            " and --cancel, instead of --bootstrap-server.",
            Kind.TEXT,
            "host:port,...",
        ),
        Option(
            "bootstrap-server",
            "Any nodes of the cluster to begin with.",
            Kind.TEXT,
            "host:port,...",
        ),
        Option("broker-list", "The brokers to spread topics over.", Kind.TEXT, "0,1,2"),
        Option(
            "command-config",
            "A file of Kafka client properties: security.protocol, sasl.*, ssl.*, timeouts.",
            Kind.TEXT,
            "file",
        ),
        Option(
            "deadline-ms",
            "Give up waiting so long after the start, with exit code 3; nothing is cancelled.",
            Kind.LONG,
            "ms",
        ),
        Option(
            "dialect",
            "Whose options and texts: those of Kafka 3.9 or 2.6, of the text of KIP-455, or of"
            " KIP-179 in its two forms.",
            Kind.TEXT,
            "name",
            Dialect.KAFKA_3_9.value,
            tuple(dialect.value for dialect in Dialect),
        ),
        Option("disable-rack-aware", "Propose a plan that takes no heed of racks."),
        Option(
            "disallow-replication-factor-change",
            "Have every move refused that would change how many replicas a partition has (Kafka"
            " 4.1 and later).",
        ),
        Option("help", "Print this and exit."),
        Option(
            "incremental",
            "With a batch size: submit the next partition as soon as one is complete, and not only"
            " when its whole batch is.",
        ),
        Option(
            "interval-ms",
            "With --progress: how long to wait between two looks.",
            Kind.LONG,
            "ms",
            1000,
        ),
        Option("json", "Print one JSON object instead of the texts."),
        Option(
            "order",
            "The order of submission: by topic and partition, or those with the fewest bytes"
            " first.",
            Kind.TEXT,
            "name",
            "sorted",
            ("sorted", "small-first"),
        ),
        Option(
            "pause-when-unhealthy",
            "With a batch size: submit nothing more while a broker is missing, or partitions"
            " outside the plan are offline, under min.insync.replicas or more often"
            " under-replicated than at the start. What is moving goes on.",
        ),
        Option("preserve-throttles", "Leave every throttle as it is."),
        Option(
            PLAN_FILE,
            f"The plan: {_FILE_FORMAT} where log_dirs may be left out, and `any` lets the broker"
            " choose.",
            Kind.TEXT,
            "file",
        ),
        Option(
            "progress",
            "Watch the moves of --reassignment-json-file, or without it all that move, until they"
            " are done: bytes, partitions, rate, time left, and the slowest with reasons. JSON"
            " lines unless on a terminal. Exits with 0 when done, 3 at --deadline-ms or Ctrl-C,"
            " and 4 at --deadline-ms if all that is left waits for something that will not come by"
            " itself.",
        ),
        Option(
            "reassignment-batch-size",
            "Submit the plan in batches of so many partitions, each when all of the one before are"
            " complete; 0 submits all at once.",
            Kind.INT,
            "partitions",
            0,
        ),
        Option(
            "reassignment-poll-interval-ms",
            "How long to wait between two looks at a batch.",
            Kind.LONG,
            "ms",
            1000,
        ),
        Option(
            "replica-alter-log-dirs-throttle",
            "The most that a broker may copy between its log directories; at least 1024 is"
            " sensible.",
            Kind.LONG,
            "bytes/s",
            -1,
        ),
        Option(
            "resume",
            "Go on with a plan that an earlier run has begun, with the same file: what is complete"
            " or moves to its replicas already is not submitted again.",
        ),
        Option(
            "throttle",
            "The most that brokers may copy to each other for these moves; at least 1024 is"
            " sensible. --verify removes it after the end.",
            Kind.LONG,
            "bytes/s",
            -1,
        ),
        Option(
            "timeout",
            "How long to try to start a move between log directories.",
            Kind.LONG,
            "ms",
            10_000,
        ),
        Option(
            "topics-to-move-json-file",
            'The topics to spread: {"version":1,"topics":[{"topic":"foo"},{"topic":"foo1"}]}',
            Kind.TEXT,
            "file",
        ),
        Option("wait", "After the last submit, wait until the whole plan is complete."),
        Option("version", "Print klamm's version and exit."),
        Option(
            "write-plan",
            "Cancel nothing; write all that moves now to this file, for --cancel to take later.",
            Kind.TEXT,
            "file",
        ),
        Option(
            "zookeeper",
            "Deprecated, and will be removed in a later version: work through ZooKeeper's nodes"
            " instead of requests; --generate, --execute and --verify only. Use"
            " --bootstrap-server.",
            Kind.TEXT,
            "host:port,.../chroot",
            dialects=WITH_ZOOKEEPER,
        ),
        REQUEST,
        *SAFE_OPTIONS,
    )
}
