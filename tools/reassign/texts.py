"""What kafka-reassign-partitions prints, word for word, because scripts read it.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java; where dialects differ, Kafka 2.6's
ReassignPartitionsCommand.scala. Nothing here ends with a line end.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from klamm.tools.admin import PartitionReassignment, TopicPartition, TopicPartitionReplica

EXISTING: Final = (
    "Cannot execute because there is an existing partition assignment.  Use --additional to"
    " override this and create a new partition assignment in addition to the existing one. The"
    " --additional flag can also be used to change the throttle by resubmitting the current"
    " reassignment."
)
#: The same where the server starts nothing while anything moves (KIP-179).
EXISTING_179: Final = (
    "Cannot execute because partitions are moving, and the server takes one reassignment at a time."
    " Wait until they are done (--progress and --list show how far they are), or end them with"
    " --cancel. --additional does not lift this; it changes the throttle of a plan that moves."
)
RUN_VERIFY: Final = (
    "Warning: You must run --verify periodically, until the reassignment completes, to ensure the"
    " throttle is removed."
)
NO_REASSIGNMENTS: Final = "No partition reassignments found."
NONE_ACTIVE: Final = "None of the specified partition reassignments are active."
NO_MOVES_ACTIVE: Final = "None of the specified partition moves are active."
ZOOKEEPER_DEPRECATED: Final = (
    "Warning: --zookeeper is deprecated, and will be removed in a future version of Kafka."
)
ZOOKEEPER_IGNORED: Final = (
    "Warning: ignoring deprecated --zookeeper option because --bootstrap-server was specified."
    "  The --zookeeper option will be removed in a future version of Kafka."
)
ZOOKEEPER_INCOMPLETE: Final = (
    "Warning: because you are using the deprecated --zookeeper option, the results may be"
    " incomplete.  Use --bootstrap-server instead for more accurate results."
)


def plural(count: int) -> str:
    """Return what a noun ends with for so many."""
    return "" if count == 1 else "s"


def ids(numbers: Iterable[int]) -> str:
    """Return broker ids in the order given."""
    return ",".join(map(str, numbers))


def names(partitions: Iterable[TopicPartition]) -> str:
    """Return partitions in the order of their names."""
    return ",".join(map(str, sorted(partitions)))


def by_broker(replicas: Iterable[TopicPartitionReplica]) -> list[TopicPartitionReplica]:
    """Put replicas in the order that the tool prints them in."""
    return sorted(replicas, key=lambda name: (name.broker, name.topic, name.partition))


def listing(moving: Mapping[TopicPartition, PartitionReassignment]) -> str:
    """Return what --list prints."""
    if not moving:
        return NO_REASSIGNMENTS
    lines = ["Current partition reassignments:"]
    for name, move in sorted(moving.items()):
        line = f"{name}: replicas: {ids(move.replicas)}."
        if move.adding_replicas:
            line += f" adding: {ids(move.adding_replicas)}."
        if move.removing_replicas:
            line += f" removing: {ids(move.removing_replicas)}."
        lines.append(line)
    return "\n".join(lines)


def for_rollback(plan: str) -> str:
    """Return what --execute prints before it changes anything; `plan` is JSON."""
    return (
        f"Current partition replica assignment\n\n{plan}\n\n"
        "Save this to use as the --reassignment-json-file option during rollback"
    )


def generated(current: str, proposed: str) -> str:
    """Return what --generate prints, given both plans as JSON."""
    return (
        f"Current partition replica assignment\n{current}\n\n"
        f"Proposed partition reassignment configuration\n{proposed}"
    )


def started(partitions: Sequence[TopicPartition]) -> str:
    """Return the success line of --execute."""
    return (
        f"Successfully started partition reassignment{plural(len(partitions))}"
        f" for {names(partitions)}"
    )


def not_submitted(partitions: Iterable[TopicPartition]) -> str:
    """Return what is said of moves that run already, where they cannot be asked for again."""
    return f"Already moving to its target, not submitted: {names(partitions)}"


def cancelled(partitions: Sequence[TopicPartition]) -> str:
    """Return the success line of --cancel."""
    return (
        f"Successfully cancelled partition reassignment{plural(len(partitions))}"
        f" for: {names(partitions)}"
    )


def not_cancelled(errors: Mapping[TopicPartition, Exception]) -> str:
    """Return what --cancel prints when partitions were refused."""
    head = f"Error cancelling partition reassignment{plural(len(errors))} for:"
    return "\n".join([head, *(f"{name}: {error}" for name, error in sorted(errors.items()))])


def inter_broker_throttle(rate: int) -> str:
    """Return what is said once the rates are set; bytes per second."""
    return f"The inter-broker throttle limit was set to {rate} B/s"


def log_dir_throttle(rate: int) -> str:
    """Return what is said once the rate between log directories is set; bytes per second."""
    return f"The replica-alter-dir throttle limit was set to {rate} B/s"


def clearing_brokers(brokers: Sequence[int]) -> str:
    """Return what is said before broker configs are cleared."""
    return f"Clearing broker-level throttles on broker{plural(len(brokers))} {ids(brokers)}"


def clearing_topics(topics: Sequence[str]) -> str:
    """Return what is said before topic configs are cleared."""
    return f"Clearing topic-level throttles on topic{plural(len(topics))} {','.join(topics)}"


def log_dir_move_started(name: TopicPartitionReplica, folder: str) -> str:
    """Return what is said of one accepted move; the tool leaves a blank at its end."""
    return (
        f"Successfully started moving log directory to {folder} for replica"
        f" {name.topic}-{name.partition} with broker {name.broker} "
    )


def log_dir_timeout(pending: Sequence[TopicPartitionReplica]) -> str:
    """Return what is said when moves could not be started in time."""
    return (
        f"Timed out before log directory move{plural(len(pending))} could be started for:"
        f" {','.join(map(str, by_broker(pending)))}"
    )
