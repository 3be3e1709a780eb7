"""What --throttle sets before a plan starts, and what is cleared when nothing moves any more.

A topic lists its throttled replicas as `partition:broker,...`: the sources of each move in the
leaders' list, its destinations in the followers'. Brokers have the rates, in bytes per second.
Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (calculateProposedMoveMap,
calculateLeaderThrottles, calculateFollowerThrottles, calculateReassigningBrokers,
modifyReassignmentThrottle, modifyLogDirThrottle, clearAllThrottles).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
    LISTS,
    LOG_DIR_RATE,
    RATES,
)
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    OpType,
    PartitionReassignment,
    ResourceType,
    TopicPartition,
)
from klamm.tools.reassign import texts
from klamm.tools.reassign.output import Output
from klamm.tools.reassign.plan_files import Plan
from klamm.tools.reassign.state import Target

#: Kafka cannot write a longer string into a message, whatever the version (KAFKA-17993).
LONGEST_VALUE: Final = 2**15 - 1
#: Stands for every replica of the topic; brokers know it since KIP-73.
EVERY_REPLICA: Final = "*"


class Move(NamedTuple):
    """The brokers that a partition is copied from and to."""

    sources: frozenset[int]
    destinations: frozenset[int]


Moves = Mapping[TopicPartition, Move]


def proposed_moves(
    moving: Mapping[TopicPartition, PartitionReassignment],
    targets: Mapping[TopicPartition, Target],
    current: Mapping[TopicPartition, tuple[int, ...]],
) -> Moves:
    """Return every move of the cluster once the plan is started as well.

    Where a partition moves already, its sources are those of the move that runs, not its replicas
    of the moment, to which half-copied ones belong (KAFKA-10779).
    """
    moves = {}
    for name, move in moving.items():
        adding = frozenset(move.adding_replicas)
        moves[name] = Move(frozenset(move.replicas) - adding, adding)
    for name, target in targets.items():
        sources = moves[name].sources if name in moves else frozenset(current[name])
        moves[name] = Move(sources, frozenset(target) - sources)
    return moves


def throttled_lists(moves: Moves) -> dict[str, dict[str, str]]:
    """Return by topic the values of both lists, `*` for one that would be too long to send."""
    lists: dict[str, dict[str, list[str]]] = {}
    for name, move in moves.items():
        of_topic = lists.setdefault(name.topic, {key: [] for key in LISTS})
        of_topic[LEADER_LIST] += (f"{name.partition}:{broker}" for broker in move.sources)
        of_topic[FOLLOWER_LIST] += (f"{name.partition}:{broker}" for broker in move.destinations)
    return {
        topic: {key: _value(items) for key, items in of_topic.items()}
        for topic, of_topic in sorted(lists.items())
    }


def _value(items: Iterable[str]) -> str:
    text = ",".join(sorted(items))
    return text if len(text) <= LONGEST_VALUE else EVERY_REPLICA


def throttled_brokers(moves: Moves) -> list[int]:
    """Return every broker that copies from or to."""
    return sorted({broker for move in moves.values() for broker in (*move[0], *move[1])})


Changes = Mapping[ConfigResource, Sequence[AlterConfigOp]]


def plainly(admin: Admin, changes: Changes) -> None:
    """Change configs whatever is there, as Kafka's tool does; raises AdminError."""
    admin.incremental_alter_configs(changes).result()


#: Changes configs; the other way is that of ownership.py.
Alter = Callable[[Admin, Changes], None]


def set_inter_broker(
    admin: Admin,
    moves: Moves,
    rate: int,
    live: Collection[int],
    output: Output,
    alter: Alter = plainly,
) -> None:
    """Set the lists of the topics, then the rates of the brokers; raises AdminError."""
    lists = throttled_lists(moves)
    for topic, values in lists.items():
        if EVERY_REPLICA in values.values():
            output.warn(
                f"Throttling every replica of topic {topic} that is out of sync: the list of the"
                f" moving ones is longer than the {LONGEST_VALUE} bytes that Kafka can take."
            )
    _alter(
        admin, alter, ResourceType.TOPIC, {topic: _sets(values) for topic, values in lists.items()}
    )
    brokers = _reachable(throttled_brokers(moves), live, output)
    rates = _sets({LEADER_RATE: str(rate), FOLLOWER_RATE: str(rate)})
    _alter(admin, alter, ResourceType.BROKER, {str(broker): rates for broker in brokers})
    output.say(texts.inter_broker_throttle(rate))
    output.put(throttle={"rate": rate, "brokers": brokers, "topics": sorted(lists)})


def set_log_dirs(
    admin: Admin,
    brokers: Collection[int],
    rate: int,
    live: Collection[int],
    output: Output,
    alter: Alter = plainly,
) -> None:
    """Set the rate between log directories on these brokers; raises AdminError."""
    reachable = _reachable(brokers, live, output)
    ops = _sets({LOG_DIR_RATE: str(rate)})
    _alter(admin, alter, ResourceType.BROKER, {str(broker): ops for broker in reachable})
    output.say(texts.log_dir_throttle(rate))
    output.put(log_dir_throttle={"rate": rate, "brokers": reachable})


def clear(
    admin: Admin,
    plan: Plan,
    output: Output,
    *,
    by_controller: bool = False,
    alter: Alter = plainly,
) -> None:
    """Delete the rates of all brokers and the lists of the plan's topics; raises AdminError.

    All brokers, because nobody knows any more which ones were sources. A key that is not set may
    be deleted. Controllers, if they are asked (`by_controller`), change what dead brokers have too.
    """
    live = admin.describe_cluster().result().brokers
    known = {*live, *plan.brokers}
    brokers = sorted(known) if by_controller else _reachable(known, live, output)
    output.say(texts.clearing_brokers(brokers))
    rates = _deletes(RATES)
    _alter(admin, alter, ResourceType.BROKER, {str(broker): rates for broker in brokers})
    output.say(texts.clearing_topics(plan.topics))
    lists = _deletes(LISTS)
    _alter(admin, alter, ResourceType.TOPIC, dict.fromkeys(plan.topics, lists))
    output.put(cleared={"brokers": brokers, "topics": plan.topics})


def _reachable(brokers: Collection[int], live: Collection[int], output: Output) -> list[int]:
    """Leave out dead brokers, which only they themselves could be told (KAFKA-13392)."""
    dead = sorted(set(brokers) - set(live))
    if dead:
        output.warn(
            f"Passing over the throttle rates of broker{texts.plural(len(dead))}"
            f" {texts.ids(dead)}, not in the cluster now: what is set there stays until this is"
            " run again with the broker back."
        )
    return sorted(set(brokers) & set(live))


def _alter(
    admin: Admin,
    alter: Alter,
    kind: ResourceType,
    ops: Mapping[str, Collection[AlterConfigOp]],
) -> None:
    if ops:
        alter(admin, {ConfigResource(kind, name): [*of_name] for name, of_name in ops.items()})


def _sets(values: Mapping[str, str]) -> list[AlterConfigOp]:
    return [AlterConfigOp(key, OpType.SET, value) for key, value in values.items()]


def _deletes(keys: Iterable[str]) -> list[AlterConfigOp]:
    return [AlterConfigOp(key, OpType.DELETE, None) for key in keys]
